#include "src/export/symbols.h"

#include <algorithm>
#include <cstdlib>

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

int64_t MetadataNumber(const profile::Profile& profile, const std::string& key) {
  auto it = profile.metadata.find(key);
  return it == profile.metadata.end() ? 0 : std::strtoll(it->second.c_str(), nullptr, 10);
}

}  // namespace assay::exporting
