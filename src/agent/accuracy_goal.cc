#include "src/agent/accuracy_goal.h"

#include <cstdio>
#include <cstdlib>

namespace assay::agent {

std::string VerdictOn(double target_percent, const std::map<std::string, std::string>& metadata, std::chrono::nanoseconds age) {
  constexpr double kLittle = 1.2;  // times what will stay missing: sampling on would change little
  constexpr std::chrono::seconds kStarting(20);
  auto stated = metadata.find("accuracy"), most = metadata.find("accuracy-limit");
  if (stated == metadata.end() || most == metadata.end()) return "";
  const double percent = std::strtod(stated->second.c_str(), nullptr), limit = std::strtod(most->second.c_str(), nullptr);
  if (percent >= target_percent) return "estimated accuracy " + stated->second + " % reached";
  if (age < kStarting || limit > target_percent || 100 - percent > kLittle * (100 - limit)) return "";
  char target[32];
  std::snprintf(target, sizeof target, "%.6g", target_percent);
  return std::string(target) + " % is out of reach of sampling in this program, which has " + most->second + " % at most";
}

}  // namespace assay::agent
