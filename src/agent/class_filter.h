// --include and --exclude: patterns over class names as in source, with * for any text.
#pragma once

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

}  // namespace assay::agent
