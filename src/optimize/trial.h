// Whether a change helps, from pairs of runs without and with it taken in turn: the median of the
// ratios with a bootstrap interval, and when to stop. Pure arithmetic, deterministic.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::optimize {

struct Interval {
  double median = 1;
  double low = 0;  // 95 %
  double high = 0;
};

// The bootstrap uses a fixed seed: the same ratios give the same interval.
Interval MedianInterval(const std::vector<double>& ratios);

enum class Verdict { kUndecided, kFaster, kNotFaster };

struct TrialLimits {
  size_t fewest_pairs = 6;
  size_t most_pairs = 30;
  double worthwhile = 1.005;  // a gain below half a percent is none
};

class Trial {
 public:
  explicit Trial(TrialLimits limits = {}) : limits_(limits) {}
  // Costs of one pair of runs, in any unit.
  void Add(double without, double with) { ratios_.push_back(without / with); }
  size_t pairs() const { return ratios_.size(); }
  // Of the speed-ups: 1.1 = 10 % less cost with the change.
  Interval interval() const { return MedianInterval(ratios_); }
  // kFaster when the whole interval is above 1 and the median worthwhile; kNotFaster when the whole
  // interval is below what is worthwhile.
  Verdict verdict() const;
  bool Finished() const;

 private:
  TrialLimits limits_;
  std::vector<double> ratios_;
};

}  // namespace assay::optimize
