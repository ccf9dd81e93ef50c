// Turns bursts into estimated numbers of calls, with the sums that their error is computed from.
//
// A tick finds a thread at a random moment of its time in Java; the burst that follows counts
// `events` calls from there to its last one. Each burst stands for the thread's time in Java T since
// the burst before. Its estimate of the calls in T is
//     N = (events - 1/2) / C * T,     C = (first call - tick) + time between calls
// ("full": sampling latency is part of C, so code with long gaps between calls is not overrated; the
// half call is the mean distance from the last call but one to the tick), shared equally by the
// burst's samples. "density" leaves the latency out (C from the first call on, events - 1), "off"
// gives every sample of the profile the same weight. A burst that outlasts its interval counts exactly the
// calls that it saw.
//
// Both factors are noisy, and a few extreme products would decide the profile. So each is bounded; the
// bounds were chosen by measurement (docs/05-estimation.md), with most of the error gone and the bias
// programs still right:
// - T by kMaxInterval times the median interval. A longer one is mostly chance (a late ticker, a thread
//   that was away), while a short one has to count: the thread was found again where it just had been.
// - calls per time by kMaxRate times the mean of all bursts, or by kMaxOwnRate times what the sites of
//   this very burst have shown so far, if they are known well: code that is always dense may be so.
// A burst that the VM cut short says when it ended by its last sample only, so its pace is not
// measured: its samples weigh as much as those of complete bursts do in the mean.
//
// Time between calls is the burst's time less the cost of
// our hook: what is known of it, or less where a burst proves it cheaper. (In
// colder code it costs more; taking off too little dampens the correction, too much would make dense bursts
// explode.) A call is taken to need at least kMinCallNs. The latency that arming itself has, the lower quartile of
// those seen, is taken off likewise. A burst that lasted long is timed by the thread's CPU clock, so that being
// preempted does not pass for sparse calls.
//
// That is not enough: in programs with much code a call of a burst takes several times as long as usual, because all that the hook passes
// through has left the caches since the tick before. So a burst is timed by its tail (MeasureTail), where
// the hook's path is warm, and by its own calls only where the VM cut the tail off; such an estimate is multiplied by the mean ratio of the two
// kinds. By its tail a burst's rate needs no bound.
//
// The variance of an edge's weight is that of a sum over B independent bursts, as a share p of all
// calls (the error of their total is the same for all edges and left out):
//     B / (B - 1) * sum of (x - p X)^2,   x and X = the weight of the edge and of all within one burst.
// Neighbouring calls are alike, so counting samples as independent would claim far too much.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/sparse_vector.h"
#include "src/profile/profile.h"
#include "src/sampling/burst.h"

namespace assay::sampling {

enum class Correction { kOff, kDensity, kFull };

class BurstLedger {
 public:
  struct Site {
    uint64_t samples = 0;
    double weight = 0;
    double squares = 0;       // of its weight within a burst
    double cross = 0;         // of that times the weight of the whole burst
    double half[2] = {0, 0};  // the weight from odd and from even bursts
    double corrected = 0;     // the weight with correction, whether or not it is what counts

    void Add(const Site& other);
  };

  void set_correction(Correction correction) { correction_ = correction; }
  // Whether the processor's counter of calls decides, where bursts have one, or their own calls do.
  void set_by_counter(bool by_counter) { by_counter_ = by_counter; }
  // How calls by the counter and by the bursts themselves go together, over all bursts that have both.
  struct Comparison {
    uint64_t bursts = 0;
    double correlation = 0;
    double ratio = 0;  // calls by the counter, over calls by bursts
  };
  Comparison CounterComparison() const;
  bool corrects() const { return correction_ != Correction::kOff; }
  // These two must be set before Add().
  void SetClock(double ns_per_cycle, uint64_t start_tsc);
  // Of one passage of the hook.
  void set_hook_cycles(double cycles) { event_cycles_ = cycles; }

  // The period of the ticks is now so many times what it was.
  void PeriodChanged(double times) { median_interval_ns_ *= times; }

  // Ids are passed on to `site_of`-style arrays by index: entries grow as needed.
  void Add(const BurstBlock& block);

  const SparseVector<Site>& sites() const { return sites_; }
  Site& site(uint32_t index);
  // Sites that bursts have found since they were last taken. One may be named twice.
  std::vector<uint32_t> TakeTouched() { return std::exchange(touched_, {}); }
  // What was added to a site since it was last taken.
  Site TakeNews(uint32_t index);
  // The same of a site that is gone: its place is left empty for a successor.
  Site Take(uint32_t index);

