#include "src/profile/merge_metadata.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace assay::profile {
namespace {

constexpr std::string_view kJoin = " + ";
constexpr char kTotalError[] = "calls-total-error";

constexpr std::string_view kCounts[] = {
    // calls
    "ticks", "ticks-in-java", "bursts", "burst-samples", "burst-events", "burst-passages", "walks",
    "interpreted-callers", "vm-passes", "marks-restored", "osr-entries", "walk-ms", "hook-ms",
    // contexts
    "signals", "walks-to-the-mark", "walks-whole", "frames-walked", "marks-lost", "marks-passed",
    "samples-at-return", "oracle-walks", "oracle-ms", "assay-cpu-ms", "samples-taken", "time-ms",
    "contexts-made", "activations-seen", "walks-compared", "walks-not-compared",
    "walks-compared-in-part", "walks-that-differ",
    // bytecodes
    "bytecodes"};
constexpr std::string_view kShares[] = {"interpreted-time", "overhead-taken"};
constexpr std::string_view kLargest[] = {"contexts-held", "contexts-kb", "inlined-call-sites",
                                         "method-error"};
// Whoever can estimates those of the accuracy anew from the merged edges.
constexpr const char* kOfEach[] = {"accuracy",
                                   "accuracy-error",
                                   "accuracy-limit",
                                   "unseen",
                                   "split-half-overlap",
                                   "oracle-median-ns",
                                   "walk-median-ns",
                                   "ns-per-call-in-burst",
                                   "counter-correlation",
                                   "counter-over-bursts"};

template <size_t N>
bool IsOneOf(const std::string_view (&keys)[N], std::string_view key) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

template <typename Number>
std::optional<Number> Parse(std::string_view text) {
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, format, values...);
  return {text, std::min(static_cast<size_t>(length), sizeof text - 1)};
}

// "12.5s" in nanoseconds, whole ones so that sums do not depend on their order; and back.
int64_t Nanoseconds(const std::string& seconds) {
  double value = strtod(seconds.c_str(), nullptr) * 1e9;
  return value > 0 && value < 9e18 ? static_cast<int64_t>(value + 0.5) : 0;
}

std::string Seconds(int64_t nanoseconds) {
  std::string out = Format("%lld.%09llds", static_cast<long long>(nanoseconds / 1000000000),
                           static_cast<long long>(nanoseconds % 1000000000));
  out.erase(out.find_last_not_of("0s") + 1);
  if (out.back() == '.') out.pop_back();
  return out + "s";
}

std::string JoinDistinct(const std::string& a, const std::string& b) {
  std::set<std::string> parts;
  for (const std::string* text : {&a, &b}) {
    size_t start = 0, end;
    while ((end = text->find(kJoin, start)) != std::string::npos) {
      parts.insert(text->substr(start, end - start));
      start = end + kJoin.size();
    }
    parts.insert(text->substr(start));
  }
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : kJoin), joined += part;
  return joined;
}

std::optional<std::string> Sum(const std::string& a, const std::string& b) {
  if (auto x = Parse<uint64_t>(a), y = Parse<uint64_t>(b); x && y) return std::to_string(*x + *y);
  if (auto x = Parse<double>(a), y = Parse<double>(b); x && y) return Format("%.6f", *x + *y);
  return std::nullopt;
}

std::optional<std::string> Larger(const std::string& a, const std::string& b) {
  auto x = Parse<double>(a), y = Parse<double>(b);
  if (!x || !y) return std::nullopt;
  return *x < *y ? b : a;
}

// "6.69 % of 1.4 s", "12.0 % of 340 looks".
struct Share {
  double percent;
  double whole;
  std::string unit;
};

std::optional<Share> ParseShare(const std::string& text) {
  Share share;
  int unit = 0;
  if (std::sscanf(text.c_str(), "%lf %% of %lf %n", &share.percent, &share.whole, &unit) != 2 ||
      unit == 0)
    return std::nullopt;
  share.unit = text.substr(static_cast<size_t>(unit));
  return share;
}

std::optional<std::string> SumOfShares(const std::string& a, const std::string& b) {
  auto x = ParseShare(a), y = ParseShare(b);
  if (!x || !y || x->unit != y->unit) return std::nullopt;
  const double whole = x->whole + y->whole;
  const double percent = whole > 0 ? (x->percent * x->whole + y->percent * y->whole) / whole : 0;
  return Format("%.2f %% of %.10g ", percent, whole) + x->unit;
}

std::string MergeValue(const std::string& key, const std::string& a, const std::string& b) {
  if (key == "duration") return Seconds(Nanoseconds(a) + Nanoseconds(b));
  if (key == "start") return std::min(a, b);
  std::optional<std::string> merged;
  if (IsOneOf(kCounts, key)) merged = Sum(a, b);
  if (IsOneOf(kShares, key)) merged = SumOfShares(a, b);
  if (IsOneOf(kLargest, key)) merged = Larger(a, b);
  if (merged) return *merged;
  return a == b ? a : JoinDistinct(a, b);
}

uint64_t Profiles(const Profile& profile) {
  auto it = profile.metadata.find("profiles");
  return it == profile.metadata.end() ? 1 : Parse<uint64_t>(it->second).value_or(1);
}

std::optional<std::string> TotalError(const Profile& a, const Profile& b) {
  double squares = 0, total = 0;
  for (const Profile* profile : {&a, &b}) {
    const double calls = profile->TotalEdgeWeight();
    if (calls <= 0) continue;
    auto percent = profile->metadata.find(kTotalError);
    if (percent == profile->metadata.end()) return std::nullopt;
    const double error = strtod(percent->second.c_str(), nullptr) * calls;
    squares += error * error;
    total += calls;
  }
  if (total <= 0) return std::nullopt;
  return Format("%.4f %%", std::sqrt(squares) / total);
}

}  // namespace

void MergeMetadata(Profile& into, const Profile& from) {
  const std::optional<std::string> total_error = TotalError(into, from);
  const uint64_t count = Profiles(into) + Profiles(from);
  for (const auto& [key, value] : from.metadata) {
    auto [it, added] = into.metadata.try_emplace(key, value);
    if (!added) it->second = MergeValue(key, it->second, value);
  }
  into.metadata["profiles"] = std::to_string(count);
  for (const char* key : kOfEach) into.metadata.erase(key);
  into.metadata.erase(kTotalError);
  if (total_error) into.metadata[kTotalError] = *total_error;
}

}  // namespace assay::profile
