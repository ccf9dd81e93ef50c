#include "src/sampling/hotspot/site_resolver.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "src/estimate/interval.h"
#include "src/profile/names.h"

namespace assay::sampling {
namespace {

constexpr uint32_t kNativeMethod = UINT32_MAX - 1;
constexpr uint32_t kNoMethod = UINT32_MAX;
constexpr char kUnloaded[] = "class unloaded before its methods were named";

}  // namespace

bool SiteResolver::BuildChain(const SiteMeaning& site, bool may_ask, Chain* chain) {
  for (const WalkedFrame& frame : site.frames.first(std::min<size_t>(site.frames.size(), depth_))) {
    if (frame.method == kNativeFrame) {
      chain->push_back({kNativeMethod, -1});
      continue;
    }
    auto id = reinterpret_cast<jmethodID>(frame.method);
    uint32_t method = may_ask ? methods_->Intern(id) : methods_->Declare(id);
    if (method == kNoMethod) return false;
    auto shift = static_cast<int32_t>(methods_->ShiftOf(method));
    chain->push_back({method, std::max(frame.bci - shift, -1)});
  }
  return chain->size() >= 2;
}

SiteResolver::Meaning& SiteResolver::Resolve(uint32_t index, const SiteMeaning& site, uint32_t id, bool may_ask) {
  Meaning& meaning = meanings_[index];
  if (meaning.id_plus_one != id + 1) meaning = {.id_plus_one = id + 1};
  if (meaning.chain != kPending) return meaning;
  Chain chain;
  if (!BuildChain(site, may_ask, &chain)) {
    meaning.chain = kUnknown;
    return meaning;
  }
  auto [it, is_new] = chain_ids_.try_emplace(chain, static_cast<int32_t>(chains_.size()));
  if (is_new) {
    chains_.push_back(&it->first);
    totals_.emplace_back();
  }
  meaning.chain = it->second;
  return meaning;
}

void SiteResolver::TakeInto(uint32_t index, const Meaning& meaning) {
  BurstLedger::Site site = ledger_->Take(index);
  uint64_t count = hooks_->sites.TakeCount(index);
  if (meaning.chain < 0) {
    nameless_ += site.samples + count;
    if (nameless_ > 0) unresolved_[kUnloaded] = nameless_;
    return;
  }
  Totals& totals = totals_[meaning.chain];
  totals.sampled.Add(site);
  totals.counted += count;
}

void SiteResolver::RetireIf(const std::function<bool(const SiteMeaning&)>& dead, bool may_ask) {
  for (uint32_t place = 0; place < hooks_->sites.used(); place++) {
    uint32_t index = hooks_->sites.index(place);
    SiteMeaning site;
    uint32_t id;
    if (!hooks_->sites.GetAt(index, &site, &id) || !dead(site)) continue;
    TakeInto(index, Resolve(index, site, id, may_ask));
    meanings_.Erase(index);
    hooks_->sites.Retire(index);
  }
}

void SiteResolver::Retire(const std::vector<uintptr_t>& unloaded, bool may_ask) {
  if (unloaded.empty()) return;
  const std::unordered_set<uintptr_t> gone(unloaded.begin(), unloaded.end());
  RetireIf([&](const SiteMeaning& site) {
    return std::any_of(site.code.begin(), site.code.end(), [&](uintptr_t code) { return gone.contains(code); });
  }, may_ask);
}

// Sites of interpreted callers stay when their class is unloaded: nobody tells. Long chains of callers fill the table's memory before its
// places. A table that is full is emptied; what is still called is found again.
void SiteResolver::MakeRoom() {
  constexpr uint32_t kMany = SiteTable::kEntries / 4 * 3;
  if (hooks_->sites.used() <= kMany) return;
  uint32_t live = 0;
  SiteMeaning site;
  uint32_t id;
  for (uint32_t place = 0; place < hooks_->sites.used(); place++) {
    live += hooks_->sites.GetAt(hooks_->sites.index(place), &site, &id);
  }
  if (live > kMany) RetireAll();
}

void SiteResolver::RetireAll() {
  RetireIf([](const SiteMeaning&) { return true; }, true);
}

void SiteResolver::NameNew() {
  methods_->NameDeclared();
  const uint64_t added = hooks_->sites.added();
  if (added - named_ > SiteTable::kRecent) named_ = added - SiteTable::kRecent;
  for (; named_ < added; named_++) {
    uint32_t id = hooks_->sites.recent(named_);
    SiteMeaning site;
    if (id != SiteTable::kNoId && hooks_->sites.Get(id, &site)) Resolve(SiteTable::IndexOf(id), site, id, true);
  }
  const uint64_t refused_before = std::exchange(refused_, hooks_->sites.full());
  if (refused_ > refused_before) RetireAll();
}

profile::MethodId SiteResolver::MethodOf(profile::Profile& profile, uint32_t method) {
  if (method == kNativeMethod) return profile.InternMethod("", profile::kNativeCaller, "");
  if (method >= profile_ids_.size()) profile_ids_.resize(method + 1, UINT32_MAX);
  if (profile_ids_[method] == UINT32_MAX) {
    MethodName name = methods_->Name(method);
    profile_ids_[method] =
        profile.InternMethod(profile::StableClassName(std::move(name.class_name)), name.name, name.descriptor);
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

// What every chain was seen to do up to now. Once all is known few sites have news in a second, and walking through all of them was half of what a
// long session costs.
void SiteResolver::AddUp(bool last) {
  counts_ |= hooks_->parameters.exhaustive.load(std::memory_order_relaxed);
  for (uint32_t index : ledger_->TakeTouched()) AddUpSite(index);
  if (!counts_ && !last) return;
  for (uint32_t place = 0; place < hooks_->sites.used(); place++) AddUpSite(hooks_->sites.index(place));
}

void SiteResolver::AddUpSite(uint32_t index) {
  SiteMeaning site;
  uint32_t id;
  if (!hooks_->sites.GetAt(index, &site, &id)) return;
  Meaning& meaning = Resolve(index, site, id, true);
  if (meaning.chain < 0) return TakeInto(index, meaning);
  totals_[meaning.chain].sampled.Add(ledger_->TakeNews(index));
  totals_[meaning.chain].counted += hooks_->sites.TakeCount(index);
}

// The same edge for the rest of the session: looking it up by its methods every time costs more than all else here.
profile::EdgeId SiteResolver::EdgeOf(profile::Profile& profile, size_t chain) {
  if (chain >= edge_ids_.size()) edge_ids_.resize(chains_.size(), kNoEdge);
  if (edge_ids_[chain] == kNoEdge) {
    const Chain& frames = *chains_[chain];
    const profile::MethodId callee = MethodOf(profile, frames[0].first);
    const profile::MethodId caller = MethodOf(profile, frames[1].first);
    edge_ids_[chain] = profile.InternEdge(caller, frames[1].second, callee);
  }
  return edge_ids_[chain];
}

void SiteResolver::AddContext(profile::Profile& profile, const Chain& chain, uint64_t samples, double weight) {
  profile::NodeId node = profile::kRootNode;
  for (size_t frame = chain.size(); frame-- > 0;) {
    int32_t bci = frame + 1 < chain.size() ? chain[frame + 1].second : profile::kNoBci;
    node = profile.InternNode(node, bci, MethodOf(profile, chain[frame].first));
  }
  profile.node(node).samples += samples;
  profile.node(node).calls += weight;
}

void SiteResolver::Fill(profile::Profile& profile, bool last) {
  methods_->NameDeclared();
  MakeRoom();
  AddUp(last);
  for (profile::NodeId node = 0; node < profile.nodes().size(); node++) {
    profile.node(node).samples = 0;
    profile.node(node).calls = 0;
  }
  // A factor that moves a little all the time would have every edge written again every time.
  constexpr double kLittle = 0.05;
  const double exact_scale = ledger_->Scale();
  if (last || std::abs(exact_scale - scale_) > kLittle * scale_) scale_ = exact_scale;
  const double scale = scale_;
  evidence_.assign(evidence_.size(), {});
  edge_samples_.assign(edge_samples_.size(), 0);
  for (size_t i = 0; i < totals_.size(); i++) {
    const BurstLedger::Site& site = totals_[i].sampled;
    uint64_t samples = site.samples + totals_[i].counted;
    if (samples == 0) continue;
    double weight = site.weight * scale + static_cast<double>(samples - site.samples);
    profile::EdgeId edge = EdgeOf(profile, i);
    if (edge >= evidence_.size()) {
      evidence_.resize(edge + 1);
      edge_samples_.resize(edge + 1);
    }
    edge_samples_[edge] += samples;
    evidence_[edge].weight += weight;
    evidence_[edge].variance += ledger_->Variance(site) * scale * scale;
    evidence_[edge].half[0] += site.half[0];
    evidence_[edge].half[1] += site.half[1];
    evidence_[edge].corrected += site.corrected;
    if (depth_ > 2) AddContext(profile, *chains_[i], samples, weight);
  }
  // The estimate costs about as much as all the rest, and a few bursts more do not change it.
  constexpr uint64_t kPart = 20;
  const bool estimates = last || ledger_->bursts() - bursts_estimated_ > bursts_estimated_ / kPart;
  if (estimates) method_ = estimate::MethodErrorAs(MethodErrorNow(), ledger_->corrects());
  for (profile::EdgeId id = 0; id < evidence_.size(); id++) {
    State(profile.edge(id), edge_samples_[id], evidence_[id], ledger_->Finding() * scale, last);
  }
  if (estimates) StateAccuracy(profile);
}

double SiteResolver::MethodErrorNow() const {
  return estimate::MethodErrorFrom(evidence_, ledger_->corrects(), {ledger_->CutShare(), ledger_->RestoredShare()});
}

// An edge without news keeps its error while that changes little: what does not change is not written again.
void SiteResolver::State(profile::Edge& edge, uint64_t samples, const estimate::EdgeEvidence& evidence, double finding,
                         bool last) const {
  constexpr double kLittle = 0.05;
  const double variance = estimate::StatedVariance(evidence.weight, evidence.variance, finding, method_.of_edges);
  const bool news = edge.samples != samples || edge.weight != evidence.weight;
  if (last || news || std::abs(variance - edge.variance) > kLittle * edge.variance) edge.variance = variance;
  edge.samples = samples;
  edge.weight = evidence.weight;
}

void SiteResolver::StateAccuracy(profile::Profile& profile) {
  bursts_estimated_ = ledger_->bursts();
  auto accuracy = estimate::EstimateAccuracy(evidence_, method_.of_accuracy);
  if (!accuracy) return;
  estimate::Record(*accuracy, profile);
  if (!ledger_->corrects() || method_.of_accuracy > estimate::kCorrected.of_accuracy) estimate::RecordMethodError(method_.of_accuracy, profile);
}

}  // namespace assay::sampling