  uint64_t bursts() const { return bursts_; }
  uint64_t cut() const { return cut_; }
  double CutShare() const { return bursts_ > 0 ? static_cast<double>(cut_) / static_cast<double>(bursts_) : 0; }
  uint64_t samples() const { return samples_; }
  uint64_t failed() const { return failed_; }
  uint64_t events() const { return events_; }
  // By MarkKeeper, so far; and as a part of all calls that bursts saw.
  void set_restored(uint64_t marks) { restored_ = marks; }
  double RestoredShare() const { return passages_ > 0 ? static_cast<double>(restored_) / static_cast<double>(passages_) : 0; }
  // All calls that bursts saw, sampled, skipped or counted in a tail.
  uint64_t passages() const { return passages_; }
  double calls() const { return calls_; }
  double hook_ns() const { return hook_ns_; }
  // Of the program's threads, in all: what bursts lasted beyond what their calls need anyway, and what a burst costs before and after.
  double taken_ns() const { return taken_ns_; }
  // Caches and predictors that the program has to fill again (docs/02-call-sampling.md).
  static constexpr double kAfterBurstNs = 50e3;
  // Median time of one call within a burst: the hook and what the program did between calls.
  double call_ns() const { return call_cycles_ * ns_per_cycle_; }
  double walk_ns() const { return walk_ns_; }
  static constexpr double kMinCallNs = 2;
  static constexpr double kMaxInterval = 1.25;
  static constexpr double kMaxRate = 3;
  static constexpr double kMaxOwnRate = 1.5;
  static constexpr uint64_t kWellKnown = 100;  // samples of a site
  // The factor that makes weights numbers of calls.
  double Scale() const;
  // Whether the number of calls in all rests on tails, and the half-width of its 95 % interval then, as a part of it.
  bool KnowsTotal() const { return tails_ >= kEnoughTails && 2 * tails_ >= tails_wanted_; }
  double TotalError() const;
  static constexpr uint64_t kEnoughTails = 10;
  // What a passage of the hook costs in a tail, of what it costs in a burst. In a loop it is predicted by then, and taking off more would
  // make the densest code explode: so it is for weights (CallDensityBias would have less: 0.05; compress more: 0.45). Among much code it is not, which is what the number of calls in all
  // of real programs shows.
  static constexpr double kTailHook = 0.2, kTailHookInAll = 1;
  static constexpr double kTotalMethodError = 0.25;
  // From the VM's taking of a mark (its own work included) until it is back and calls are seen again. Of 0, 1000 and 3000 the best on eight programs
  // with known counts (JDK 17, docs/05-estimation.md).
  static constexpr double kRestoreCycles = 1000;
  // Of `weight` as a share of all, over all bursts.
  double Variance(const Site& site) const;
  // What one burst adds to a site that it finds, in the mean.
  double Finding() const { return weighted_samples_ > 0 ? site_squares_ / weighted_samples_ : 0; }

  // At most kMaxTicks points, evenly thinned.
  static constexpr size_t kMaxTicks = 20000;
  const std::vector<profile::TickPoint>& ticks() const { return ticks_; }

 private:
  void Finish(const BurstBlock& block, const std::vector<uint32_t>& ids);
  void Calibrate(const BurstBlock& block);
  // What a burst measured: `counted` calls in `elapsed` nanoseconds of the program's own time.
  struct Pace {
    double counted, elapsed;
  };
  Pace Measure(const BurstBlock& block) const;
  Pace MeasureTail(const BurstBlock& block, double hook) const;
  Pace MeasureByCounter(const BurstBlock& block) const;
  double LatencyNs(const BurstBlock& block) const;
  double KnownHookNs(const BurstBlock& block) const;
  double TakenBy(const BurstBlock& block, double call_ns) const;
  void CompareWithCounter(const BurstBlock& block, double calls);
  double Estimate(const BurstBlock& block, Pace* pace, double* in_all);
  double EstimateByCounter(const BurstBlock& block, Pace* pace);
  double EstimateCalls(const BurstBlock& block, const Pace& pace, double highest_rate) const;
  double BoundedInterval(const BurstBlock& block) const;
  double TailRatio(double by_tail) const { return tails_ >= kEnoughTails && by_burst_ > 0 ? by_tail / by_burst_ : 1; }
  double HighestRate() const;
  double UncorrectedWeight(const BurstBlock& block);
  void AddTick(const BurstBlock& block, double density, uint32_t samples);

  Correction correction_ = Correction::kFull;
  double ns_per_cycle_ = 0;
  double event_cycles_ = 0;
  double latency_cycles_ = 0;      // of arming
  double cpu_overhead_ns_ = 5000;  // of reading the thread's CPU clock at both ends
  double call_cycles_ = 0;
  uint64_t start_tsc_ = 0;
  struct Seen {
    uint64_t samples = 0;
    double call_ns = 0;  // time per call in its bursts, summed over its samples
  };
  SparseVector<Site> sites_;  // by the site's place in the table, which a hash chose; since they were last taken
  SparseVector<Seen> seen_;   // likewise; all of it
  std::vector<uint32_t> touched_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> pieces_;  // of long bursts, by thread
  std::vector<uint32_t> sorted_;  // site indices of the burst at hand
  uint64_t bursts_ = 0, cut_ = 0, samples_ = 0, failed_ = 0, events_ = 0, passages_ = 0, restored_ = 0;
  double calls_ = 0;
  double complete_calls_ = 0, complete_samples_ = 0;  // of bursts that were not cut
  double interval_ns_ = 0;
  uint64_t tails_ = 0, tails_wanted_ = 0;
  double by_burst_ = 0, by_tail_ = 0;       // calls of bursts with tails, estimated in both ways
  double in_all_by_tail_ = 0;               // the same as by_tail_, as a part of all calls
  double all_calls_ = 0, all_squares_ = 0;  // with whole intervals
  double least_calls_ = 0;                  // by bursts alone: a lower bound
  bool by_counter_ = false;
  // Sums over bursts that have both: x by the counter, y by themselves.
  struct Both {
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  } both_;
  double median_interval_ns_ = 0;
  uint32_t first_period_us_ = 0;
  double hook_ns_ = 0;
  double taken_ns_ = 0;
  double walk_ns_ = 0;
  double weighted_samples_ = 0;  // the weight of all bursts
  double weighted_squares_ = 0;
  double site_squares_ = 0;
  std::vector<profile::TickPoint> ticks_;
  uint64_t tick_every_ = 1;
};

}  // namespace assay::sampling
