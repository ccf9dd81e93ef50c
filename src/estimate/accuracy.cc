#include "src/estimate/accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace assay::estimate {
namespace {

// The mean of |x| where x has this standard deviation.
double MeanOff(double deviation) {
  return std::sqrt(2 / std::numbers::pi) * deviation;
}

// |k - m| expected when k findings were made, unseen edges included; in findings.
double Expected(double k) {
  return std::sqrt(2 * k / std::numbers::pi) * (1 + 1.35 * std::pow(k, -3.9));
}

// |odd - even| expected when k findings divide at random.
double ExpectedSplit(double k) {
  return std::sqrt(2 * k / std::numbers::pi) * (1 + 0.25 * std::pow(k, -3));
}

// Expected(k') of the k' that a run of half the length would have made of k, doubled.
double ExpectedAtHalf(double k) {
  constexpr int kExact = 32;
  static const auto table = [] {
    std::array<double, kExact + 1> made{};
    for (int n = 1; n <= kExact; n++) {
      double chance = std::pow(0.5, n);  // of 0 findings out of n
      for (int left = 1; left <= n; left++) {
        chance *= static_cast<double>(n - left + 1) / left;
        made[n] += 2 * chance * Expected(left);
      }
    }
    return made;
  }();
  if (k >= kExact) return std::numbers::sqrt2 * Expected(k);
  int below = std::max(1, static_cast<int>(k));
  double part = std::clamp(k - below, 0.0, 1.0);
  return table[below] * (1 - part) + table[below + 1] * part;
}

// The part of all calls that correction would give to other edges; negative where that is not known.
double MovedByCorrection(std::span<const EdgeEvidence> edges) {
  double weight = 0, corrected = 0, moved = 0;
  for (const EdgeEvidence& edge : edges) {
    weight += edge.weight;
    corrected += edge.corrected;
  }
  if (weight <= 0 || corrected <= 0) return -1;
  for (const EdgeEvidence& edge : edges) moved += std::abs(edge.weight / weight - edge.corrected / corrected) / 2;
  return moved;
}

}  // namespace

double MethodErrorFrom(std::span<const EdgeEvidence> edges, bool corrected, const Interference& by_vm) {
  // As found on 18 programs with known counts.
  constexpr double kAllCut = 0.35, kRestored = 2.3, kMostRestored = 0.3;
  double missing = std::min(kRestored * by_vm.restored_share, kMostRestored);
  if (!corrected) {
    const double moved = MovedByCorrection(edges);
    if (moved < 0) return kUncorrected.of_accuracy;
    missing = std::hypot(missing, moved, kAllCut * by_vm.cut_share * by_vm.cut_share);
  }
  return std::hypot(kSystematic, 2 * missing / MeanOff(1));
}

double AccuracyLimit(double systematic) {
  return 100 * std::max(0.0, 1 - MeanOff(systematic) / 2);
}

