// Gives the sites that hooks reported their names - callee, caller and call site, and further
// callers - and keeps the totals, across code that is unloaded and compiled again. One thread at a
// time; not called from yieldpoints.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/base/hash.h"
#include "src/base/sparse_vector.h"
#include "src/estimate/accuracy.h"
#include "src/profile/profile.h"
#include "src/sampling/burst_ledger.h"
#include "src/sampling/hotspot/compiled_methods.h"
#include "src/sampling/hotspot/hooks.h"

namespace assay::sampling {

class SiteResolver {
 public:
  SiteResolver(HookContext* hooks, CompiledMethods* methods, BurstLedger* ledger)
      : hooks_(hooks), methods_(methods), ledger_(ledger) {}

  void set_depth(uint32_t depth) { depth_ = depth; }

  // Resolves and retires the sites of compiled code that began at these addresses. `may_ask`: on a thread that the
  // VM knows.
  void Retire(const std::vector<uintptr_t>& unloaded, bool may_ask);
  // Names what was added since the last call (or most of it, if very much was), before its class can go away. On a thread
  // that the VM knows.
  void NameNew();
  // Brings edges (and contexts, from depth 3 on) of the profile, the same each time, up to date and records the estimated
  // accuracy; errors may be those of a little earlier unless it is the last time. Asks the VM for the names of methods, so
  // on a thread that it knows.
  void Fill(profile::Profile& profile, bool last);
  // The bodies of the methods that Fill() put into the profile, as far as they are kept, with
  // the calls in them that were inlined at least once.
  using BodyVisitor = std::function<void(profile::MethodId, std::span<const uint8_t> bytecodes,
                                         const std::set<int32_t>& inlined)>;
  void VisitBodies(const BodyVisitor& visit) const;
  // Samples whose class was unloaded before its methods were named; unresolved() has them too.
  uint64_t nameless() const { return nameless_; }
  const std::map<std::string, uint64_t>& unresolved() const { return unresolved_; }

 private:
  // Frames innermost first: the callee, its caller with the bci of the call, and so on.
  using Chain = std::vector<std::pair<uint32_t, int32_t>>;
  struct Meaning {
    uint32_t id_plus_one = 0;  // of the site this was worked out for
    int32_t chain = kPending;  // index into chains_, or why not
  };
  static constexpr int32_t kPending = -1, kUnknown = -2;
  struct Totals {
    BurstLedger::Site sampled;
    uint64_t counted = 0;
  };

  Meaning& Resolve(uint32_t index, const SiteMeaning& site, uint32_t id, bool may_ask);
  bool BuildChain(const SiteMeaning& site, bool may_ask, Chain* chain);
  void RetireIf(const std::function<bool(const SiteMeaning&)>& dead, bool may_ask);
  void MakeRoom();
  void RetireAll();
  void TakeInto(uint32_t index, const Meaning& meaning);
  profile::MethodId MethodOf(profile::Profile& profile, uint32_t method);
  profile::EdgeId EdgeOf(profile::Profile& profile, size_t chain);
  void AddUp(bool last);
  void AddUpSite(uint32_t index);
  void AddContext(profile::Profile& profile, const Chain& chain, uint64_t samples, double weight);
  void State(profile::Edge& edge, uint64_t samples, const estimate::EdgeEvidence& evidence, double finding, bool last) const;
  double MethodErrorNow() const;
  void StateAccuracy(profile::Profile& profile);

  HookContext* hooks_;
  CompiledMethods* methods_;
  BurstLedger* ledger_;
  uint32_t depth_ = 2;
  SparseVector<Meaning> meanings_;
  struct ChainHash {
    size_t operator()(const Chain& chain) const {
      uint64_t hash = chain.size();
      for (const auto& [method, bci] : chain) hash = HashCombine(hash, uint64_t{method} << 32 | static_cast<uint32_t>(bci));
      return hash;
    }
  };
  std::unordered_map<Chain, int32_t, ChainHash> chain_ids_;
  std::vector<const Chain*> chains_;
  std::vector<Totals> totals_;   // by chain: taken from ledger and counters
  bool counts_ = false;          // calls were being counted, not only sampled, at some Fill()
  std::map<std::string, uint64_t> unresolved_;
  std::vector<profile::MethodId> profile_ids_;  // by method
  static constexpr profile::EdgeId kNoEdge = UINT32_MAX;
  std::vector<profile::EdgeId> edge_ids_;       // by chain
  std::vector<estimate::EdgeEvidence> evidence_;  // of the last Fill(), as what follows
  std::vector<uint64_t> edge_samples_;
  uint64_t bursts_estimated_ = 0;
  estimate::MethodError method_ = estimate::kCorrected;  // as then
  double scale_ = 1;  // of the ledger, as last stated
  uint64_t nameless_ = 0;
  uint64_t named_ = 0;                          // SiteTable::added() at the last NameNew()
  uint64_t refused_ = 0;  // sites that found no room, at the last look
};

}  // namespace assay::sampling
