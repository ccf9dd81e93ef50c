#include "src/agent/class_filter.h"

#include <algorithm>

namespace assay::agent {
namespace {

bool SameCharacter(char pattern, char name) {
  return pattern == name || (pattern == '.' && name == '/');
}

// Greedy with one point to return to: linear in practice, quadratic at worst.
bool Matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && SameCharacter(pattern[p], name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool AnyMatches(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return Matches(pattern, name); });
}

}  // namespace

bool ClassFilter::Wants(std::string_view internal_name) const {
  if (!include_.empty() && !AnyMatches(include_, internal_name)) return false;
  return !AnyMatches(exclude_, internal_name);
}

}  // namespace assay::agent
