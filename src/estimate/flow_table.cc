#include "src/estimate/flow_table.h"

#include <charconv>
#include <string>
#include <unordered_map>

namespace assay::estimate {

using profile::MethodId;
using profile::Profile;

void AddFlowGroup(Profile& profile, const FlowGroup& group) {
  profile::Table& table = profile.tables[kFlowTable];
  if (table.columns.empty()) table.columns = {"method", "entry", "sites"};
  std::string sites;
  for (uint32_t site : group.sites) sites += (sites.empty() ? "" : " ") + std::to_string(site);
  profile::TableRow row;
  row.key = {profile.method(group.method).ToString(), group.at_entry ? "entry" : "", sites};
  table.rows.push_back(std::move(row));
}

std::vector<FlowGroup> FlowGroupsOf(const Profile& profile) {
  std::vector<FlowGroup> groups;
  auto table = profile.tables.find(kFlowTable);
  if (table == profile.tables.end()) return groups;
  std::unordered_map<std::string, MethodId> methods;
  for (MethodId id = 1; id < profile.methods().size(); id++) methods.emplace(profile.method(id).ToString(), id);
  for (const profile::TableRow& row : table->second.rows) {
    if (row.key.size() != 3) continue;
    auto method = methods.find(row.key[0]);
    if (method == methods.end()) continue;
    FlowGroup group{.method = method->second, .at_entry = row.key[1] == "entry", .sites = {}};
    const char* at = row.key[2].data();
    const char* end = at + row.key[2].size();
    while (at < end) {
      uint32_t site = 0;
      auto [next, error] = std::from_chars(at, end, site);
      if (error != std::errc()) break;
      group.sites.push_back(site);
      at = next < end ? next + 1 : next;
    }
    if (!group.sites.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace assay::estimate
