// How often to tick so that sampling takes the share of the program's CPU time that it was given.
//
// What a burst costs depends on the program: on how much code it has, on how many of its calls are met for the first time, on whether
// marks have to be put back, on how often a tick finds nobody in Java. So it is not assumed but learned: what was taken over the bursts
// that it bought, the latest ones counting most. How many bursts a tick brings is learned likewise. The period follows from both, and from
// what is left of the share:
//     rate = (share + left / kHorizon) / price,   left = share * (CPU time + credit) - taken,
// so that after kHorizon of CPU time whatever was taken too much or too little is made up for. The credit lets a program that has just started be
// sampled more densely than it could afford yet, because it may be over soon: once, at the default share, by a tenth of a second.
//
// All times are CPU times since the session began, in nanoseconds. One thread at a time.
#pragma once

#include <cstdint>

namespace assay::sampling {

class TickBudget {
 public:
  struct Usage {
    double program_ns = 0;  // without what was taken
    double taken_ns = 0;    // by sampling, from the program's threads and in Assay's
    uint64_t bursts = 0;
  };

  // `shortest_ns`: kShortestNs if less.
  TickBudget(double share, double credit_ns, uint64_t shortest_ns = kShortestNs);

  uint64_t period_ns() const { return period_ns_; }
  // Whether the period is another one now. `bursts_suffice`: fewer are needed the more there are.
  bool Follow(const Usage& usage, bool bursts_suffice);

  static constexpr uint64_t kShortestNs = 1'000'000, kLongestNs = 64'000'000;
  static constexpr double kHorizonNs = 1e9;
  static constexpr double kCreditNs = 10e9;
  // Bursts after which the period is at least 16, 32 and 64 ms: whoever profiles for minutes and hours pays a part of the share only, and has a profile
  // like that of a short run after seconds.
  static constexpr uint64_t kManyBursts[] = {2000, 2500, 3000};

 private:
  double Wanted(const Usage& usage) const;
  void Learn(const Usage& usage);

  double share_, credit_ns_;
  uint64_t shortest_ns_;
  uint64_t period_ns_;
  Usage before_;
  double price_ns_, price_weight_;  // of a burst; and how many bursts that rests on
  double yield_, yield_weight_;     // bursts per period of CPU time; and how many periods that rests on
};

}  // namespace assay::sampling
