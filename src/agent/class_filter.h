// --include and --exclude: patterns over class names as in source, with * for any text.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "src/agent/options.h"

namespace assay::agent {

class ClassFilter {
 public:
  ClassFilter() = default;
  explicit ClassFilter(const Options& options)
      : include_(options.List("include")), exclude_(options.List("exclude")) {}
  ClassFilter(std::vector<std::string> include, std::vector<std::string> exclude)
      : include_(std::move(include)), exclude_(std::move(exclude)) {}

  // `internal_name` as in class files: java/util/Map.
  bool Wants(std::string_view internal_name) const;

 private:
  std::vector<std::string> include_;
  std::vector<std::string> exclude_;
};

// The filter of the session under way, for class hooks on any thread. A filter that was replaced is not freed:
// a hook may be using it, and there is one per session.
class FilterInUse {
 public:
  void Set(const Options& options) { filter_.store(new ClassFilter(options)); }
  bool Wants(std::string_view internal_name) const {
    const ClassFilter* filter = filter_.load(std::memory_order_acquire);
    return filter == nullptr || filter->Wants(internal_name);
  }

 private:
  std::atomic<const ClassFilter*> filter_{nullptr};
};

}  // namespace assay::agent