std::optional<Accuracy> EstimateAccuracy(std::span<const EdgeEvidence> edges, double systematic) {
  double total = 0, halves[2] = {0, 0};
  bool sampled = false;
  for (const EdgeEvidence& edge : edges) {
    total += edge.weight;
    halves[0] += edge.half[0];
    halves[1] += edge.half[1];
    sampled |= edge.variance > 0;
  }
  if (total <= 0 || !sampled) return std::nullopt;
  bool split = halves[0] > 0 && halves[1] > 0;

  auto for_each = [&](auto&& visit) {
    for (const EdgeEvidence& edge : edges) {
      if (edge.weight <= 0 || edge.variance <= 0) continue;
      visit(edge, edge.weight / total, std::max(1.0, edge.weight * edge.weight / edge.variance));
    }
  };
  double predicted = 0, disagreement = 0;
  for_each([&](const EdgeEvidence& edge, double share, double k) {
    if (!split) return;
    predicted += 2 * share / k * ExpectedSplit(k);
    disagreement += std::abs(edge.half[0] / halves[0] - edge.half[1] / halves[1]);
  });
  double stratified = predicted > 0 ? std::clamp(disagreement / predicted, 0.25, 2.0) : 1;

  const double of_method = MeanOff(systematic);
  double error = 0, by_chance = 0, at_half = 0, unseen = 0, spread = 0;
  for_each([&](const EdgeEvidence& edge, double share, double k) {
    error += share * std::hypot(stratified * Expected(k) / k, of_method);
    by_chance += share * Expected(k) / k;
    at_half += share * ExpectedAtHalf(k) / k;
    unseen += share * std::exp(1 - k);
    spread += share * share * (stratified * stratified / k + systematic * systematic);
  });
  if (error <= 0) return std::nullopt;
  Accuracy found;
  double missing = std::min(1.0, error / 2);
  found.percent = 100 * (1 - missing);
  found.unseen = 100 * unseen;
  found.limit = AccuracyLimit(systematic);
  found.decay = std::clamp(std::log2(at_half / by_chance), 0.05, 0.5);
  // The scatter of a sum of |errors|, what the approximations above leave open, and that the method's error is
  // anything from nothing to twice what is allowed for, from program to program (docs/05-estimation.md). One that was computed from
  // the profile is known to half of itself.
  constexpr double kModel = 0.2;
  double scatter = 1.96 / 2 * std::sqrt((1 - 2 / std::numbers::pi) * spread);
  const double of_method_points = 100 - found.limit, usual = 100 - AccuracyLimit(kSystematic);
  found.error = std::hypot(100 * scatter, 100 * kModel * missing, std::min(of_method_points, usual + of_method_points / 2));
  return found;
}

std::optional<Accuracy> EstimateAccuracy(const profile::Profile& profile) {
  const MethodError method = MethodErrorOf(profile);
  std::vector<EdgeEvidence> edges;
  edges.reserve(profile.edges().size());
  for (const profile::Edge& edge : profile.edges()) edges.push_back({edge.weight, ChanceVariance(edge, method.of_edges), {}});
  return EstimateAccuracy(edges, method.of_accuracy);
}

std::optional<Accuracy> AccuracyOf(const profile::Profile& profile) {
  // Edges of contexts are activations that ticks have met: how often calls are made is not what they estimate.
  auto collect = profile.metadata.find("collect");
  if (collect != profile.metadata.end() && collect->second == "contexts") return std::nullopt;
  std::optional<Accuracy> found = EstimateAccuracy(profile);
  auto number = [&profile](const char* key, double* value) {
    auto it = profile.metadata.find(key);
    if (it == profile.metadata.end()) return false;
    char* end = nullptr;
    double parsed = std::strtod(it->second.c_str(), &end);
    if (end == it->second.c_str() || !(parsed >= 0 && parsed <= 100)) return false;
    *value = parsed;
    return true;
  };
  double percent;
  if (!found || !number("accuracy", &percent)) return found;
  found->percent = percent;
  number("accuracy-error", &found->error);
  number("accuracy-limit", &found->limit);
  number("unseen", &found->unseen);
  return found;
}

void Record(const Accuracy& accuracy, profile::Profile& profile) {
  auto text = [](double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.2f", value);
    return std::string(digits);
  };
  profile.metadata["accuracy"] = text(accuracy.percent);
  profile.metadata["accuracy-error"] = text(accuracy.error);
  profile.metadata["accuracy-limit"] = text(accuracy.limit);
  profile.metadata["unseen"] = text(accuracy.unseen);
}

double LengthFor(const Accuracy& now, double target_percent) {
  double missing = 100 - now.percent, allowed = std::max(100 - target_percent, 0.01);
  if (missing <= allowed) return 1;
  const double of_method = 100 - now.limit;
  if (allowed <= of_method) return HUGE_VAL;
  auto by_chance = [of_method](double error) { return std::sqrt(std::max(error * error - of_method * of_method, 0.0)); };
  return std::max(1.0, std::pow(by_chance(missing) / by_chance(allowed), 1 / now.decay));
}

}  // namespace assay::estimate
