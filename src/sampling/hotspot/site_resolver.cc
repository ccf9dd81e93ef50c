#include "src/sampling/hotspot/site_resolver.h"

#include <algorithm>

#include "src/estimate/accuracy.h"
#include "src/estimate/interval.h"

namespace assay::sampling {
namespace {

constexpr uint32_t kNativeMethod = UINT32_MAX - 1;
constexpr uint32_t kNoMethod = UINT32_MAX;
// CompiledMethodLoad comes from a queue in the VM: a new method may run before it is announced.
constexpr uint32_t kAttempts = 50;

}  // namespace

bool SiteResolver::AppendCaller(uintptr_t pc, Chain* chain, const char** why) {
  if (pc == hooks_->call_stub_return) {
    chain->push_back({kNativeMethod, -1});
    return true;
  }
  bool exact;
  auto frames = methods_->Lookup(pc, &exact);
  if (frames.empty()) {
    *why = "caller outside known compiled code";
    return false;
  }
  if (!exact) {
    *why = "caller without debug information at its call";
    return false;
  }
  for (const VirtualFrame& frame : frames) {
    if (frame.method == kNoMethod) {
      *why = "caller already unloaded";
      return false;
    }
    chain->push_back({frame.method, frame.bci});
  }
  return true;
}

bool SiteResolver::BuildChain(const SiteTable::Key& key, Chain* chain, const char** why) {
  *why = "callee outside known compiled code";
  if (key.a & SiteTable::kWalkTag) {
    uint64_t callee_pc = hooks_->sites.CalleeOfWalk(key);
    if (callee_pc != SiteTable::kCalleeInFrames) {
      uint32_t callee = methods_->MethodAt(callee_pc);
      if (callee == kNoMethod) return false;
      chain->push_back({callee, -1});
    }
    uint32_t count;
    const WalkedFrame* frames = hooks_->sites.FramesOfWalk(key, &count);
    for (uint32_t i = 0; i < count; i++) {
      if (frames[i].method == kNativeFrame) {
        chain->push_back({kNativeMethod, -1});
        continue;
      }
      uint32_t method = methods_->Intern(reinterpret_cast<jmethodID>(frames[i].method));
      if (method == kNoMethod) {
        *why = "caller already unloaded";
        return false;
      }
      int32_t shift = static_cast<int32_t>(methods_->ShiftOf(method));
      chain->push_back({method, std::max(frames[i].bci - shift, -1)});
    }
  } else if (key.a & SiteTable::kChainTag) {
    auto parent = static_cast<uint32_t>(key.a & ~SiteTable::kChainTag);
    SiteTable::Key shorter;
    if (!hooks_->sites.Get(parent, &shorter)) {
      *why = "sampled while its code was unloaded";
      return false;
    }
    if (!BuildChain(shorter, chain, why)) return false;
    if (chain->size() < depth_ && !AppendCaller(key.b, chain, why)) {
      if (chain->size() < 2) return false;  // an outer frame in unknown code only shortens the context
    }
  } else {
    uint32_t callee = methods_->MethodAt(key.a);
    if (callee == kNoMethod) return false;
    chain->push_back({callee, -1});
    if (!AppendCaller(key.b, chain, why)) return false;
  }
  if (chain->size() > depth_) chain->resize(depth_);
  return chain->size() >= 2;
}

SiteResolver::Meaning& SiteResolver::Resolve(uint32_t index, const SiteTable::Key& key, uint32_t id) {
  Meaning& meaning = meanings_[index];
  if (meaning.id_plus_one != id + 1) meaning = {.id_plus_one = id + 1};
  if (meaning.chain != kPending) return meaning;
  Chain chain;
  const char* why = "";
  if (BuildChain(key, &chain, &why)) {
    auto [it, is_new] = chain_ids_.try_emplace(chain, static_cast<int32_t>(chains_.size()));
    if (is_new) {
      chains_.push_back(&it->first);
      retired_.emplace_back();
      counted_.emplace_back();
    }
    meaning.chain = it->second;
    return meaning;
  }
  // Let the hook try the VM's walker on the next sample of this site.
  if (!(key.a & (SiteTable::kWalkTag | SiteTable::kChainTag))) hooks_->sites.SetWantsWalk(id);
  if (++meaning.attempts >= kAttempts) {
    meaning.chain = kUnknown;
    BurstLedger::Site gone = ledger_->Take(index);
    unresolved_[why] += gone.samples + hooks_->sites.TakeCount(index);
  }
  return meaning;
}

void SiteResolver::TakeInto(uint32_t index, const Meaning& meaning) {
  BurstLedger::Site site = ledger_->Take(index);
  uint64_t count = hooks_->sites.TakeCount(index);
  if (meaning.chain < 0) {
    if (site.samples + count > 0) unresolved_["code unloaded before its sample was resolved"] += site.samples + count;
    return;
  }
  Totals& totals = retired_[meaning.chain];
  totals.sampled.Add(site);
  totals.counted += count;
}

void SiteResolver::RetireUnloaded() {
  auto ranges = methods_->Unloaded();
  if (ranges.empty()) return;
  std::sort(ranges.begin(), ranges.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  auto gone = [&](uint64_t pc) {
    auto it = std::upper_bound(ranges.begin(), ranges.end(), pc,
                               [](uint64_t value, const auto& range) { return value < range.begin; });
    return it != ranges.begin() && pc < std::prev(it)->end;
  };
  std::vector<uint32_t> retire;
  for (uint32_t place = 0; place < hooks_->sites.used(); place++) {
    uint32_t index = hooks_->sites.index(place);
    SiteTable::Key key;
    uint32_t id;
    if (!hooks_->sites.GetAt(index, &key, &id)) continue;
    bool dead;
    if (key.a & SiteTable::kWalkTag) {
      dead = gone(hooks_->sites.CalleeOfWalk(key));
    } else if (key.a & SiteTable::kChainTag) {
      SiteTable::Key shorter;
      dead = gone(key.b) ||
             !hooks_->sites.Get(static_cast<uint32_t>(key.a & ~SiteTable::kChainTag), &shorter) ||
             gone(shorter.a) || gone(shorter.b);
    } else {
      dead = gone(key.a) || gone(key.b);
    }
    if (!dead) continue;
    Resolve(index, key, id);
    retire.push_back(index);
  }
  for (uint32_t index : retire) {
    TakeInto(index, meanings_[index]);
    meanings_.Erase(index);
    hooks_->sites.Retire(index);
  }
  methods_->Forget(ranges);
}

profile::MethodId SiteResolver::MethodOf(profile::Profile& profile, uint32_t method) {
  if (method == kNativeMethod) return profile.InternMethod("", profile::kNativeCaller, "");
  if (method >= profile_ids_.size()) profile_ids_.resize(method + 1, UINT32_MAX);
  if (profile_ids_[method] == UINT32_MAX) {
    MethodName name = methods_->Name(method);
    profile_ids_[method] = profile.InternMethod(name.class_name, name.name, name.descriptor);
    profile::Method& described = profile.method(profile_ids_[method]);
    described.source_file = std::move(name.source_file);
    described.code_bytes = name.code_bytes;
    described.lines = std::move(name.lines);
  }
  return profile_ids_[method];
}

void SiteResolver::VisitBodies(const BodyVisitor& visit) const {
  for (uint32_t method = 0; method < profile_ids_.size(); method++) {
    if (profile_ids_[method] == UINT32_MAX) continue;
    MethodName name = methods_->Name(method);
    if (!name.bytecodes.empty()) visit(profile_ids_[method], name.bytecodes, name.inlined);
  }
}

void SiteResolver::Fill(profile::Profile& profile, bool exhaustive) {
  RetireUnloaded();
  std::vector<Totals> now = retired_;
  for (uint32_t place = 0; place < hooks_->sites.used(); place++) {
    uint32_t index = hooks_->sites.index(place);
    SiteTable::Key key;
    uint32_t id;
    if (!hooks_->sites.GetAt(index, &key, &id)) continue;
    Meaning& meaning = Resolve(index, key, id);
    now.resize(retired_.size());
    if (meaning.chain == kUnknown) {
      BurstLedger::Site more = ledger_->Take(index);
      unresolved_["caller outside known compiled code"] += more.samples + hooks_->sites.TakeCount(index);
    }
    if (meaning.chain < 0) continue;
    counted_[meaning.chain].counted += hooks_->sites.TakeCount(index);
    const BurstLedger::Site& site = ledger_->sites()[index];
    Totals& totals = now[meaning.chain];
    totals.sampled.Add(site);
  }

  for (profile::EdgeId edge = 0; edge < profile.edges().size(); edge++) {
    profile.edge(edge).samples = 0;
    profile.edge(edge).weight = profile.edge(edge).variance = 0;
  }
  for (profile::NodeId node = 0; node < profile.nodes().size(); node++) {
    profile.node(node).samples = 0;
    profile.node(node).calls = 0;
  }
  double scale = ledger_->Scale();
  std::vector<estimate::EdgeEvidence> evidence;
  for (size_t i = 0; i < now.size(); i++) {
    const Chain& chain = *chains_[i];
    const BurstLedger::Site& site = now[i].sampled;
    uint64_t counted = now[i].counted + counted_[i].counted;
    if (site.samples + counted == 0) continue;
    double weight = site.weight * scale + static_cast<double>(counted);
    double variance = ledger_->Variance(site) * scale * scale;
    profile::MethodId callee = MethodOf(profile, chain[0].first);
    profile::MethodId caller = MethodOf(profile, chain[1].first);
    profile::EdgeId edge = profile.InternEdge(caller, chain[1].second, callee);
    profile.edge(edge).samples += site.samples + counted;
    profile.edge(edge).weight += weight;
    if (edge >= evidence.size()) evidence.resize(edge + 1);
    evidence[edge].variance += variance;
    evidence[edge].half[0] += site.half[0];
    evidence[edge].half[1] += site.half[1];
    if (depth_ <= 2) continue;
    profile::NodeId node = profile::kRootNode;
    for (size_t frame = chain.size(); frame-- > 0;) {
      int32_t bci = frame + 1 < chain.size() ? chain[frame + 1].second : profile::kNoBci;
      node = profile.InternNode(node, bci, MethodOf(profile, chain[frame].first));
    }
    profile.node(node).samples += site.samples + counted;
    profile.node(node).calls += weight;
  }
  for (profile::EdgeId edge = 0; edge < evidence.size(); edge++) {
    evidence[edge].weight = profile.edge(edge).weight;
    profile.edge(edge).variance = estimate::StatedVariance(evidence[edge].weight, evidence[edge].variance,
                                                           ledger_->Finding() * scale);
  }
  if (auto accuracy = estimate::EstimateAccuracy(evidence)) estimate::Record(*accuracy, profile);
}

}  // namespace assay::sampling
