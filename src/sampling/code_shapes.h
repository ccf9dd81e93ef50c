// The few code shapes of HotSpot (x86-64) that the yieldpoints rest on, recognized in compiled
// methods and stubs. Pure functions over bytes: what does not match exactly is not there.
//
// Entry check (JDK 20+; barrierSetAssembler_x86.cpp, nmethod_entry_barrier), r15 = JavaThread*:
//     41 81 7f D imm32      cmp dword [r15 + D], imm32        8 bytes, 4-aligned
//   C1:  74 05              je  +5
//        e8 rel32           call method_entry_barrier
//   C2:  0f 85 rel32        jne stub;     stub: e8 rel32 call method_entry_barrier; e9 rel32 jmp back
//
// Return poll (JDK 16+; macroAssembler_x86.cpp, safepoint_poll; C1SafepointPollStub and its C2 twin):
//     49 3b a7 P32 | 49 3b 67 P8      cmp rsp, [r15 + P]
//     0f 87 rel32                     ja slow
//     c3                              ret
//   slow: 49 ba imm64 | 4c 8d 15 rel32      r10 = address of the poll
//         4d 89 97 S32 | 4d 89 57 S8        [r15 + S] = r10
//         e9 rel32                          jmp the return handler
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace assay::sampling {

struct EntryCheck {
  uint32_t offset;       // of the cmp in the code
  int32_t displacement;  // D
  int32_t immediate;
  uint64_t stub;      // address called
  bool out_of_line;   // the C2 shape
  bool operator==(const EntryCheck&) const = default;
};

struct ReturnPoll {
  uint32_t offset;              // of the cmp in the code
  int32_t word_displacement;    // P
  int32_t saved_displacement;   // S
  uint64_t handler;             // address jumped to
  bool operator==(const ReturnPoll&) const = default;
};

// `address` is where code[0] lives. The first match, if any.
std::optional<EntryCheck> FindEntryCheck(std::span<const uint8_t> code, uint64_t address);
std::optional<ReturnPoll> FindReturnPoll(std::span<const uint8_t> code, uint64_t address);

// The first instruction of the entry stub: push -1, of exactly the five bytes of the jump that
// replaces it, so that no thread can be stopped inside; followed by push rbp; mov rbp, rsp.
constexpr uint8_t kEntryStubShape[] = {0x68, 0xff, 0xff, 0xff, 0xff, 0x55, 0x48, 0x8b, 0xec};
// The first instructions of the return handler: push rbp; mov rbp, rsp; pushf. Three instructions
// under one jump: they may be replaced only while no thread can be stopped between them.
constexpr uint8_t kReturnHandlerShape[] = {0x55, 0x48, 0x8b, 0xec, 0x9c};

bool StartsWith(std::span<const uint8_t> code, std::span<const uint8_t> shape);

// The first four bytes of an entry check, as a number.
constexpr uint32_t EntryCheckBytes(int32_t displacement) {
  return 0x007f8141u | static_cast<uint32_t>(static_cast<uint8_t>(displacement)) << 24;
}

// The immediate of the entry check whose stub call returns to `return_pc`, or nothing when the bytes
// there are neither of the two shapes. Reads at most 15 bytes before and 5 after `return_pc`, and
// the 14 before the continuation; all inside the method that made the call. Any context.
inline std::optional<int32_t> ImmediateOfEntryCheck(const uint8_t* return_pc, int32_t displacement) {
  auto cmp_at = [&](const uint8_t* p) {
    uint32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes == EntryCheckBytes(displacement);
  };
  const uint8_t* check = return_pc - 15;
  if (!(cmp_at(check) && check[8] == 0x74 && check[9] == 0x05)) {
    if (return_pc[0] != 0xe9) return std::nullopt;
    int32_t back;
    memcpy(&back, return_pc + 1, sizeof back);
    const uint8_t* continuation = return_pc + 5 + back;
    check = continuation - 14;
    if (!(cmp_at(check) && check[8] == 0x0f && check[9] == 0x85)) return std::nullopt;
  }
  int32_t immediate;
  memcpy(&immediate, check + 4, sizeof immediate);
  return immediate;
}

}  // namespace assay::sampling
