// UTF-8 as other programs insist on it. Names from a JVM are modified UTF-8 (JVMS 4.4.7) at best:
// characters beyond the BMP are two surrogates of three bytes each, U+0000 is C0 80; and a class
// file can hold anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

constexpr uint32_t kReplacement = 0xfffd;

struct CodePoint {
  uint32_t value;  // kReplacement, of length 1, for a byte that is neither
  size_t length;   // in `text`
};

namespace utf8 {

// The code point in `length` bytes at the start of `text`; 0 when they are not such a sequence.
inline uint32_t Sequence(std::string_view text, size_t length) {
  if (text.size() < length) return 0;
  uint32_t value = static_cast<uint8_t>(text[0]) & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte & 0x3fu);
  }
  return value;
}

inline bool IsHighSurrogate(uint32_t unit) { return unit >> 10 == 0xd800u >> 10; }
inline bool IsLowSurrogate(uint32_t unit) { return unit >> 10 == 0xdc00u >> 10; }

}  // namespace utf8

// At the start of `text`, which is not empty.
inline CodePoint FirstCodePoint(std::string_view text) {
  constexpr CodePoint kBad{kReplacement, 1};
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {first, 1};
  if (text.starts_with("\xc0\x80")) return {0, 2};
  const size_t length = first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0) return kBad;
  const uint32_t value = utf8::Sequence(text, length);
  constexpr uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  if (value < kLeast[length - 2] || value > 0x10ffff || utf8::IsLowSurrogate(value)) return kBad;
  if (!utf8::IsHighSurrogate(value)) return {value, length};
  const uint32_t low = text.substr(3).starts_with('\xed') ? utf8::Sequence(text.substr(3), 3) : 0;
  if (!utf8::IsLowSurrogate(low)) return kBad;
  return {0x10000 + ((value & 0x3ff) << 10 | (low & 0x3ff)), 6};
}

inline void AppendUtf8(uint32_t point, std::string* out) {
  auto byte = [out](uint32_t value) { out->push_back(static_cast<char>(value)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xc0 | point >> 6);
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3f));
  } else {
    byte(0xf0 | point >> 18);
    byte(0x80 | (point >> 12 & 0x3f));
    byte(0x80 | (point >> 6 & 0x3f));
  }
  byte(0x80 | (point & 0x3f));
}

// `text`, modified or not, as UTF-8 with U+FFFD in place of each byte that is part of neither.
inline std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = FirstCodePoint(text);
    AppendUtf8(point.value, &out);
    text.remove_prefix(point.length);
  }
  return out;
}

}  // namespace assay
