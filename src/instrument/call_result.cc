#include "src/instrument/call_result.h"

#include "src/classfile/descriptor.h"

namespace assay::instrument {
namespace {

using bytecode::Element;
using bytecode::Op;

// Whether the instruction takes an int from the top of the stack such that it is no array index
// afterwards: array loads use it as one, copies and casts pass it on, jumps lead anywhere.
bool TakesInt(Op op) {
  bool index = op >= Op::kIaload && op <= Op::kSaload;
  bool copy = op >= Op::kDup && op <= Op::kSwap;
  bool cast = op == Op::kI2b || op == Op::kI2c || op == Op::kI2s;
  return !index && !copy && !cast && op != Op::kGoto;
}

// Whether the instruction takes a reference from the top of the stack without dereferencing it.
bool TakesReference(const classfile::ConstantPool& pool, const Element& element) {
  switch (element.op) {
    case Op::kAstore:
    case Op::kAastore:
    case Op::kAreturn:
    case Op::kPop:
    case Op::kPutfield:
    case Op::kPutstatic:
    case Op::kIfnull:
    case Op::kIfnonnull:
    case Op::kIfAcmpeq:
    case Op::kIfAcmpne:
    case Op::kInstanceof:
    case Op::kInvokestatic:
    case Op::kInvokedynamic:
      return true;
    case Op::kInvokevirtual:
    case Op::kInvokeinterface:
    case Op::kInvokespecial:  // the last argument, not the receiver
      return classfile::CountWords(pool.Member(element.index).descriptor).parameters > 0;
    default:
      return false;
  }
}

size_t NextInstruction(std::span<const Element> elements, size_t at) {
  do ++at;
  while (at < elements.size() && !elements[at].IsInstruction());
  return at;
}

// Whether two instructions put a copy of the top of the stack into a variable or a field and leave
// the other copy: what `x = y = call()` and `while ((x = call()) != null)` are made of.
bool KeepsACopy(Op copy, Op store) {
  if (copy == Op::kDup) {
    return store == Op::kAstore || store == Op::kIstore || store == Op::kPutstatic;
  }
  return copy == Op::kDupX1 && store == Op::kPutfield;
}

}  // namespace

std::string OriginShows(const classfile::ConstantPool& pool, std::span<const Element> elements,
                        const Element* call, std::string_view descriptor) {
  char result = descriptor[descriptor.find(')') + 1];
  if (result == 'V' || result == 'J' || result == 'F' || result == 'D') return "";
  bool reference = result == 'L' || result == '[';
  size_t at = NextInstruction(elements, static_cast<size_t>(call - elements.data()));
  while (at < elements.size()) {
    const Element& next = elements[at];
    if (reference ? TakesReference(pool, next) : TakesInt(next.op)) return "";
    size_t after = NextInstruction(elements, at);
    bool kept = after < elements.size() && KeepsACopy(next.op, elements[after].op);
    if (!kept && !next.Is(Op::kCheckcast)) break;
    at = kept ? NextInstruction(elements, after) : after;
  }
  return "its result is used where the message of a NullPointerException would name the call";
}

}  // namespace assay::instrument
