// Mixing functions for hash tables. Usable from any context, signal handlers included.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

// A finalizer with full avalanche (the one of MurmurHash3).
constexpr uint64_t Mix64(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  x ^= x >> 33;
  return x;
}

constexpr uint64_t HashCombine(uint64_t seed, uint64_t value) {
  return Mix64(seed * 0x9e3779b97f4a7c15ull + value);
}

// FNV-1a, finished with Mix64 so that the low bits are usable as a table index.
constexpr uint64_t HashBytes(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
  return Mix64(hash);
}

}  // namespace assay
