// What instructions of each class cost, from programs of which both the number of instructions per
// class and the time are known. Pure; any thread.
//
// Costs are not negative, and the sum of squared relative errors is least: a program that runs for
// a second is not worth more than one that runs for a millisecond. The error is that of programs
// that were not used: each one's time is predicted from a fit to all the others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/base/result.h"

namespace assay::estimate {

struct CostSample {
  std::string name;
  std::vector<double> counts;  // instructions executed, by class
  double time = 0;
};

struct CostFit {
  std::vector<double> costs;      // time of one instruction, by class
  std::vector<uint32_t> weights;  // the same in whole numbers of `unit`, at most most_weight
  double unit = 0;                // the time that weight 1 stands for
  std::vector<double> left_out;   // by sample: predicted from the others over measured, minus 1
  std::vector<double> uniform;    // the same when every instruction costs the same
};

// The weights are as small as they can be without changing what is predicted by more than 1 % (root
// of the mean square), or the best there are.
Result<CostFit> FitCosts(std::span<const CostSample> samples, uint32_t most_weight);

// The median of their absolute values.
double TypicalError(std::vector<double> errors);

}  // namespace assay::estimate
