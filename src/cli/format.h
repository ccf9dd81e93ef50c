// Figures and names for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/profile/profile.h"

namespace assay::cli {

std::string Count(double value);             // 950, 12.3 k, 4.56 M, 7.8 G
std::string Percent(double share);           // 0.1234 -> "12.3 %"
std::string Error95(double relative);        // "± 2 %"; "" when exact
std::string Duration(uint64_t nanoseconds);  // 4 ms, 1.5 s
std::string Bytes(uint64_t bytes);           // 12.3 MB
std::string Grouped(uint64_t value);         // 1,234,567

// The method in at most `width` columns: java.util.HashMap.get(Object), then
// j.u.HashMap.get(Object), HashMap.get(Object), HashMap.get, and at last its end.
std::string ShortMethod(const profile::Profile& profile, profile::MethodId id, int width);
// The same with the place of the call: ":line" when known, otherwise "@bci".
std::string ShortSite(const profile::Profile& profile, profile::MethodId caller, int32_t bci,
                      int width);

// "2.73 M calls"; "about 2.73 M calls ± 24 %" when bursts were sampled; "at least ..." when too few of them had a tail: what the hook
// itself takes of their time then makes the total too low (docs/05-estimation.md). Shares and their errors are not touched by it.
std::string CallsText(const profile::Profile& profile, double calls);

// What the profile is about is work by context, bytecodes or time: there are no calls in it, or only the activations that
// ticks have met (P4).
bool MeasuresWork(const profile::Profile& profile);
// "calls", or "activations" where only those are known that ticks have met.
std::string CallWord(const profile::Profile& profile);
// Of the work: "150 M", "43.2 ms"; with its name: "150 M bytecodes", "2.36 s of CPU time".
std::string WorkText(const profile::Profile& profile, double work);
std::string NamedWorkText(const profile::Profile& profile, double work);

// "accuracy 88.2 % ± 1.5 (estimated...), enough for 80 %" or how much longer for it (95 when the target
// is 0); "" for profiles whose figures are exact.
std::string AccuracyText(const profile::Profile& profile, double target_percent);

}  // namespace assay::cli
