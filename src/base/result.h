// Result<T>: a value, or an Error that says what is wrong and where. Data errors are values here;
// nothing in the libraries that can enter a JVM throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace assay {

// What went wrong. `offset` is the byte offset in the input, kNoOffset when there is none.
struct Error {
  static constexpr uint64_t kNoOffset = ~0ull;
  std::string message;
  uint64_t offset = kNoOffset;
  std::string where = {};  // for example "class Foo, method bar()V"

  std::string ToString() const {
    std::string text = message;
    if (offset != kNoOffset) text += " at byte " + std::to_string(offset);
    if (!where.empty()) text += " in " + where;
    return text;
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  Error& error() { return *std::get_if<1>(&state_); }
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace assay

// Returns the error of `expr` (a Status or Result) from the enclosing function, if it has one.
#define ASSAY_TRY(expr)                               \
  do {                                                \
    if (auto assay_try_ = (expr); !assay_try_.ok()) { \
      return std::move(assay_try_.error());           \
    }                                                 \
  } while (0)

#define ASSAY_CONCAT_(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_(a, b)
// Declares `decl` from the value of the Result `expr`, or returns its error.
#define ASSAY_ASSIGN(decl, expr) ASSAY_ASSIGN_(ASSAY_CONCAT(assay_result_, __LINE__), decl, expr)
#define ASSAY_ASSIGN_(tmp, decl, expr)          \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return std::move(tmp.error()); \
  decl = std::move(tmp).value()
