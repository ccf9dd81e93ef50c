#include "src/bytecode/opcode.h"

namespace assay::bytecode {

namespace {

constexpr uint8_t SizeOf(Operands operands) {
  switch (operands) {
    case Operands::kNone:
    case Operands::kImplicitLocal:
      return 1;
    case Operands::kByte:
    case Operands::kLdc:
    case Operands::kLocal:
    case Operands::kNewArray:
      return 2;
    case Operands::kShort:
    case Operands::kLdcWide:
    case Operands::kIinc:
    case Operands::kJump:
    case Operands::kField:
    case Operands::kMethod:
    case Operands::kClass:
      return 3;
    case Operands::kMultiNewArray:
      return 4;
    case Operands::kJumpWide:
    case Operands::kInvokeInterface:
    case Operands::kInvokeDynamic:
      return 5;
    default:
      return 0;
  }
}

constexpr OpInfo Make(const char* name, Operands operands, int pop, int push) {
  return {name, operands, static_cast<int8_t>(pop), static_cast<int8_t>(push), SizeOf(operands)};
}

}  // namespace

const OpInfo kOpInfo[256] = {
#define OP(code, name, text, operands, pop, push) Make(text, Operands::operands, pop, push),
    ASSAY_OPCODES(OP)
#undef OP
};

}  // namespace assay::bytecode
