#include "src/profile/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/profile/aggregate.h"
#include "src/profile/hidden_classes.h"
#include "src/profile/pairing.h"

namespace assay::profile {
namespace {

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

double Overlap(const Paired& paired) {
  double total_a = Sum(paired.a), total_b = Sum(paired.b);
  if (total_a <= 0 || total_b <= 0) return total_a <= 0 && total_b <= 0 ? 100 : 0;
  double overlap = 0;
  for (size_t i = 0; i < paired.a.size(); ++i) {
    overlap += std::min(paired.a[i] / total_a, paired.b[i] / total_b);
  }
  return std::min(100.0, 100 * overlap);
}

// Over `count` elements, which may be more than have values (context node 0 is none).
double Correlation(const Paired& paired, size_t count) {
  double mean_a = Sum(paired.a) / count, mean_b = Sum(paired.b) / count;
  size_t absent = paired.a.size() - count;  // elements that do not exist but have a slot, value 0
  double aa = 0, bb = 0, ab = 0;
  for (size_t i = absent; i < paired.a.size(); ++i) {
    double da = paired.a[i] - mean_a, db = paired.b[i] - mean_b;
    aa += da * da;
    bb += db * db;
    ab += da * db;
  }
  // A constant profile has no correlation; rounding must not make one up.
  double tiny = 1e-24 * count;
  if (aa <= tiny * mean_a * mean_a || bb <= tiny * mean_b * mean_b) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

Likeness Measure(const Paired& paired, size_t not_elements) {
  Likeness result;
  result.overlap = Overlap(paired);
  result.correlation = Correlation(paired, paired.a.size() - not_elements);
  for (size_t i = 0; i < paired.a.size(); ++i) {
    bool in_a = paired.a[i] > 0, in_b = paired.b[i] > 0;
    result.common += in_a && in_b;
    result.only_a += in_a && !in_b;
    result.only_b += in_b && !in_a;
  }
  return result;
}

Comparison CompareSeen(const Profile& a, const Profile& b) {
  Comparison result;
  result.call_sites = Measure(PairCallSites(a, b), 0);
  result.methods = Measure(PairMethodEdges(a, b), 0);
  if (HasContexts(a) && HasContexts(b)) {
    result.context_calls = Measure(PairContexts(a, b, ContextValue::kCalls), 1);
    if (ComparableSelf(a, b)) {
      result.context_self = Measure(PairContexts(a, b, ContextValue::kSelf), 1);
    }
    result.contexts = result.context_self ? result.context_self : result.context_calls;
  }
  return result;
}

}  // namespace

Comparison Compare(const Profile& a, const Profile& b) {
  if (IsFromRewriting(a) != IsFromRewriting(b)) {
    return IsFromRewriting(a) ? CompareSeen(a, WithoutHiddenClasses(b)) : CompareSeen(WithoutHiddenClasses(a), b);
  }
  return CompareSeen(a, b);
}

}  // namespace assay::profile
