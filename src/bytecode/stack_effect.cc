#include "src/bytecode/stack_effect.h"

#include "src/classfile/descriptor.h"

namespace assay::bytecode {

Result<StackEffect> EffectOf(const classfile::ConstantPool& pool, const Element& instruction) {
  Op op = instruction.op;
  const OpInfo& info = InfoOf(op);
  if (info.pop >= 0) return StackEffect{info.pop, info.push};
  if (op == Op::kMultianewarray) return StackEffect{instruction.value, 1};
  if (info.operands == Operands::kField) {
    std::string_view type = pool.Member(instruction.index).descriptor;
    if (type.empty() || classfile::FieldTypeLength(type) != type.size()) {
      return Error{"bad field descriptor"};
    }
    int words = classfile::TypeWords(type);
    int object = op == Op::kGetfield || op == Op::kPutfield ? 1 : 0;
    bool get = op == Op::kGetstatic || op == Op::kGetfield;
    return get ? StackEffect{object, words} : StackEffect{object + words, 0};
  }
  bool dynamic = op == Op::kInvokedynamic;
  auto words = classfile::CountWords(dynamic ? pool.DynamicNameAndType(instruction.index).descriptor
                                             : pool.Member(instruction.index).descriptor);
  if (words.parameters < 0) return Error{"bad method descriptor"};
  int receiver = dynamic || op == Op::kInvokestatic ? 0 : 1;
  return StackEffect{words.parameters + receiver, words.result};
}

}  // namespace assay::bytecode
