#include "src/profile/merge.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "src/profile/aggregate.h"

namespace assay::profile {
namespace {

constexpr std::string_view kJoin = " + ";

Status Mergeable(const Profile& into, const Profile& from) {
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

uint64_t ToNumber(const std::string& text, uint64_t otherwise) {
  uint64_t value = otherwise;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

// "12.5s" in nanoseconds, whole ones so that sums do not depend on their order; and back.
int64_t Nanoseconds(const std::string& seconds) {
  double value = strtod(seconds.c_str(), nullptr) * 1e9;
  return value > 0 && value < 9e18 ? static_cast<int64_t>(value + 0.5) : 0;
}

std::string Seconds(int64_t nanoseconds) {
  char text[40];
  snprintf(text, sizeof text, "%lld.%09llds", static_cast<long long>(nanoseconds / 1000000000),
           static_cast<long long>(nanoseconds % 1000000000));
  std::string out = text;
  out.erase(out.find_last_not_of("0s") + 1);
  if (out.back() == '.') out.pop_back();
  return out + "s";
}

std::string JoinDistinct(const std::string& a, const std::string& b) {
  std::set<std::string> parts;
  for (const std::string* text : {&a, &b}) {
    size_t start = 0, end;
    while ((end = text->find(kJoin, start)) != std::string::npos) {
      parts.insert(text->substr(start, end - start));
      start = end + kJoin.size();
    }
    parts.insert(text->substr(start));
  }
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : kJoin), joined += part;
  return joined;
}

std::string MergeValue(const std::string& key, const std::string& a, const std::string& b) {
  if (key == "duration") return Seconds(Nanoseconds(a) + Nanoseconds(b));
  if (key == "start") return std::min(a, b);
  // All of them err in their way: none makes the others better.
  if (key == "method-error") return std::strtod(a.c_str(), nullptr) < std::strtod(b.c_str(), nullptr) ? b : a;
  return a == b ? a : JoinDistinct(a, b);
}

void MergeMetadata(Profile& into, const Profile& from) {
  auto profiles = [](const Profile& profile) {
    auto it = profile.metadata.find("profiles");
    return it == profile.metadata.end() ? uint64_t{1} : ToNumber(it->second, 1);
  };
  uint64_t count = profiles(into) + profiles(from);
  for (const auto& [key, value] : from.metadata) {
    auto [it, added] = into.metadata.try_emplace(key, value);
    if (!added) it->second = MergeValue(key, it->second, value);
  }
  into.metadata["profiles"] = std::to_string(count);
  // Of each on its own; whoever can estimates them anew from the merged edges.
  for (const char* key : {"accuracy", "accuracy-error", "accuracy-limit", "unseen", "split-half-overlap"}) {
    into.metadata.erase(key);
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
  MergeMetadata(into, from);
  return {};
}

}  // namespace assay::profile
