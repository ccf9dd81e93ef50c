#include "src/sampling/burst_ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/sampling/site_table.h"

namespace assay::sampling {

void BurstLedger::SetClock(double ns_per_cycle, uint64_t start_tsc) {
  ns_per_cycle_ = ns_per_cycle;
  start_tsc_ = start_tsc;
}

BurstLedger::Site& BurstLedger::site(uint32_t index) {
  return sites_[index];
}

BurstLedger::Site BurstLedger::TakeNews(uint32_t index) {
  Site taken = std::as_const(sites_)[index];
  sites_.Erase(index);
  return taken;
}

BurstLedger::Site BurstLedger::Take(uint32_t index) {
  seen_.Erase(index);
  return TakeNews(index);
}

void BurstLedger::Add(const BurstBlock& block) {
  failed_ += block.failed;
  std::vector<uint32_t>& ids = pieces_[block.thread];
  ids.insert(ids.end(), block.ids, block.ids + std::min<uint32_t>(block.count, BurstBlock::kIds));
  if (!(block.flags & BurstBlock::kLast)) return;
  Finish(block, ids);
  if (ids.capacity() > 4096) {
    pieces_.erase(block.thread);
  } else {
    ids.clear();
  }
  if (pieces_.size() > 4096) pieces_.clear();  // threads that ended long ago
}

void BurstLedger::Calibrate(const BurstBlock& block) {
  constexpr uint32_t kEnoughEvents = 8;
  constexpr double kPart = 0.02;  // of the running medians
  if (block.walk_cycles == 0 && block.events >= kEnoughEvents && block.last_tsc > block.first_tsc) {
    double each = static_cast<double>(block.last_tsc - block.first_tsc) / (block.events - 1);
    event_cycles_ = std::min(event_cycles_, each);
    call_cycles_ *= each > call_cycles_ ? 1 + kPart : 1 - kPart;
    if (call_cycles_ == 0) call_cycles_ = each;
  }
  if (block.cpu_ns != 0 && block.walk_cycles == 0) {
    double span = static_cast<double>(block.last_tsc - block.first_tsc) * ns_per_cycle_;
    if (block.cpu_ns > span) cpu_overhead_ns_ = std::min(cpu_overhead_ns_, block.cpu_ns - span);
  }
  // A running lower quartile: up by one part when below, down by three when above.
  constexpr double kStep = 10, kMost = 5000;
  double latency = static_cast<double>(block.first_tsc - block.tick_tsc);
  latency_cycles_ += latency > latency_cycles_ ? kStep : -3 * kStep;
  latency_cycles_ = std::clamp(latency_cycles_, 0.0, kMost);
  auto interval = static_cast<double>(block.interval_ns);
  if (median_interval_ns_ == 0) {
    median_interval_ns_ = interval;
  } else {
    median_interval_ns_ *= interval > median_interval_ns_ ? 1 + kPart : 1 - kPart;
  }
}

// By the tail: the calls of the burst at the pace of its tail, and the wait for the first of them.
BurstLedger::Pace BurstLedger::MeasureTail(const BurstBlock& block, double hook) const {
  const double in_tail = block.tail_calls, in_all = in_tail + block.events;
  const double span_ns = std::min<double>(block.tail_cycles * ns_per_cycle_, block.tail_cpu_ns);
  const double passage_ns = std::max(span_ns - block.tail_restored * kRestoreCycles * ns_per_cycle_, span_ns / 2) / in_tail;
  // Where little is left when the hook's cost is taken off, a small error in that would decide the whole.
  const double call_ns = std::max({passage_ns - hook * event_cycles_ * ns_per_cycle_, passage_ns / 3, kMinCallNs});
  Pace pace{in_all, in_all * call_ns};
  pace.elapsed += LatencyNs(block);
  return pace;
}

// The calls of the burst, and its tail, at the pace of the whole interval.
BurstLedger::Pace BurstLedger::MeasureByCounter(const BurstBlock& block) const {
  const double events = static_cast<double>(block.tail_calls) + block.events;
  const double call_ns = std::max(static_cast<double>(block.interval_ns) / block.counted_calls, kMinCallNs);
  return {events, events * call_ns + LatencyNs(block)};
}

// From the tick to the first call, as far as it counts.
double BurstLedger::LatencyNs(const BurstBlock& block) const {
  if (correction_ == Correction::kDensity) return 0;
  double latency = (static_cast<double>(block.first_tsc - block.tick_tsc) - latency_cycles_) * ns_per_cycle_;
  if (block.cpu_ns != 0) latency = std::min<double>(latency, block.cpu_ns);
  return std::max(latency, 0.0);
}

void BurstLedger::CompareWithCounter(const BurstBlock& block, double calls) {
  const double x = block.counted_calls;
  both_.n++;
  both_.x += x;
  both_.y += calls;
  both_.xx += x * x;
  both_.yy += calls * calls;
  both_.xy += x * calls;
}

BurstLedger::Comparison BurstLedger::CounterComparison() const {
  const auto& [n, x, y, xx, yy, xy] = both_;
  if (n < 2 || y <= 0) return {};
  const double spread = std::sqrt(std::max(n * xx - x * x, 0.0) * std::max(n * yy - y * y, 0.0));
  return {static_cast<uint64_t>(n), spread > 0 ? (n * xy - x * y) / spread : 0, x / y};
}

BurstLedger::Pace BurstLedger::Measure(const BurstBlock& block) const {
  double gaps = block.events > 0 ? block.events - 1.0 : 0;
  double hook = event_cycles_;
  double between = static_cast<double>(block.last_tsc - block.first_tsc) -
                   static_cast<double>(block.walk_cycles) - gaps * hook;
  Pace pace{gaps, between * ns_per_cycle_};
  if (correction_ != Correction::kDensity) {
    pace.counted += 0.5;
    double latency = static_cast<double>(block.first_tsc - block.tick_tsc) - latency_cycles_;
    pace.elapsed += std::max(latency, 0.0) * ns_per_cycle_;
  }
  if (block.cpu_ns != 0) {
    // Walks are timed by the wall: preempted in one, they would take off more than there is.
    double cpu = std::max(block.cpu_ns - cpu_overhead_ns_, 1.0);
    double own = (static_cast<double>(block.walk_cycles) + block.events * hook) * ns_per_cycle_;
    pace.elapsed = std::min(pace.elapsed, cpu - std::min(own, cpu * 0.8));
  }
  pace.elapsed = std::max(pace.elapsed, pace.counted * kMinCallNs);
  return pace;
}

// In calls per nanosecond; of the burst at hand.
double BurstLedger::HighestRate() const {
  constexpr uint64_t kEnoughBursts = 20;
  if (bursts_ <= kEnoughBursts || interval_ns_ <= 0) return 1 / kMinCallNs;
  double limit = kMaxRate * calls_ / interval_ns_;
  double call_ns = 0;
  for (uint32_t index : sorted_) {
    const Seen& seen = std::as_const(seen_)[index];
    if (seen.samples < kWellKnown) return limit;
    call_ns += seen.call_ns / seen.samples;
  }
  return call_ns > 0 ? std::max(limit, kMaxOwnRate * sorted_.size() / call_ns) : limit;
}

double BurstLedger::EstimateCalls(const BurstBlock& block, const Pace& pace, double highest_rate) const {
  if ((block.flags & BurstBlock::kCut) && complete_samples_ > 0) {
    return std::max<double>(complete_calls_ / complete_samples_ * sorted_.size(), block.events);
  }
  double interval = BoundedInterval(block);
  if (pace.counted <= 0) return std::max<double>(block.events, 1);
  if (interval <= pace.elapsed) return block.events;
  double rate = std::min(pace.counted / pace.elapsed, highest_rate);
  return std::max<double>(rate * interval, block.events);
}

double BurstLedger::BoundedInterval(const BurstBlock& block) const {
  return std::min<double>(block.interval_ns, kMaxInterval * median_interval_ns_);
}

// The calls in the interval of the burst at hand, as its weight and as its part of all calls; and its pace.
double BurstLedger::Estimate(const BurstBlock& block, Pace* pace, double* in_all) {
  *pace = Measure(block);
  const double by_burst = EstimateCalls(block, *pace, HighestRate());
  least_calls_ += by_burst;
  tails_wanted_ += block.tail_wanted;
  *in_all = by_burst * TailRatio(in_all_by_tail_);
  if (block.tail_calls == 0 || (block.flags & BurstBlock::kCut)) {
    return by_counter_ && block.counted_calls > 0 ? EstimateByCounter(block, pace) : by_burst * TailRatio(by_tail_);
  }
  *pace = MeasureTail(block, kTailHook);
  const double by_tail = EstimateCalls(block, *pace, 1 / kMinCallNs);
  *in_all = EstimateCalls(block, MeasureTail(block, kTailHookInAll), 1 / kMinCallNs);
  tails_++;
  by_burst_ += by_burst;
  by_tail_ += by_tail;
  in_all_by_tail_ += *in_all;
  if (block.counted_calls == 0) return by_tail;
  CompareWithCounter(block, *in_all);
  return by_counter_ ? EstimateByCounter(block, pace) : by_tail;
}

double BurstLedger::EstimateByCounter(const BurstBlock& block, Pace* pace) {
  *pace = MeasureByCounter(block);
  return EstimateCalls(block, *pace, 1 / kMinCallNs);
}

// Without correction all bursts weigh the same, as long as ticks follow each other at the same pace. Of a burst whose tick was still on its way when
// the period changed, its interval tells.
double BurstLedger::UncorrectedWeight(const BurstBlock& block) {
  if (block.period_us == 0) return 1;
  if (first_period_us_ == 0) first_period_us_ = block.period_us;
  const double first = first_period_us_;
  return std::min<double>(block.period_us, std::max(first, 2e-3 * block.interval_ns)) / first;
}

void BurstLedger::Finish(const BurstBlock& block, const std::vector<uint32_t>& ids) {
  bursts_++;
  cut_ += (block.flags & BurstBlock::kCut) != 0;
  events_ += block.events;
  samples_ += ids.size();
  Calibrate(block);
  walk_ns_ += block.walk_cycles * ns_per_cycle_;
  passages_ += block.events + block.later_events + block.tail_calls;
  hook_ns_ += KnownHookNs(block);
  sorted_.assign(ids.begin(), ids.end());
  for (uint32_t& id : sorted_) id = SiteTable::IndexOf(id);
  std::sort(sorted_.begin(), sorted_.end());
  Pace pace;
  double in_all;
  double calls = Estimate(block, &pace, &in_all);
  calls_ += calls;
  // If the interval is long because no call ended it, so is the wait in the pace, and the bound does not apply.
  in_all *= std::max<double>(1, block.interval_ns / std::max(BoundedInterval(block), 1.0));
  all_calls_ += in_all;
  all_squares_ += in_all * in_all;
  if (!(block.flags & BurstBlock::kCut)) {
    complete_calls_ += calls;
    complete_samples_ += static_cast<double>(ids.size());
  }
  interval_ns_ += BoundedInterval(block);
  AddTick(block, pace.counted > 0 ? pace.counted / pace.elapsed * 1000 : -1,
          static_cast<uint32_t>(ids.size()));
  const double call_ns = pace.counted > 0 ? pace.elapsed / pace.counted : 0;
  taken_ns_ += TakenBy(block, call_ns);
  if (ids.empty()) return;
  double each = correction_ == Correction::kOff ? UncorrectedWeight(block) : calls / ids.size();
  double all = each * ids.size();
  weighted_samples_ += all;
  weighted_squares_ += all * all;
  for (size_t begin = 0; begin < sorted_.size();) {
    size_t end = begin;
    while (end < sorted_.size() && sorted_[end] == sorted_[begin]) end++;
    double x = each * (end - begin);
    Site& at = site(sorted_[begin]);
    if (at.samples == 0) touched_.push_back(sorted_[begin]);
    at.samples += end - begin;
    at.weight += x;
    at.squares += x * x;
    site_squares_ += x * x;
    at.cross += x * all;
    at.half[bursts_ & 1] += x;
    at.corrected += calls * (end - begin) / ids.size();
    Seen& seen = seen_[sorted_[begin]];
    seen.samples += end - begin;
    seen.call_ns += call_ns * (end - begin);
    begin = end;
  }
}

double BurstLedger::KnownHookNs(const BurstBlock& block) const {
  return (block.events + block.later_events + kTailHook * block.tail_calls) * event_cycles_ * ns_per_cycle_;
}

// `call_ns`: what the program itself needs from call to call. At least what the hook is known to cost.
double BurstLedger::TakenBy(const BurstBlock& block, double call_ns) const {
  constexpr double kMostPassageNs = 300;
  double sampling = static_cast<double>(block.last_tsc - block.first_tsc) * ns_per_cycle_;
  // What is longer was spent elsewhere: off the processor, or without a mark.
  sampling = std::min(sampling, block.walk_cycles * ns_per_cycle_ + block.events * kMostPassageNs);
  if (block.events > 1) sampling *= 1 + static_cast<double>(block.later_events) / (block.events - 1);
  const double tail = std::min<double>({block.tail_cycles * ns_per_cycle_, block.tail_cpu_ns * 1.0, block.tail_calls * kMostPassageNs});
  const double passages = static_cast<double>(block.events) + block.later_events + block.tail_calls;
  return std::max(sampling + tail - passages * call_ns, KnownHookNs(block)) + kAfterBurstNs;
}

void BurstLedger::AddTick(const BurstBlock& block, double density, uint32_t samples) {
  if (bursts_ % tick_every_ != 0) return;
  auto since = [&](uint64_t from, uint64_t to) {
    return to > from ? static_cast<uint64_t>((to - from) * ns_per_cycle_) : 0;
  };
  ticks_.push_back({.thread = block.thread,
                    .time_ns = since(start_tsc_, block.tick_tsc),
                    .latency_ns = since(block.tick_tsc, block.first_tsc),
                    .interval_ns = block.interval_ns,
                    .density = density,
                    .samples = samples});
  if (ticks_.size() < kMaxTicks) return;
  for (size_t i = 0; i < ticks_.size() / 2; i++) ticks_[i] = ticks_[2 * i];
  ticks_.resize(ticks_.size() / 2);
  tick_every_ *= 2;
}

double BurstLedger::Scale() const {
  if (weighted_samples_ == 0 || calls_ == 0) return 1;
  const double total = KnowsTotal() ? all_calls_ : least_calls_;
  return total / (correction_ == Correction::kOff ? weighted_samples_ : calls_);
}

double BurstLedger::TotalError() const {
  return std::hypot(1.96 * std::sqrt(all_squares_) / all_calls_, kTotalMethodError);
}

double BurstLedger::Variance(const Site& site) const {
  if (bursts_ < 2 || weighted_samples_ <= 0) return site.weight * site.weight;
  double count = static_cast<double>(bursts_);
  double share = site.weight / weighted_samples_;
  double sum = site.squares - 2 * share * site.cross + share * share * weighted_squares_;
  // Calls in step with the stride can give the same share in every burst. It is still known to half a
  // sample per burst only.
  auto samples = static_cast<double>(site.samples);
  double each = samples > 0 ? site.weight / samples : 0;
  double least = std::min(samples, count) * each * each / 12;
  return std::max(least, count / (count - 1) * sum);
}

void BurstLedger::Site::Add(const Site& other) {
  samples += other.samples;
  weight += other.weight;
  squares += other.squares;
  cross += other.cross;
  half[0] += other.half[0];
  half[1] += other.half[1];
  corrected += other.corrected;
}

}  // namespace assay::sampling
