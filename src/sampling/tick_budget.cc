#include "src/sampling/tick_budget.h"

#include <algorithm>
#include <cmath>

namespace assay::sampling {
namespace {

// Before anything is known, and how many bursts or periods it takes to outweigh that.
constexpr double kFirstPriceNs = 100e3, kFirstYield = 0.6, kFirstWeight = 10;
constexpr double kMemory = 400;  // bursts or periods
// No news before so much was used, or taken.
constexpr double kStepNs = 100e6, kTakenStepNs = 2e6;
// A smaller change is not worth setting the timers of all threads.
constexpr double kLittle = 1.25;

void Blend(double* mean, double* weight, double amount, double count) {
  const double all = *weight + count;
  *mean = (*mean * *weight + amount) / all;
  *weight = std::min(all, kMemory);
}

}  // namespace

TickBudget::TickBudget(double share, double credit_ns, uint64_t shortest_ns)
    : share_(share), credit_ns_(credit_ns), shortest_ns_(std::max(shortest_ns, kShortestNs)),
      price_ns_(kFirstPriceNs), price_weight_(kFirstWeight), yield_(kFirstYield), yield_weight_(kFirstWeight) {
  period_ns_ = static_cast<uint64_t>(Wanted({}));
}

double TickBudget::Wanted(const Usage& usage) const {
  const double left = share_ * (usage.program_ns + credit_ns_) - usage.taken_ns;
  const double rate = std::max(share_ + left / kHorizonNs, share_ / 8) / price_ns_;
  return std::clamp<double>(yield_ / rate, static_cast<double>(shortest_ns_), kLongestNs);
}

void TickBudget::Learn(const Usage& usage) {
  const double bursts = std::max(0.0, static_cast<double>(usage.bursts) - static_cast<double>(before_.bursts));
  Blend(&price_ns_, &price_weight_, std::max(0.0, usage.taken_ns - before_.taken_ns), bursts);
  // The books are estimates: of a program that hardly runs they may say more than the process used.
  const double periods = std::max(0.0, usage.program_ns - before_.program_ns) / static_cast<double>(period_ns_);
  Blend(&yield_, &yield_weight_, bursts, periods);
  before_ = usage;
}

bool TickBudget::Follow(const Usage& usage, bool bursts_suffice) {
  if (usage.program_ns - before_.program_ns < kStepNs && usage.taken_ns - before_.taken_ns < kTakenStepNs) return false;
  Learn(usage);
  double wanted = Wanted(usage);
  if (bursts_suffice) {
    double least = static_cast<double>(kLongestNs) / 4;
    for (uint64_t many : kManyBursts) {
      if (usage.bursts >= many) wanted = std::max(wanted, least);
      least *= 2;
    }
  }
  const double change = wanted / static_cast<double>(period_ns_);
  if (change < kLittle && change > 1 / kLittle) return false;
  period_ns_ = static_cast<uint64_t>(wanted);
  return true;
}

}  // namespace assay::sampling
