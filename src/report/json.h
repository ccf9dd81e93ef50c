// Appends JSON to a string: text of any origin, and numbers in the fewest characters that keep
// their meaning. What it writes never contains <, >, &, U+2028 or U+2029, so it is inert wherever
// in a page it ends up.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::report {

// `text` is UTF-8 or the class file's modified UTF-8 (JVMS 4.4.7); a byte that is neither becomes
// U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Counts come out exact up to 2^53, everything else with `digits` significant digits; what JSON
// cannot say (infinite, not a number) becomes 0.
void AppendJsonNumber(double value, int digits, std::string* out);

inline void AppendJsonInteger(int64_t value, std::string* out) {
  char buffer[24];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// Appends `"key":[v0,v1,...]` for a column of `count` values; `append(i, out)` writes one.
template <typename Append>
void AppendJsonColumn(std::string_view key, size_t count, std::string* out, Append append) {
  AppendJsonString(key, out);
  out->append(":[");
  for (size_t i = 0; i < count; ++i) {
    if (i) out->push_back(',');
    append(i, out);
  }
  out->push_back(']');
}

}  // namespace assay::report
