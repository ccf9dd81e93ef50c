// The wire format of Protocol Buffers, as much as is needed to write messages: varints, nested
// messages, text, packed repeated integers. Zero values are left out, as proto3 wants it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/utf8.h"

namespace assay::exporting {

class ProtoWriter {
 public:
  void Int(int field, int64_t value) {
    if (value != 0) Always(field, value);
  }
  void Always(int field, int64_t value) {
    Tag(field, 0);
    Varint(static_cast<uint64_t>(value));
  }
  void Fixed64(int field, uint64_t value) {
    if (value == 0) return;
    Tag(field, 1);
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>(value >> (8 * i));
  }
  // Text is made valid UTF-8, which readers check.
  void Text(int field, std::string_view text) { Bytes(field, ValidUtf8(text)); }
  void Bytes(int field, std::string_view bytes) {
    Tag(field, 2);
    Varint(bytes.size());
    out_ += bytes;
  }
  void Message(int field, const ProtoWriter& message) { Bytes(field, message.out_); }
  template <typename Values>
  void Packed(int field, const Values& values) {
    if (std::empty(values)) return;
    ProtoWriter packed;
    for (auto value : values) packed.Varint(static_cast<uint64_t>(value));
    Bytes(field, packed.out_);
  }

  const std::string& bytes() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Tag(int field, int wire) { Varint(static_cast<uint64_t>(field) << 3 | wire); }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string out_;
};

}  // namespace assay::exporting
