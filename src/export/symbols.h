// Tables that pprof and OTLP have in common: strings, functions and locations, numbered as they are
// first used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/export/stacks.h"
#include "src/profile/profile.h"

namespace assay::exporting {

class StringTable {
 public:
  StringTable() { Id(""); }
  int64_t Id(std::string_view text);
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  std::unordered_map<std::string, int64_t> ids_;
  std::vector<std::string> strings_;
};

// A function is a method; a location is a method with the bytecode index it is at. Ids start at 1.
class LocationTable {
 public:
  struct Location {
    int64_t function;
    int32_t bci;
    int line;  // of the call, or the method's first line; 0 when unknown
  };
  explicit LocationTable(const profile::Profile& profile)
      : profile_(profile), functions_of_(profile.methods().size(), 0) {}

  int64_t Id(const Frame& frame);
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<profile::MethodId>& functions() const { return functions_; }

 private:
  const profile::Profile& profile_;
  std::vector<int64_t> functions_of_;  // by method id, 0 when not used yet
  std::unordered_map<uint64_t, int64_t> ids_;
  std::vector<Location> locations_;
  std::vector<profile::MethodId> functions_;
};

// The first line of the method in its source; 0 when unknown.
int FirstLine(const profile::Method& method);
// The source file with the path of its package: java/util/HashMap.java; "" when unknown.
std::string SourcePath(const profile::Method& method);
// From the metadata "duration" (seconds, "12.5s") and "start" (2026-11-15T07:43:02Z) in
// nanoseconds; 0 when they are not there.
int64_t DurationNs(const profile::Profile& profile);
int64_t StartUnixNs(const profile::Profile& profile);

}  // namespace assay::exporting
