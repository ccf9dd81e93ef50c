// What the counters of the sampled collector stand for, and their way into a profile. Thread-safe:
// classes are rewritten on many threads while snapshots read.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/agent/exact_registry.h"
#include "src/agent/sampled_memory.h"
#include "src/instrument/instrumentation.h"
#include "src/profile/profile.h"

namespace assay::agent {

class SampledResults : public instrument::PointIds {
 public:
  explicit SampledResults(SampledMemory& memory) : memory_(memory) {}

  uint32_t Id(const instrument::Instrumentation& by, const std::vector<std::string>& key) override;
  bool CountsByCalls(const classfile::ClassFile& file, const classfile::Method& method,
                     const std::vector<uint32_t>& ids) override;
  void AddClass(const classfile::ClassFile& file);
  ExactRegistry& registry() { return registry_; }

  // From now on, counts are those of a new profile.
  void Restart();
  // Takes over what was counted since the last call; each count stands for `weight` executions.
  void Accumulate(double weight);
  void Fill(profile::Profile& profile);

 private:
  struct Counter {
    const instrument::Instrumentation* by;
    std::vector<std::string> key;
  };
  struct Sum {
    int64_t samples = 0;
    double weight = 0;
  };
  struct ClassInfo {
    std::string super;
    std::vector<std::string> interfaces;
    std::unordered_set<std::string> methods;  // name and descriptor
  };

  // Where a call-edge count goes. Stays the same for the length of a profile.
  struct Target {
    profile::EdgeId edge = 0;
    const std::vector<uint32_t>* counts = nullptr;  // of the callee, executed once per call
  };

  static bool IsCallEdge(const Counter& counter) { return counter.by->table() == "edges"; }
  static void Add(Sum& sum, int64_t now, double weight);
  void FillRow(profile::Profile& profile, const Counter& counter, const std::string* text,
               const Sum& sum);
  // `text`: the receiver's class where the call is dispatched. `place` is the counter's number, or
  // that of its slot.
  const Target& TargetOf(profile::Profile& profile, uint64_t place, const Counter& counter,
                         const std::string* text);
  // Adds calls to the edge and, where the callee is counted by its calls, to what it counts.
  void AddCalls(profile::Profile& profile, uint64_t place, const Counter& counter,
                const std::string* text, const Sum& sum, int depth);
  // The class whose method a call reaches, by JVMS 5.4.3.3 and 5.4.6 as far as classes are known.
  std::string Resolve(const std::string& class_name, const std::string& method) const;
  const std::string* FindDefault(const std::string& class_name, const std::string& method,
                                 int depth) const;

  SampledMemory& memory_;
  ExactRegistry registry_;
  mutable std::mutex mutex_;
  std::vector<Counter> counters_ = std::vector<Counter>(1);
  std::unordered_map<std::string, uint32_t> ids_;
  std::unordered_map<std::string, ClassInfo> classes_;
  std::vector<Sum> sums_;
  std::unordered_map<uint32_t, Sum> key_sums_;  // by slot
  std::unordered_map<std::string, std::vector<uint32_t>> straight_;  // counters by method
  std::unordered_map<uint64_t, Target> targets_;
  std::vector<Sum> implied_;  // by counter: what the calls of straight methods stand for
};

}  // namespace assay::agent
