// Opcodes and what is the same for every use of one.
#pragma once

#include <cstdint>

#include "src/bytecode/opcode_list.h"

namespace assay::bytecode {

enum class Op : uint8_t {
#define OP(code, name, text, operands, pop, push) name = code,
  ASSAY_OPCODES(OP)
#undef OP
};

inline constexpr int kOpcodeCount = 202;

enum class Operands : uint8_t {
  kInvalid,
  kNone,
  kByte,
  kShort,
  kLdc,
  kLdcWide,
  kLocal,
  kImplicitLocal,  // iload_0 and the like
  kIinc,
  kJump,
  kJumpWide,
  kTableSwitch,
  kLookupSwitch,
  kField,
  kMethod,
  kInvokeInterface,
  kInvokeDynamic,
  kClass,
  kNewArray,
  kMultiNewArray,
  kWide,
};

struct OpInfo {
  const char* name = nullptr;
  Operands operands = Operands::kInvalid;
  int8_t pop = 0;  // words; -1: see the operand
  int8_t push = 0;
  uint8_t size = 0;  // in bytes, 0 for switches and wide
};

extern const OpInfo kOpInfo[256];

inline const OpInfo& InfoOf(Op op) { return kOpInfo[static_cast<uint8_t>(op)]; }
inline const char* NameOf(Op op) { return InfoOf(op).name; }

inline bool IsConditional(Op op) {
  return (op >= Op::kIfeq && op <= Op::kIfAcmpne) || op == Op::kIfnull || op == Op::kIfnonnull;
}
inline bool IsJump(Op op) { return IsConditional(op) || op == Op::kGoto || op == Op::kJsr; }
inline bool IsSwitch(Op op) { return op == Op::kTableswitch || op == Op::kLookupswitch; }
inline bool IsReturn(Op op) { return op >= Op::kIreturn && op <= Op::kReturn; }
inline bool IsInvoke(Op op) { return op >= Op::kInvokevirtual && op <= Op::kInvokedynamic; }
inline bool IsLoad(Op op) { return op >= Op::kIload && op <= Op::kAload; }
inline bool IsStore(Op op) { return op >= Op::kIstore && op <= Op::kAstore; }
// Control never continues at the next instruction. (jsr: it comes back through ret.)
inline bool EndsFlow(Op op) {
  return op == Op::kGoto || op == Op::kJsr || op == Op::kRet || IsSwitch(op) || IsReturn(op) ||
         op == Op::kAthrow;
}
// The condition that holds when `op` does not.
inline Op Negate(Op op) {
  if (op == Op::kIfnull) return Op::kIfnonnull;
  if (op == Op::kIfnonnull) return Op::kIfnull;
  // The pairs start at odd codes: ifeq 153, ifne 154, ... if_acmpeq 165, if_acmpne 166.
  return static_cast<Op>(((static_cast<uint8_t>(op) + 1) ^ 1) - 1);
}

}  // namespace assay::bytecode
