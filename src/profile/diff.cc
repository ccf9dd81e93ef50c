#include "src/profile/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/profile/aggregate.h"

namespace assay::profile {
namespace {

Difference Make(const char* elements, std::string measure, Paired paired,
                const DiffOptions& options) {
  Difference result;
  result.elements = elements;
  result.measure = std::move(measure);
  for (double value : paired.a) result.total_before += value;
  for (double value : paired.b) result.total_after += value;
  if (options.shares && result.total_after > 0) {
    double scale = result.total_before / result.total_after;
    for (double& value : paired.b) value *= scale;
    result.total_after = result.total_before;
  }
  for (uint32_t id = 0; id < paired.a.size(); ++id) {
    double delta = paired.b[id] - paired.a[id];
    if (delta == 0) continue;
    double noise = 1.96 * std::sqrt(std::max(0.0, paired.variance[id]));
    result.changes.push_back({id, paired.a[id], paired.b[id], std::abs(delta) > noise});
  }
  std::sort(result.changes.begin(), result.changes.end(), [](const Change& x, const Change& y) {
    double dx = std::abs(x.Delta()), dy = std::abs(y.Delta());
    return dx != dy ? dx > dy : x.id < y.id;
  });
  result.paired = std::move(paired);
  return result;
}

}  // namespace

double Difference::Relative(double delta) const {
  if (delta == 0) return 0;
  if (total_before > 0) return delta / total_before;
  return std::numeric_limits<double>::infinity();
}

std::vector<Difference> Diff(const Profile& before, const Profile& after,
                             const DiffOptions& options) {
  std::vector<Difference> all;
  all.push_back(Make("edges", "calls", PairCallSites(before, after), options));
  all.push_back(Make("methods", "calls", PairMethods(before, after), options));
  bool contexts = HasContexts(before) && HasContexts(after);
  if (contexts) {
    Paired calls = PairContexts(before, after, ContextValue::kCalls);
    all.push_back(Make("contexts", "calls", std::move(calls), options));
  }
  if (contexts && ComparableSelf(before, after)) {
    std::string unit = before.self_unit.empty() ? "own work" : before.self_unit;
    all.push_back(Make("methods", unit, PairMethodSelf(before, after), options));
    Paired self = PairContexts(before, after, ContextValue::kSelf);
    all.push_back(Make("contexts", unit, std::move(self), options));
  }
  return all;
}

std::vector<Culprit> OverLimit(const std::vector<Difference>& differences, double limit) {
  std::vector<Culprit> culprits;
  for (const Difference& difference : differences) {
    if (difference.Growth() > limit) {
      culprits.push_back({&difference, Culprit::kTotal, difference.total_before,
                          difference.total_after, difference.Growth()});
    }
    for (const Change& change : difference.changes) {
      double growth = difference.Growth(change);
      if (std::abs(growth) <= limit) break;  // largest first
      if (growth > limit && change.significant) {
        culprits.push_back({&difference, change.id, change.before, change.after, growth});
      }
    }
  }
  return culprits;
}

}  // namespace assay::profile
