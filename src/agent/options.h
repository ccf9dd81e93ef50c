// The one vocabulary of options: the same names on the command line (--tick 4ms), in the agent
// string (-agentpath:libassay.so=tick=4ms,...) and in a profile's metadata. The table in options.cc
// is the only place where an option is declared.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace assay::agent {

enum class OptionKind {
  kText,
  kCount,     // a non-negative integer; 1k, 10M accepted
  kCountAll,  // the same, or "all"
  kDuration,  // 250us, 4ms, 10s, 2m; stored as given
  kPercent,   // 1 or 1%
  kFlag,      // true/false
  kChoice,    // one of `choices`
  kList,      // items separated by ':' in the agent string, by ',' on the command line
};

struct OptionSpec {
  std::string_view name;
  OptionKind kind;
  std::string_view default_value;  // "" = not set
  std::string_view choices;        // for kChoice: "a|b|c"
  std::string_view collectors;     // where it applies: "calls,contexts"; "" = everywhere
  std::string_view help;
};

std::span<const OptionSpec> AllOptions();
const OptionSpec* FindOption(std::string_view name);

class Options {
 public:
  // Parses "name=value,name=value". The error names the bad option and what is accepted.
  static Result<Options> Parse(std::string_view text);

  // Validates and sets one option.
  Status Set(std::string_view name, std::string_view value);
  bool IsSet(std::string_view name) const { return values_.contains(std::string(name)); }

  // The value given, or the default.
  std::string Text(std::string_view name) const;
  uint64_t Count(std::string_view name) const;  // kCountAll: UINT64_MAX for "all"
  uint64_t Nanoseconds(std::string_view name) const;
  double Percent(std::string_view name) const;
  bool Flag(std::string_view name) const;
  std::vector<std::string> List(std::string_view name) const;

  // The agent string that Parse() reads back; only what was set.
  std::string ToString() const;
  // The same with one option not set.
  Options Without(std::string_view name) const;
  // Takes over everything that `newer` sets.
  void Update(const Options& newer);
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::map<std::string, std::string> values_;
};

Result<uint64_t> ParseDuration(std::string_view text);  // in nanoseconds
Result<uint64_t> ParseCount(std::string_view text);

}  // namespace assay::agent
