// Non-negative least squares by coordinate descent on the normal equations (Franc, Hlavac and
// Navara, "Sequential coordinate-wise algorithm for the non-negative least squares problem", CAIP
// 2005): with two dozen classes it is a few lines, needs no decomposition, and takes classes that
// always occur together as they come.
#include "src/estimate/cost_fit.h"

#include <algorithm>
#include <cmath>

namespace assay::estimate {
namespace {

constexpr int kMostSweeps = 20000;
constexpr double kSettled = 1e-10;
constexpr double kRidge = 1e-9;  // makes the answer the only one where classes occur together
constexpr double kRoundingAllowed = 0.01;
constexpr double kFinestUnit = 1e-7;
constexpr double kUnitStep = 1.02;

constexpr size_t kNone = ~size_t{0};

using Vector = std::vector<double>;

double Predict(const CostSample& sample, const Vector& costs) {
  double time = 0;
  for (size_t c = 0; c < costs.size(); ++c) time += sample.counts[c] * costs[c];
  return time;
}

// Every count is divided by the time, so that what is to be matched is 1.
Vector Solve(std::span<const CostSample> samples, size_t without) {
  const size_t classes = samples[0].counts.size();
  std::vector<Vector> matrix(classes, Vector(classes));
  Vector target(classes);
  for (size_t s = 0; s < samples.size(); ++s) {
    if (s == without) continue;
    const Vector& counts = samples[s].counts;
    const double time = samples[s].time;
    for (size_t i = 0; i < classes; ++i) {
      target[i] += counts[i] / time;
      for (size_t k = 0; k < classes; ++k) matrix[i][k] += counts[i] * counts[k] / (time * time);
    }
  }
  Vector costs(classes);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double change = 0;
    for (size_t i = 0; i < classes; ++i) {
      const double own = matrix[i][i] * (1 + kRidge);
      if (own == 0) continue;  // never executed
      double rest = target[i];
      for (size_t k = 0; k < classes; ++k) rest -= k == i ? 0 : matrix[i][k] * costs[k];
      const double next = std::max(0.0, rest / own);
      change = std::max(change, std::abs(next - costs[i]) * std::sqrt(own));
      costs[i] = next;
    }
    if (change < kSettled) break;
  }
  return costs;
}

std::vector<uint32_t> Round(const Vector& costs, double unit, uint32_t most) {
  std::vector<uint32_t> weights;
  for (double cost : costs) {
    weights.push_back(static_cast<uint32_t>(std::min<double>(most, std::round(cost / unit))));
  }
  return weights;
}

Vector InUnits(const std::vector<uint32_t>& weights, double unit) {
  Vector costs;
  for (uint32_t weight : weights) costs.push_back(weight * unit);
  return costs;
}

double RoundingError(std::span<const CostSample> samples, const Vector& costs,
                     const Vector& rounded) {
  double squares = 0;
  for (const CostSample& sample : samples) {
    const double change = (Predict(sample, rounded) - Predict(sample, costs)) / sample.time;
    squares += change * change;
  }
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

double ChooseUnit(std::span<const CostSample> samples, const Vector& costs, uint32_t most_weight) {
  const double largest = *std::max_element(costs.begin(), costs.end());
  double best = largest, least = HUGE_VAL;
  for (double unit = largest; unit > largest * kFinestUnit; unit /= kUnitStep) {
    const double error =
        RoundingError(samples, costs, InUnits(Round(costs, unit, most_weight), unit));
    if (error < least) {
      best = unit;
      least = error;
    }
    if (error <= kRoundingAllowed) break;
  }
  return best;
}

Vector UniformErrors(std::span<const CostSample> samples) {
  std::vector<CostSample> totals;
  for (const CostSample& sample : samples) {
    double sum = 0;
    for (double count : sample.counts) sum += count;
    totals.push_back({sample.name, {sum}, sample.time});
  }
  Vector errors;
  for (size_t s = 0; s < totals.size(); ++s) {
    errors.push_back(Predict(totals[s], Solve(totals, s)) / totals[s].time - 1);
  }
  return errors;
}

Status Check(std::span<const CostSample> samples) {
  if (samples.size() < 2) return Error{"costs cannot be fitted to fewer than two programs"};
  for (const CostSample& sample : samples) {
    if (!(sample.time > 0)) return Error{sample.name + " has no time"};
    if (sample.counts.size() != samples[0].counts.size()) {
      return Error{sample.name + " has another number of classes"};
    }
  }
  return {};
}

}  // namespace

Result<CostFit> FitCosts(std::span<const CostSample> samples, uint32_t most_weight) {
  ASSAY_TRY(Check(samples));
  CostFit fit;
  fit.costs = Solve(samples, kNone);
  if (std::all_of(fit.costs.begin(), fit.costs.end(), [](double cost) { return cost <= 0; })) {
    return Error{"no class of instructions explains the time"};
  }
  fit.unit = ChooseUnit(samples, fit.costs, most_weight);
  fit.weights = Round(fit.costs, fit.unit, most_weight);
  for (size_t s = 0; s < samples.size(); ++s) {
    const Vector others = InUnits(Round(Solve(samples, s), fit.unit, most_weight), fit.unit);
    fit.left_out.push_back(Predict(samples[s], others) / samples[s].time - 1);
  }
  fit.uniform = UniformErrors(samples);
  return fit;
}

double TypicalError(std::vector<double> errors) {
  if (errors.empty()) return 0;
  for (double& error : errors) error = std::abs(error);
  std::nth_element(errors.begin(), errors.begin() + errors.size() / 2, errors.end());
  return errors[errors.size() / 2];
}

}  // namespace assay::estimate
