#include "src/cli/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/cli/terminal.h"
#include "src/estimate/accuracy.h"
#include "src/profile/aggregate.h"
#include "src/profile/names.h"

namespace assay::cli {
namespace {

// Three significant digits at most.
std::string Digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// java.util.concurrent.Future -> j.u.c.Future
std::string AbbreviatePackages(std::string_view name) {
  std::string out;
  size_t start = 0;
  for (size_t dot; (dot = name.find('.', start)) != std::string_view::npos; start = dot + 1) {
    size_t end = start + 1;
    while (end < dot && (static_cast<uint8_t>(name[end]) & 0xc0) == 0x80) ++end;
    out.append(name.substr(start, end - start)).append(".");
  }
  return out + std::string(name.substr(start));
}

std::string Shorten(const profile::Method& method, const std::string& suffix, int width) {
  std::string class_name = Printable(method.class_name);
  std::string name = Printable(method.name);
  if (class_name.empty()) return ElideLeft(name + suffix, width);
  std::string parameters = Printable(profile::Parameters(method.descriptor));
  std::string simple = class_name.substr(class_name.rfind('.') + 1);
  std::string attempt;
  for (const std::string& front : {class_name, AbbreviatePackages(class_name), simple}) {
    attempt = front + "." + name + parameters + suffix;
    if (DisplayWidth(attempt) <= width) return attempt;
  }
  return ElideLeft(simple + "." + name + suffix, width);
}

}  // namespace

std::string Count(double value) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  if (value >= 999.5e18) return fmt::format("{:.2e}", value);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
  if (unit == 0) {
    bool whole = std::abs(value - std::round(value)) < 1e-9 || value >= 100;
    return whole ? fmt::format("{:.0f}", value) : Digits(value);
  }
  return Digits(value) + kUnits[unit];
}

std::string Percent(double share) {
  double percent = share * 100;
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 2 : 1);
}

std::string Error95(double relative) {
  if (relative <= 0) return "";
  double percent = relative * 100;
  return percent < 0.095 ? "± <0.1 %" : fmt::format("± {:.{}f} %", percent, percent < 9.5 ? 1 : 0);
}

std::string Duration(uint64_t nanoseconds) {
  auto value = static_cast<double>(nanoseconds);
  if (value < 1e3) return fmt::format("{} ns", nanoseconds);
  if (value < 1e6) return Digits(value / 1e3) + " µs";
  if (value < 1e9) return Digits(value / 1e6) + " ms";
  if (value < 120e9) return Digits(value / 1e9) + " s";
  auto seconds = static_cast<uint64_t>(value / 1e9);
  if (seconds < 7200) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::string Bytes(uint64_t bytes) {
  return Count(static_cast<double>(bytes)) + (bytes < 1000 ? " B" : "B");
}

std::string Grouped(uint64_t value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(at, ",");
  return text;
}

std::string ShortMethod(const profile::Profile& profile, profile::MethodId id, int width) {
  if (id == 0) return ElideLeft(profile::kNativeCaller, width);
  return Shorten(profile.method(id), "", width);
}

std::string ShortSite(const profile::Profile& profile, profile::MethodId caller, int32_t bci,
                      int width) {
  if (caller == 0) return ElideLeft(profile::kNativeCaller, width);
  const profile::Method& method = profile.method(caller);
  int line = profile::LineOf(method, bci);
  std::string suffix;
  if (line > 0) {
    suffix = ":" + std::to_string(line);
  } else if (bci >= 0) {
    suffix = "@" + std::to_string(bci);
  }
  return Shorten(method, suffix, width);
}

namespace {

bool Is(const profile::Profile& profile, const char* key, const char* value) {
  auto it = profile.metadata.find(key);
  return it != profile.metadata.end() && it->second == value;
}

bool IsTime(const profile::Profile& profile) { return profile.self_unit == "ns"; }

}  // namespace

std::string CallsText(const profile::Profile& profile, double calls) {
  const std::string text = Count(calls) + " " + CallWord(profile);
  if (!Is(profile, "collect", "calls") || Is(profile, "samples", "all")) return text;
  auto error = profile.metadata.find("calls-total-error");
  return error == profile.metadata.end() ? "at least " + text : "about " + text + " ± " + Printable(error->second);
}

bool MeasuresWork(const profile::Profile& profile) {
  double calls = 0, work = 0;
  for (const profile::Edge& edge : profile::CallEdges(profile)) calls += edge.weight;
  for (const profile::ContextNode& node : profile.nodes()) work += node.self;
  return work > 0 && (calls == 0 || Is(profile, "collect", "contexts"));
}

std::string CallWord(const profile::Profile& profile) {
  return Is(profile, "collect", "contexts") ? "activations" : "calls";
}

std::string WorkText(const profile::Profile& profile, double work) {
  return IsTime(profile) ? Duration(static_cast<uint64_t>(work)) : Count(work);
}

std::string NamedWorkText(const profile::Profile& profile, double work) {
  std::string name = profile.self_unit;
  if (IsTime(profile)) name = Is(profile, "clock", "wall") ? "of time" : "of CPU time";
  return WorkText(profile, work) + " " + name;
}

std::string AccuracyText(const profile::Profile& profile, double target_percent) {
  auto accuracy = estimate::AccuracyOf(profile);
  if (!accuracy) return "";
  // Unasked, what can be had.
  double target = target_percent > 0 ? target_percent : std::floor(std::min(90.0, accuracy->limit - 2));
  double length = estimate::LengthFor(*accuracy, target);
  std::string out = fmt::format("accuracy about {:.1f} % ± {:.1f} (expected overlap with the truth), ",
                                accuracy->percent, accuracy->error);
  if (length <= 1) return out + fmt::format("enough for {:.6g} %", target);
  if (target >= accuracy->limit) {
    return out + fmt::format("{:.6g} % is out of reach of sampling, which has {:.1f} % at most (--collect exact)", target,
                             accuracy->limit);
  }
  if (length > 1000) return out + fmt::format("{:.6g} % needs far more samples", target);
  return out + fmt::format("{:.6g} % needs about {:.{}f} times as many samples", target, length,
                           length < 9.95 ? 1 : 0);
}

}  // namespace assay::cli
