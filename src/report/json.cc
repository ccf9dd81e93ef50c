#include "src/report/json.h"

#include <algorithm>
#include <cmath>

namespace assay::report {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

// Reads one code point at `*at`. Accepts what modified UTF-8 adds to UTF-8: C0 80 for U+0000 and
// surrogates as three bytes each, which the caller passes on as they are.
uint32_t NextCodePoint(std::string_view text, size_t* at) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const size_t i = *at;
  const uint32_t first = byte(i);
  if (first < 0x80) {
    *at = i + 1;
    return first;
  }
  if ((first & 0xE0) == 0xC0 && tail(i + 1)) {
    const uint32_t point = (first & 0x1F) << 6 | (byte(i + 1) & 0x3F);
    if (point >= 0x80 || point == 0) {
      *at = i + 2;
      return point;
    }
  } else if ((first & 0xF0) == 0xE0 && tail(i + 1) && tail(i + 2)) {
    const uint32_t point = (first & 0x0F) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F);
    if (point >= 0x800) {
      *at = i + 3;
      return point;
    }
  } else if ((first & 0xF8) == 0xF0 && tail(i + 1) && tail(i + 2) && tail(i + 3)) {
    const uint32_t point = (first & 0x07) << 18 | (byte(i + 1) & 0x3F) << 12 |
                           (byte(i + 2) & 0x3F) << 6 | (byte(i + 3) & 0x3F);
    if (point >= 0x10000 && point <= 0x10FFFF) {
      *at = i + 4;
      return point;
    }
  }
  *at = i + 1;
  return kReplacement;
}

void AppendEscape(uint32_t unit, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  const char escape[] = {
      '\\',           'u', kHex[unit >> 12 & 15], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15],
      kHex[unit & 15]};
  out->append(escape, sizeof escape);
}

bool NeedsEscape(uint32_t point) {
  return point < 0x20 || point == '"' || point == '\\' || point == '<' || point == '>' ||
         point == '&' || point == 0x2028 || point == 0x2029 || (point >= 0xD800 && point <= 0xDFFF);
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const uint32_t point = NextCodePoint(text, &at);
    if (NeedsEscape(point)) {
      AppendEscape(point, out);
    } else if (point == kReplacement) {
      out->append("\xEF\xBF\xBD");
    } else {
      out->append(text.substr(start, at - start));
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
