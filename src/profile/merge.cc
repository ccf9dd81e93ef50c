#include "src/profile/merge.h"

#include <set>
#include <utility>

#include "src/profile/aggregate.h"
#include "src/profile/merge_metadata.h"
#include "src/profile/pairing.h"

namespace assay::profile {
namespace {

Status Mergeable(const Profile& into, const Profile& from) {
  ASSAY_TRY(SameMeasure(into, from));
  bool contexts = HasContexts(into) && HasContexts(from);
  if (contexts && into.self_unit != from.self_unit) {
    return Error{"cannot add contexts measured in \"" + into.self_unit + "\" and in \"" +
                 from.self_unit + "\""};
  }
  for (const auto& [name, table] : from.tables) {
    auto it = into.tables.find(name);
    if (it != into.tables.end() && it->second.columns != table.columns) {
      return Error{"cannot add tables \"" + name + "\" with different columns"};
    }
  }
  return {};
}

std::vector<MethodId> MergeMethods(Profile& into, const Profile& from) {
  std::vector<MethodId> map(from.methods().size(), 0);
  for (MethodId id = 1; id < map.size(); ++id) {
    const Method& method = from.method(id);
    map[id] = into.InternMethod(method.class_name, method.name, method.descriptor);
    Method& kept = into.method(map[id]);
    if (kept.source_file.empty()) kept.source_file = method.source_file;
    if (kept.code_bytes == 0) kept.code_bytes = method.code_bytes;
    if (kept.lines.empty()) kept.lines = method.lines;
  }
  return map;
}

void MergeNodes(Profile& into, const Profile& from, const std::vector<MethodId>& methods) {
  std::vector<NodeId> map(from.nodes().size(), kRootNode);
  for (NodeId id = 0; id < map.size(); ++id) {
    const ContextNode& node = from.nodes()[id];
    if (id != kRootNode) {
      map[id] = into.InternNode(map[node.parent], node.bci, methods[node.method]);
    }
    ContextNode& sum = into.node(map[id]);
    sum.samples += node.samples;
    sum.calls += node.calls;
    sum.self += node.self;
  }
}

void MergeTable(Table& into, const Table& from) {
  std::map<std::vector<std::string>, size_t> rows;
  for (size_t i = 0; i < into.rows.size(); ++i) rows.emplace(into.rows[i].key, i);
  into.columns = from.columns;
  for (const TableRow& row : from.rows) {
    auto [it, added] = rows.try_emplace(row.key, into.rows.size());
    if (added) {
      into.rows.push_back(row);
    } else {
      into.rows[it->second].samples += row.samples;
      into.rows[it->second].weight += row.weight;
    }
  }
}

void MergeSeries(Profile& into, const Profile& from) {
  auto shift = static_cast<uint32_t>(into.threads.size());
  into.threads.insert(into.threads.end(), from.threads.begin(), from.threads.end());
  for (TickPoint tick : from.ticks) {
    tick.thread += shift;
    into.ticks.push_back(tick);
  }
}

void MergeSkipped(Profile& into, const Profile& from) {
  std::set<std::pair<std::string, std::string>> known;
  for (const SkippedMethod& s : into.skipped_methods) known.emplace(s.method, s.reason);
  for (const SkippedMethod& s : from.skipped_methods) {
    if (known.emplace(s.method, s.reason).second) into.skipped_methods.push_back(s);
  }
}

}  // namespace

Status MergeInto(Profile& into, const Profile& from) {
  ASSAY_TRY(Mergeable(into, from));
  MergeMetadata(into, from);
  std::vector<MethodId> methods = MergeMethods(into, from);
  for (const Edge& edge : from.edges()) {
    into.AddEdge(methods[edge.caller], edge.bci, methods[edge.callee], edge.samples, edge.weight,
                 edge.variance);
  }
  MergeNodes(into, from, methods);
  if (into.self_unit.empty()) into.self_unit = from.self_unit;
  for (const auto& [name, table] : from.tables) MergeTable(into.tables[name], table);
  for (const auto& [reason, count] : from.lost) into.lost[reason] += count;
  MergeSkipped(into, from);
  MergeSeries(into, from);
  return {};
}

}  // namespace assay::profile
