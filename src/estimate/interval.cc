#include "src/estimate/interval.h"

namespace assay::estimate {

double StatedVariance(double weight, double variance, double finding, double systematic) {
  if (weight <= 0 || variance <= 0) return 0;
  constexpr double kPrior = 4;  // findings that the average edge's variance is worth
  double findings = weight * weight / variance;
  double mixed = (findings * variance + kPrior * weight * finding) / (findings + kPrior);
  double of_method = systematic * weight;
  return mixed + finding * finding + of_method * of_method;
}

}  // namespace assay::estimate
