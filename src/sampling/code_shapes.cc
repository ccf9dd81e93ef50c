#include "src/sampling/code_shapes.h"

#include <algorithm>

namespace assay::sampling {
namespace {

// The check stands after the frame is built; anything further in is not it.
constexpr size_t kEntrySearch = 512;

class Bytes {
 public:
  Bytes(std::span<const uint8_t> code, uint64_t address) : code_(code), address_(address) {}

  bool Has(size_t at, size_t length) const { return at <= code_.size() && length <= code_.size() - at; }
  bool Match(size_t at, std::initializer_list<uint8_t> bytes) const {
    return Has(at, bytes.size()) && std::equal(bytes.begin(), bytes.end(), code_.begin() + at);
  }
  int32_t Int(size_t at) const {
    int32_t value;
    memcpy(&value, &code_[at], sizeof value);
    return value;
  }
  uint64_t Long(size_t at) const {
    uint64_t value;
    memcpy(&value, &code_[at], sizeof value);
    return value;
  }
  int8_t Byte(size_t at) const { return static_cast<int8_t>(code_[at]); }
  // The target of a rel32 at `at` that ends its instruction.
  uint64_t Target(size_t at) const { return address_ + at + 4 + static_cast<int64_t>(Int(at)); }
  // The same as an offset in the code; SIZE_MAX when outside.
  size_t TargetOffset(size_t at) const {
    uint64_t offset = Target(at) - address_;
    return offset < code_.size() ? offset : SIZE_MAX;
  }
  uint64_t AddressOf(size_t at) const { return address_ + at; }

 private:
  std::span<const uint8_t> code_;
  uint64_t address_;
};

std::optional<EntryCheck> EntryCheckAt(const Bytes& code, size_t at) {
  if (!code.Match(at, {0x41, 0x81, 0x7f}) || !code.Has(at, 15)) return std::nullopt;
  if (code.AddressOf(at) % 4 != 0) return std::nullopt;
  EntryCheck check{.offset = static_cast<uint32_t>(at),
                   .displacement = code.Byte(at + 3),
                   .immediate = code.Int(at + 4),
                   .stub = 0,
                   .out_of_line = false};
  if (check.displacement <= 0) return std::nullopt;
  if (code.Match(at + 8, {0x74, 0x05, 0xe8})) {
    check.stub = code.Target(at + 11);
    return check;
  }
  if (!code.Match(at + 8, {0x0f, 0x85})) return std::nullopt;
  size_t stub = code.TargetOffset(at + 10);
  if (stub == SIZE_MAX || !code.Has(stub, 10)) return std::nullopt;
  if (!code.Match(stub, {0xe8}) || !code.Match(stub + 5, {0xe9})) return std::nullopt;
  if (code.TargetOffset(stub + 6) != at + 14) return std::nullopt;
  check.stub = code.Target(stub + 1);
  check.out_of_line = true;
  return check;
}

std::optional<ReturnPoll> ReturnPollAt(const Bytes& code, size_t at) {
  ReturnPoll poll{.offset = static_cast<uint32_t>(at)};
  size_t next;
  if (code.Match(at, {0x49, 0x3b, 0xa7}) && code.Has(at, 7)) {
    poll.word_displacement = code.Int(at + 3);
    next = at + 7;
  } else if (code.Match(at, {0x49, 0x3b, 0x67}) && code.Has(at, 4)) {
    poll.word_displacement = code.Byte(at + 3);
    next = at + 4;
  } else {
    return std::nullopt;
  }
  if (!code.Match(next, {0x0f, 0x87}) || !code.Has(next, 7)) return std::nullopt;
  if (!code.Match(next + 6, {0xc3})) return std::nullopt;
  size_t slow = code.TargetOffset(next + 2);
  if (slow == SIZE_MAX || !code.Has(slow, 10)) return std::nullopt;
  uint64_t poll_pc;
  if (code.Match(slow, {0x49, 0xba})) {
    poll_pc = code.Long(slow + 2);
    slow += 10;
  } else if (code.Match(slow, {0x4c, 0x8d, 0x15})) {
    poll_pc = code.Target(slow + 3);
    slow += 7;
  } else {
    return std::nullopt;
  }
  if (poll_pc != code.AddressOf(at)) return std::nullopt;
  if (code.Match(slow, {0x4d, 0x89, 0x97}) && code.Has(slow, 7)) {
    poll.saved_displacement = code.Int(slow + 3);
    slow += 7;
  } else if (code.Match(slow, {0x4d, 0x89, 0x57}) && code.Has(slow, 4)) {
    poll.saved_displacement = code.Byte(slow + 3);
    slow += 4;
  } else {
    return std::nullopt;
  }
  if (!code.Match(slow, {0xe9}) || !code.Has(slow, 5)) return std::nullopt;
  if (poll.word_displacement <= 0 || poll.saved_displacement <= 0) return std::nullopt;
  poll.handler = code.Target(slow + 1);
  return poll;
}

}  // namespace

std::optional<EntryCheck> FindEntryCheck(std::span<const uint8_t> code, uint64_t address) {
  Bytes bytes(code, address);
  for (size_t at = 0; at < std::min(code.size(), kEntrySearch); at++) {
    if (auto check = EntryCheckAt(bytes, at)) return check;
  }
  return std::nullopt;
}

std::optional<ReturnPoll> FindReturnPoll(std::span<const uint8_t> code, uint64_t address) {
  Bytes bytes(code, address);
  for (size_t at = 0; at < code.size(); at++) {
    if (code[at] != 0x49) continue;
    if (auto poll = ReturnPollAt(bytes, at)) return poll;
  }
  return std::nullopt;
}

bool StartsWith(std::span<const uint8_t> code, std::span<const uint8_t> shape) {
  return code.size() >= shape.size() && std::equal(shape.begin(), shape.end(), code.begin());
}

}  // namespace assay::sampling
