#include "src/estimate/interval.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace assay::estimate {
namespace {

constexpr double kMostPercent = 1000;

}  // namespace

double StatedVariance(double weight, double variance, double finding, double systematic) {
  if (weight <= 0 || variance <= 0) return 0;
  constexpr double kPrior = 4;  // findings that the average edge's variance is worth
  double findings = weight * weight / variance;
  double mixed = (findings * variance + kPrior * weight * finding) / (findings + kPrior);
  double of_method = MethodDeviation(weight, systematic);
  return mixed + finding * finding + of_method * of_method;
}

double MethodDeviation(double weight, double systematic) {
  constexpr double kNormal95 = 1.96;
  return systematic * (1 + kNormal95 * systematic / 2) * weight;
}

MethodError MethodErrorOf(const profile::Profile& profile) {
  // The values of merged profiles are joined.
  auto has = [&profile](const char* key, const char* value) {
    auto it = profile.metadata.find(key);
    return it != profile.metadata.end() && it->second.find(value) != std::string::npos;
  };
  if (!has("collect", "calls")) return {};
  const bool corrected = !has("correct", "off");
  const MethodError usual = corrected ? kCorrected : kUncorrected;
  auto it = profile.metadata.find("method-error");
  if (it == profile.metadata.end()) return usual;
  const double percent = std::strtod(it->second.c_str(), nullptr);
  if (!(percent > 0 && percent < kMostPercent)) return usual;
  return MethodErrorAs(percent / 100, corrected);
}

MethodError MethodErrorAs(double of_accuracy, bool corrected) {
  const double of_edges = corrected ? std::clamp(of_accuracy, kSystematic, kSystematicUncorrected) : kSystematicUncorrected;
  return {of_edges, of_accuracy};
}

void RecordMethodError(double of_accuracy, profile::Profile& profile) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f", std::min(100 * of_accuracy, kMostPercent - 1));
  profile.metadata["method-error"] = digits;
}

double ChanceVariance(const profile::Edge& edge, double systematic) {
  constexpr double kLeast = 1e-4;  // of what was stated, by a version that allowed for less
  const double of_method = MethodDeviation(edge.weight, systematic);
  return std::max(edge.variance - of_method * of_method, kLeast * edge.variance);
}

void TakeOutMethodError(profile::Profile& profile) {
  const double systematic = MethodErrorOf(profile).of_edges;
  for (profile::EdgeId id = 0; id < profile.edges().size(); id++) {
    profile.edge(id).variance = ChanceVariance(profile.edge(id), systematic);
  }
}

void PutInMethodError(profile::Profile& profile) {
  const double systematic = MethodErrorOf(profile).of_edges;
  for (profile::EdgeId id = 0; id < profile.edges().size(); id++) {
    profile::Edge& edge = profile.edge(id);
    const double of_method = MethodDeviation(edge.weight, systematic);
    if (edge.variance > 0) edge.variance += of_method * of_method;
  }
}

}  // namespace assay::estimate
