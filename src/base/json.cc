#include "src/base/json.h"

#include <charconv>
#include <cmath>

#include "src/base/utf8.h"

namespace assay {
void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) out_ += ',';
  first_ = false;
  if (depth_ > 0 && depth_ <= indent_levels_) {
    out_ += '\n';
    out_.append(static_cast<size_t>(depth_) * 2, ' ');
  }
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  if (depth_ <= indent_levels_ && !first_) {
    out_ += '\n';
    out_.append(static_cast<size_t>(depth_ - 1) * 2, ' ');
  }
  --depth_;
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  out_ += indent_levels_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Separate();
  Quote(text);
  return *this;
}

JsonWriter& JsonWriter::Number(double value) {
  if (!std::isfinite(value)) return Null();
  Separate();
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out_.append(buffer, end);
  return *this;
}

JsonWriter& JsonWriter::Number(uint64_t value) {
  Separate();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::Number(int64_t value) {
  Separate();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Null() {
  Separate();
  out_ += "null";
  return *this;
}

void JsonWriter::Quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out_ += '"';
  while (!text.empty()) {
    const auto [point, length] = FirstCodePoint(text);
    text.remove_prefix(length);
    if (point == '"' || point == '\\') {
      out_ += '\\';
      out_ += static_cast<char>(point);
    } else if (point < 0x20 || point == '<' || point == 0x7f) {
      out_ += "\\u00";
      out_ += kHex[point >> 4];
      out_ += kHex[point & 15];
    } else {
      AppendUtf8(point, &out_);
    }
  }
  out_ += '"';
}

}  // namespace assay
