#include "src/optimize/graph.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "src/estimate/interval.h"
#include "src/profile/aggregate.h"

namespace assay::optimize {
namespace {

using profile::Profile;
using SiteKey = std::pair<plan::MethodName, int32_t>;

plan::MethodName NameOf(const Profile& profile, profile::MethodId id) {
  const profile::Method& method = profile.method(id);
  return {method.class_name, method.name, method.descriptor};
}

// Half-width of the 95 % interval of a share, from the number of samples of its site, as if each
// had been drawn by itself.
double ShareError(double share, uint64_t samples) {
  if (samples == 0) return 1;
  double n = static_cast<double>(samples);
  return 1.96 * std::sqrt(std::max(share * (1 - share), 1 / (4 * n)) / n);
}

// The same from the errors of the weights. Samples of one burst are not drawn by themselves: a site
// that one burst saw two hundred times is known as well as one that was seen once.
double ShareErrorByWeights(const std::vector<Target>& targets, const Target& of) {
  double others = 0;
  for (const Target& target : targets) {
    if (&target != &of) others += std::pow(target.share * target.error, 2);
  }
  double own = of.share * of.error;
  return std::min(1.0,
                  std::sqrt(std::pow((1 - of.share) * own, 2) + std::pow(of.share, 2) * others));
}

void SortReceivers(std::vector<Receiver>* receivers) {
  std::sort(receivers->begin(), receivers->end(), [](const Receiver& a, const Receiver& b) {
    return std::tie(b.share, a.class_name) < std::tie(a.share, b.class_name);
  });
}

// Without recorded classes: the class that declares the method called. A class that inherits it is
// not seen this way; its guard would never hold, which the agent reports.
// One call dispatches to methods of one name and descriptor; others at the same place come from
// imprecise attribution and are no receivers.
void DeriveReceivers(CallSite* site, bool exact) {
  for (const Target& target : site->targets) {
    const plan::MethodName& first = site->targets[0].method;
    if (target.method.name != first.name || target.method.descriptor != first.descriptor) continue;
    double error = exact ? 0
                         : std::max(ShareError(target.share, site->samples),
                                    ShareErrorByWeights(site->targets, target));
    site->receivers.push_back({target.method.class_name, target.bytes, target.share, error});
  }
  SortReceivers(&site->receivers);
}

std::map<SiteKey, CallSite> SitesByEdges(const Profile& profile, bool exact) {
  std::map<SiteKey, CallSite> sites;
  // What the method misjudges, how dense calls are, is the same for all targets of a site.
  const double systematic = estimate::MethodErrorOf(profile).of_edges;
  double total = 0;
  for (const auto& edge : profile::CallEdges(profile)) total += edge.weight;
  for (const profile::Site& from : profile::CallSites(profile)) {
    plan::MethodName caller = NameOf(profile, from.caller);
    if (from.bci < 0 || from.weight <= 0 || !plan::CanBeWritten(caller)) continue;
    CallSite site;
    site.caller = caller;
    site.caller_bytes = profile.method(from.caller).code_bytes;
    site.bci = from.bci;
    site.weight = from.weight / total;
    site.error = profile::RelativeError(from.weight, from.variance);
    site.samples = from.samples;
    for (const profile::Edge& edge : from.callees) {
      plan::MethodName callee = NameOf(profile, edge.callee);
      if (!plan::CanBeWritten(callee)) continue;
      site.targets.push_back({callee, profile.method(edge.callee).code_bytes,
                              edge.weight / from.weight,
                              profile::RelativeError(edge.weight, estimate::ChanceVariance(edge, systematic))});
    }
    std::sort(site.targets.begin(), site.targets.end(), [](const Target& a, const Target& b) {
      return std::tie(b.share, a.method) < std::tie(a.share, b.method);
    });
    DeriveReceivers(&site, exact);
    sites.emplace(SiteKey{caller, from.bci}, std::move(site));
  }
  return sites;
}

struct Recorded {
  std::map<std::string, std::pair<double, uint64_t>> classes;  // weight, samples
  std::string call;
  double weight = 0;
  uint64_t samples = 0;
};

// The table of --instrument receiver-type: method, bci, call, class.
std::map<SiteKey, Recorded> RecordedReceivers(const Profile& profile, double* total) {
  std::map<SiteKey, Recorded> sites;
  auto table = profile.tables.find("receivers");
  if (table == profile.tables.end()) return sites;
  for (const profile::TableRow& row : table->second.rows) {
    if (row.key.size() != 4) continue;
    auto caller = plan::ParseMethod(row.key[0]);
    if (!caller.ok()) continue;
    Recorded& site = sites[{*caller, std::atoi(row.key[1].c_str())}];
    site.call = row.key[2];
    site.classes[row.key[3]].first += row.weight;
    site.classes[row.key[3]].second += row.samples;
    site.weight += row.weight;
    site.samples += row.samples;
    *total += row.weight;
  }
  return sites;
}

uint32_t BytesOf(const CallSite& site, const std::string& class_name) {
  for (const Target& target : site.targets) {
    if (target.method.class_name == class_name) return target.bytes;
  }
  // The heaviest target stands for what it inherits.
  return site.targets.empty() ? 0 : site.targets[0].bytes;
}

void UseRecorded(const Profile& profile, std::map<SiteKey, CallSite>* sites) {
  double total = 0;
  bool have_edges = !sites->empty();
  for (const auto& [key, recorded] : RecordedReceivers(profile, &total)) {
    auto it = sites->find(key);
    if (it == sites->end()) {
      auto call = plan::ParseMethod(recorded.call);
      if (have_edges || !call.ok() || !plan::CanBeWritten(key.first)) continue;
      CallSite site;
      site.caller = key.first;
      site.bci = key.second;
      site.samples = recorded.samples;
      site.targets.push_back({*call, 0, 1, 0});
      it = sites->emplace(key, std::move(site)).first;
    }
    CallSite& site = it->second;
    site.receivers.clear();
    site.receivers_seen = true;
    for (const auto& [name, count] : recorded.classes) {
      double share = count.first / recorded.weight;
      site.receivers.push_back(
          {name, BytesOf(site, name), share, ShareError(share, recorded.samples)});
    }
    SortReceivers(&site.receivers);
  }
  if (have_edges || total <= 0) return;
  for (const auto& [key, recorded] : RecordedReceivers(profile, &total)) {
    auto it = sites->find(key);
    if (it != sites->end()) it->second.weight = 2 * recorded.weight / total;  // total is doubled
  }
}

// For each site, over the contexts (two callers up) it was reached from: the calls to the most
// frequent callee of each.
void AddContexts(const Profile& profile, std::map<SiteKey, CallSite>* sites) {
  if (!profile::HasContexts(profile)) return;
  using Context = std::tuple<profile::MethodId, int32_t, profile::MethodId, int32_t>;
  std::map<Context, std::map<profile::MethodId, double>> contexts;
  for (size_t i = 1; i < profile.nodes().size(); ++i) {
    const profile::ContextNode& node = profile.nodes()[i];
    if (node.parent == profile::kRootNode || node.calls <= 0) continue;
    const profile::ContextNode& caller = profile.nodes()[node.parent];
    if (caller.parent == profile::kRootNode) continue;
    profile::MethodId above = profile.nodes()[caller.parent].method;
    contexts[{caller.method, node.bci, above, caller.bci}][node.method] += node.calls;
  }
  std::map<SiteKey, std::pair<double, double>> predicted;  // right, all
  for (const auto& [context, callees] : contexts) {
    double all = 0;
    double most = 0;
    for (const auto& [callee, calls] : callees) {
      all += calls;
      most = std::max(most, calls);
    }
    auto& sums = predicted[{NameOf(profile, std::get<0>(context)), std::get<1>(context)}];
    sums.first += most;
    sums.second += all;
  }
  for (const auto& [key, sums] : predicted) {
    auto it = sites->find(key);
    if (it != sites->end()) it->second.predictable_by_context = sums.first / sums.second;
  }
}

}  // namespace

Graph GraphOf(const Profile& profile) {
  Graph graph;
  auto collect = profile.metadata.find("collect");
  std::string how = collect == profile.metadata.end() ? "" : collect->second;
  graph.sees_inlined_calls = how == "exact" || how == "sampled" || how == "bytecodes";
  std::map<SiteKey, CallSite> sites = SitesByEdges(profile, how == "exact");
  UseRecorded(profile, &sites);
  AddContexts(profile, &sites);
  for (auto& [key, site] : sites) graph.sites.push_back(std::move(site));
  std::stable_sort(graph.sites.begin(), graph.sites.end(),
                   [](const CallSite& a, const CallSite& b) { return a.weight > b.weight; });
  return graph;
}

}  // namespace assay::optimize
