#include "src/report/json.h"

#include <algorithm>
#include <cmath>

#include "src/base/utf8.h"

namespace assay::report {
namespace {

void AppendEscape(uint32_t unit, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  const char escape[] = {
      '\\',           'u', kHex[unit >> 12 & 15], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15],
      kHex[unit & 15]};
  out->append(escape, sizeof escape);
}

bool NeedsEscape(uint32_t point) {
  return point < 0x20 || point == '"' || point == '\\' || point == '<' || point == '>' ||
         point == '&' || point == 0x2028 || point == 0x2029;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const auto [point, length] = FirstCodePoint(text);
    text.remove_prefix(length);
    if (NeedsEscape(point)) {
      AppendEscape(point, out);
    } else {
      AppendUtf8(point, out);
    }
  }
  out->push_back('"');
}

void AppendJsonNumber(double value, int digits, std::string* out) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  constexpr double kLargest = 1e290;             // so that sums over a whole page stay finite
  value = std::isfinite(value) ? std::clamp(value, -kLargest, kLargest) : 0;
  if (std::fabs(value) < kExact && value == std::trunc(value)) {
    AppendJsonInteger(static_cast<int64_t>(value), out);
    return;
  }
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  out->append(buffer, end.ptr);
}

}  // namespace assay::report
