#include "src/optimize/trial.h"

#include <algorithm>
#include <random>

namespace assay::optimize {
namespace {

double Median(std::vector<double>& values) {
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle), values.end());
  double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (upper +
          *std::max_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle))) /
         2;
}

}  // namespace

Interval MedianInterval(const std::vector<double>& ratios) {
  if (ratios.empty()) return {};
  constexpr size_t kResamples = 2000;
  std::mt19937_64 random(1);
  std::vector<double> medians;
  std::vector<double> sample(ratios.size());
  for (size_t i = 0; i < kResamples; ++i) {
    for (double& value : sample) value = ratios[random() % ratios.size()];
    medians.push_back(Median(sample));
  }
  std::sort(medians.begin(), medians.end());
  Interval interval;
  std::vector<double> all = ratios;
  interval.median = Median(all);
  interval.low = medians[kResamples / 40];
  interval.high = medians[kResamples - 1 - kResamples / 40];
  return interval;
}

Verdict Trial::verdict() const {
  if (ratios_.size() < limits_.fewest_pairs) return Verdict::kUndecided;
  Interval seen = interval();
  if (seen.low > 1 && seen.median >= limits_.worthwhile) return Verdict::kFaster;
  if (seen.high < limits_.worthwhile) return Verdict::kNotFaster;
  return Verdict::kUndecided;
}

bool Trial::Finished() const {
  return ratios_.size() >= limits_.most_pairs || verdict() != Verdict::kUndecided;
}

}  // namespace assay::optimize
