// Bounds-checked cursors over byte sequences, big-endian as class files and little-endian as
// profiles want it. Reading past the end sets a sticky failure and yields zeros; callers check ok()
// once per structure instead of once per field.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

using ByteSpan = std::span<const uint8_t>;
using ByteVector = std::vector<uint8_t>;

class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes, uint64_t base_offset = 0)
      : bytes_(bytes), base_offset_(base_offset) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  uint64_t offset() const { return base_offset_ + position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool AtEnd() const { return remaining() == 0; }

  uint8_t U1() { return static_cast<uint8_t>(BigEndian(1)); }
  uint16_t U2() { return static_cast<uint16_t>(BigEndian(2)); }
  uint32_t U4() { return static_cast<uint32_t>(BigEndian(4)); }
  uint64_t U8() { return BigEndian(8); }

  uint32_t Fixed32() { return static_cast<uint32_t>(LittleEndian(4)); }
  uint64_t Fixed64() { return LittleEndian(8); }
  double Double() {
    uint64_t bits = Fixed64();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  // LEB128, at most ten bytes.
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint8_t byte = U1();
      if (!ok_) return 0;
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  int64_t SignedVarint() {
    uint64_t raw = Varint();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }

  ByteSpan Bytes(size_t count) {
    if (!Need(count)) return {};
    ByteSpan result = bytes_.subspan(position_, count);
    position_ += count;
    return result;
  }
  void Skip(size_t count) {
    if (Need(count)) position_ += count;
  }
  void Seek(size_t position) {
    if (position > bytes_.size()) {
      ok_ = false;
    } else {
      position_ = position;
    }
  }
  void Fail() { ok_ = false; }

 private:
  bool Need(size_t count) {
    if (!ok_ || remaining() < count) {
      ok_ = false;
      return false;
    }
    return true;
  }
  uint64_t BigEndian(size_t count) {
    if (!Need(count)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | bytes_[position_++];
    return value;
  }
  uint64_t LittleEndian(size_t count) {
    if (!Need(count)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) {
      value |= static_cast<uint64_t>(bytes_[position_++]) << (8 * i);
    }
    return value;
  }

  ByteSpan bytes_;
  uint64_t base_offset_;
  size_t position_ = 0;
  bool ok_ = true;
};

class ByteWriter {
 public:
  void U1(uint8_t value) { bytes_.push_back(value); }
  void U2(uint16_t value) { BigEndian(value, 2); }
  void U4(uint32_t value) { BigEndian(value, 4); }
  void U8(uint64_t value) { BigEndian(value, 8); }

  void Fixed32(uint32_t value) { LittleEndian(value, 4); }
  void Fixed64(uint64_t value) { LittleEndian(value, 8); }
  void Double(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    Fixed64(bits);
  }
  void Varint(uint64_t value) {
    while (value >= 0x80) {
      U1(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    U1(static_cast<uint8_t>(value));
  }
  void SignedVarint(int64_t value) {
    Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }

  void Bytes(ByteSpan bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void Text(std::string_view text) {
    Bytes({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  void PatchU2(size_t position, uint16_t value) {
    bytes_[position] = static_cast<uint8_t>(value >> 8);
    bytes_[position + 1] = static_cast<uint8_t>(value);
  }
  void PatchU4(size_t position, uint32_t value) {
    PatchU2(position, static_cast<uint16_t>(value >> 16));
    PatchU2(position + 2, static_cast<uint16_t>(value));
  }

  size_t size() const { return bytes_.size(); }
  void Reserve(size_t size) { bytes_.reserve(size); }
  const ByteVector& bytes() const { return bytes_; }
  ByteVector Take() { return std::move(bytes_); }

 private:
  void BigEndian(uint64_t value, int count) {
    for (int i = count - 1; i >= 0; --i) U1(static_cast<uint8_t>(value >> (8 * i)));
  }
  void LittleEndian(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) U1(static_cast<uint8_t>(value >> (8 * i)));
  }

  ByteVector bytes_;
};

}  // namespace assay
