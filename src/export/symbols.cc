#include "src/export/symbols.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "src/profile/aggregate.h"

namespace assay::exporting {

int64_t StringTable::Id(std::string_view text) {
  auto [it, added] = ids_.try_emplace(std::string(text), static_cast<int64_t>(strings_.size()));
  if (added) strings_.emplace_back(text);
  return it->second;
}

int64_t LocationTable::Id(const Frame& frame) {
  uint64_t key = static_cast<uint64_t>(frame.method) << 32 | static_cast<uint32_t>(frame.bci);
  auto [it, added] = ids_.try_emplace(key, static_cast<int64_t>(locations_.size() + 1));
  if (!added) return it->second;
  int64_t& function = functions_of_[frame.method];
  if (function == 0) {
    functions_.push_back(frame.method);
    function = static_cast<int64_t>(functions_.size());
  }
  const profile::Method& method = profile_.method(frame.method);
  int line = profile::LineOf(method, frame.bci);
  locations_.push_back({function, frame.bci, line > 0 ? line : FirstLine(method)});
  return it->second;
}

int FirstLine(const profile::Method& method) {
  int first = 0;
  for (const profile::LineEntry& entry : method.lines) {
    if (first == 0 || entry.line < first) first = entry.line;
  }
  return first;
}

std::string SourcePath(const profile::Method& method) {
  if (method.source_file.empty()) return "";
  size_t dot = method.class_name.rfind('.');
  if (dot == std::string::npos) return method.source_file;
  std::string path = method.class_name.substr(0, dot + 1);
  std::replace(path.begin(), path.end(), '.', '/');
  return path + method.source_file;
}

int64_t DurationNs(const profile::Profile& profile) {
  auto it = profile.metadata.find("duration");
  if (it == profile.metadata.end()) return 0;
  double seconds = std::strtod(it->second.c_str(), nullptr);
  return seconds > 0 ? Rounded(seconds * 1e9) : 0;
}

int64_t StartUnixNs(const profile::Profile& profile) {
  auto it = profile.metadata.find("start");
  std::tm time{};
  if (it == profile.metadata.end()) return 0;
  if (strptime(it->second.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) return 0;
  return static_cast<int64_t>(timegm(&time)) * 1000000000;
}

}  // namespace assay::exporting
