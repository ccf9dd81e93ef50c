#include "src/agent/sampled_results.h"

#include <algorithm>
#include <cstdlib>

#include "src/instrument/plugins/plugins.h"

namespace assay::agent {

using instrument::CallEdgeKey;

namespace {

// Straight methods calling each other without end would never return.
constexpr int kMaxStraightDepth = 100;

std::string MethodKey(std::string_view class_name, std::string_view name,
                      std::string_view descriptor) {
  return std::string(class_name).append(1, '.').append(name).append(descriptor);
}

}  // namespace

uint32_t SampledResults::Id(const instrument::Instrumentation& by,
                            const std::vector<std::string>& key) {
  std::string joined(by.name());
  for (const std::string& part : key) joined.append(1, '\0').append(part);
  std::lock_guard lock(mutex_);
  auto [it, added] = ids_.try_emplace(std::move(joined), static_cast<uint32_t>(counters_.size()));
  if (!added) return it->second;
  if (counters_.size() >= SampledMemory::kMaxCounters) {
    registry_.AddLost("points without a counter");
    return it->second = 0;
  }
  counters_.push_back({&by, key});
  return it->second;
}

void SampledResults::AddClass(const classfile::ClassFile& file) {
  registry_.AddClass(file);
  ClassInfo info;
  info.super = file.SuperName();
  for (uint16_t index : file.interfaces) info.interfaces.emplace_back(file.pool.ClassName(index));
  for (const classfile::Method& method : file.methods) {
    if (method.Has(classfile::kAccAbstract)) continue;
    info.methods.insert(std::string(file.NameOf(method)) + std::string(file.DescriptorOf(method)));
  }
  std::lock_guard lock(mutex_);
  classes_[std::string(file.Name())] = std::move(info);
}

bool SampledResults::CountsByCalls(const classfile::ClassFile& file,
                                   const classfile::Method& method,
                                   const std::vector<uint32_t>& ids) {
  std::lock_guard lock(mutex_);
  straight_[MethodKey(file.Name(), file.NameOf(method), file.DescriptorOf(method))] = ids;
  return true;
}

void SampledResults::Restart() {
  std::lock_guard lock(mutex_);
  memory_.ResetCounts(static_cast<uint32_t>(counters_.size()));
  sums_.clear();
  key_sums_.clear();
  targets_.clear();
  straight_.clear();
}

void SampledResults::Add(Sum& sum, int64_t now, double weight) {
  sum.weight += static_cast<double>(now - sum.samples) * weight;
  sum.samples = now;
}

void SampledResults::Accumulate(double weight) {
  std::lock_guard lock(mutex_);
  sums_.resize(counters_.size());
  for (uint32_t id = 1; id < counters_.size(); ++id) Add(sums_[id], memory_.count(id), weight);
  memory_.ForEachKey([&](uint32_t slot, uint32_t, const std::string&, int64_t count) {
    if (count != 0) Add(key_sums_[slot], count, weight);
  });
}

const std::string* SampledResults::FindDefault(const std::string& class_name,
                                               const std::string& method, int depth) const {
  auto it = classes_.find(class_name);
  if (it == classes_.end() || depth > 50) return nullptr;
  for (const std::string& name : it->second.interfaces) {
    auto interface = classes_.find(name);
    if (interface != classes_.end() && interface->second.methods.contains(method)) {
      return &interface->first;
    }
    if (const std::string* found = FindDefault(name, method, depth + 1)) return found;
  }
  return it->second.super.empty() ? nullptr : FindDefault(it->second.super, method, depth + 1);
}

std::string SampledResults::Resolve(const std::string& class_name,
                                    const std::string& method) const {
  if (class_name.starts_with('[')) return "java/lang/Object";
  const std::string* name = &class_name;
  for (int depth = 0; depth < 1000; ++depth) {
    auto it = classes_.find(*name);
    if (it == classes_.end()) break;
    if (it->second.methods.contains(method)) return *name;
    name = &it->second.super;
  }
  const std::string* found = FindDefault(class_name, method, 0);
  return found != nullptr ? *found : class_name;
}

const SampledResults::Target& SampledResults::TargetOf(profile::Profile& profile, uint64_t place,
                                                       const Counter& counter,
                                                       const std::string* text) {
  auto [it, added] = targets_.try_emplace(place);
  if (!added) return it->second;
  const auto& key = counter.key;
  uint32_t caller = registry_.Method(key[CallEdgeKey::kClass], key[CallEdgeKey::kMethod],
                                     key[CallEdgeKey::kDescriptor]);
  profile::MethodId callee;
  if (key[CallEdgeKey::kTargetName].empty()) {
    callee = profile.InternMethod("", "<invokedynamic>", "");
  } else {
    const std::string& name = key[CallEdgeKey::kTargetName];
    const std::string& descriptor = key[CallEdgeKey::kTargetDescriptor];
    std::string owner =
        Resolve(text != nullptr ? *text : key[CallEdgeKey::kTargetClass], name + descriptor);
    callee = registry_.ProfileMethod(profile, registry_.Method(owner, name, descriptor));
    auto straight = straight_.find(MethodKey(owner, name, descriptor));
    if (straight != straight_.end()) it->second.counts = &straight->second;
  }
  int32_t bci = std::atoi(key[CallEdgeKey::kBci].c_str());
  it->second.edge = profile.InternEdge(registry_.ProfileMethod(profile, caller), bci, callee);
  return it->second;
}

void SampledResults::AddCalls(profile::Profile& profile, uint64_t place, const Counter& counter,
                              const std::string* text, const Sum& sum, int depth) {
  // "null" is the class of no receiver: the call fails.
  if (sum.samples == 0 || depth > kMaxStraightDepth || (text != nullptr && *text == "null")) return;
  const Target& target = TargetOf(profile, place, counter, text);
  auto& edge = profile.edge(target.edge);
  edge.samples += static_cast<uint64_t>(sum.samples);
  edge.weight += sum.weight;
  if (target.counts == nullptr) return;
  for (uint32_t id : *target.counts) {
    implied_[id].samples += sum.samples;
    implied_[id].weight += sum.weight;
    if (IsCallEdge(counters_[id])) AddCalls(profile, id, counters_[id], nullptr, sum, depth + 1);
  }
}

void SampledResults::FillRow(profile::Profile& profile, const Counter& counter,
                             const std::string* text, const Sum& sum) {
  if (sum.samples == 0) return;
  auto& rows = profile.tables[std::string(counter.by->table())].rows;
  rows.push_back({counter.key, static_cast<uint64_t>(sum.samples), sum.weight});
  if (text != nullptr) rows.back().key.push_back(instrument::DottedName(*text));
}

void SampledResults::Fill(profile::Profile& profile) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < profile.edges().size(); ++i) {
    auto& edge = profile.edge(static_cast<profile::EdgeId>(i));
    edge.samples = 0;
    edge.weight = 0;
  }
  for (const Counter& counter : counters_) {
    if (counter.by == nullptr || IsCallEdge(counter)) continue;
    auto& table = profile.tables[std::string(counter.by->table())];
    table.columns = counter.by->columns();
    table.rows.clear();
  }
  implied_.assign(counters_.size(), {});
  for (uint32_t id = 1; id < sums_.size(); ++id) {
    if (IsCallEdge(counters_[id])) AddCalls(profile, id, counters_[id], nullptr, sums_[id], 0);
  }
  memory_.ForEachKey([&](uint32_t slot, uint32_t id, const std::string& text, int64_t) {
    auto it = key_sums_.find(slot);
    if (it == key_sums_.end()) return;
    if (IsCallEdge(counters_[id])) {
      AddCalls(profile, uint64_t{slot} << 32, counters_[id], &text, it->second, 0);
    } else {
      FillRow(profile, counters_[id], &text, it->second);
    }
  });
  for (uint32_t id = 1; id < sums_.size(); ++id) {
    if (IsCallEdge(counters_[id])) continue;
    FillRow(profile, counters_[id], nullptr,
            {sums_[id].samples + implied_[id].samples, sums_[id].weight + implied_[id].weight});
  }
  for (auto& [name, table] : profile.tables) {
    std::sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.key < b.key;
    });
  }
  registry_.MoveNotes(profile);
  if (uint64_t dropped = memory_.dropped_values()) {
    profile.lost["values beyond the first " + std::to_string(SampledMemory::kValuesPerCounter) +
                 " of one point"] = dropped;
  }
  if (uint64_t dropped = memory_.dropped_keys()) profile.lost["counts without room"] = dropped;
}

}  // namespace assay::agent
