// Diverts a VM stub to a function of ours by replacing its first five bytes with a jump, in one
// aligned 8-byte store, and puts the bytes back. The thunk that the jump reaches is mapped within
// 2 GB of the stub and never unmapped: a thread may be on it at any time. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "src/base/result.h"

namespace assay::sampling {

class StubPatch {
 public:
  static constexpr size_t kJumpBytes = 5;

  // Checks everything and maps the thunk, but writes nothing to the stub: its bytes must be `shape`,
  // its first five must lie in one aligned word, its page must be writable and executable.
  Status Prepare(uint8_t* stub, std::span<const uint8_t> shape, const void* target);
  // The store. Safe while threads run the stub only if the five bytes are one instruction;
  // otherwise the caller guarantees that no thread stands inside them.
  void Install();
  // Safe at any time: the jump is one instruction.
  void Remove();

  bool prepared() const { return stub_ != nullptr; }
  bool installed() const { return installed_; }
  uint8_t* stub() const { return stub_; }
  uint8_t* resume() const { return stub_ + kJumpBytes; }
  // Whether the stub's bytes are those found at first.
  bool IsPristine() const;

 private:
  uint8_t* stub_ = nullptr;
  uint8_t* thunk_ = nullptr;
  uint64_t original_ = 0;  // the aligned word
  uint64_t patched_ = 0;
  bool installed_ = false;
};

// The permissions of the mapping that holds `address`, such as "rwxp"; "" when there is none.
std::string PermissionsOf(const void* address);

}  // namespace assay::sampling
