// Writes JSON as it goes, nothing kept but the output and the nesting. Text comes out as
// ValidUtf8() has it; "<" never appears raw, so that the result can be put into a page. Not
// synchronized.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace assay {

class JsonWriter {
 public:
  // Compact by default; with `indent` one element of the outer levels per line.
  explicit JsonWriter(int indent_levels = 0) : indent_levels_(indent_levels) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view text);
  JsonWriter& Number(double value);  // null when not finite
  JsonWriter& Number(uint64_t value);
  JsonWriter& Number(int64_t value);
  JsonWriter& Number(int32_t value) { return Number(static_cast<int64_t>(value)); }
  JsonWriter& Number(uint32_t value) { return Number(static_cast<uint64_t>(value)); }
  JsonWriter& Bool(bool value);
  JsonWriter& Null();

  // Key and value at once.
  JsonWriter& Field(std::string_view key, std::string_view text) { return Key(key).String(text); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  JsonWriter& Field(std::string_view key, T value) {
    return Key(key).Number(value);
  }

  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Separate();
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Quote(std::string_view text);

  std::string out_;
  int indent_levels_;
  int depth_ = 0;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace assay
