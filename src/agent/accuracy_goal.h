// When a session that samples until it is accurate enough is over. Any thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace assay::agent {

// Why it is over, or "": its profile says that the target is reached, or that it will never be. Without correction (JDK 17) what can be reached
// is the program's own and only seen while it runs; a program that is starting gets better by itself.
std::string VerdictOn(double target_percent, const std::map<std::string, std::string>& metadata, std::chrono::nanoseconds age);

}  // namespace assay::agent
