#include "src/bytecode/encode.h"

#include "src/bytecode/encoder.h"

namespace assay::bytecode {

using classfile::ClassFile;
using classfile::Method;

Status Encoder::Run() {
  if (code_.max_stack > 65535) return Bad("more than 65535 words of stack");
  if (code_.max_locals > 65535) return Bad("more than 65535 words of locals");
  ReplaceLastSwitch();
  for (int round = 0;; ++round) {
    ASSAY_TRY(EmitCode());
    ASSAY_ASSIGN(bool fits, Patch());
    if (fits) break;
    // Each round widens at least one jump; in practice two or three rounds settle it.
    if (round == 100) return Bad("jumps do not settle");
    ASSAY_TRY(Widen());
  }
  ASSAY_TRY(EmitTries());
  ASSAY_TRY(EmitAttributes());
  if (unbound_) return Bad("label without a place");
  method_.new_code = out_.Take();
  if (method_.code_name_index == 0) {
    ASSAY_ASSIGN(method_.code_name_index, file_.pool.AddUtf8("Code"));
  }
  return {};
}

// HotSpot refuses a lookupswitch without pairs at the very end of a method, as if it were cut off
// (bytecodes.cpp, special_length_at: the end of its operands is compared with >=). Moving code can bring one there.
void Encoder::ReplaceLastSwitch() {
  auto& elements = code_.elements;
  size_t last = elements.size();
  while (last > 0 && !elements[last - 1].IsInstruction()) --last;
  if (last == 0 || elements[last - 1].op != Op::kLookupswitch) return;
  Element& element = elements[last - 1];
  const Switch& table = code_.switches[static_cast<size_t>(element.value)];
  if (!table.keys.empty()) return;
  Element jump = element;
  jump.op = Op::kGoto;
  jump.value = static_cast<int32_t>(table.fallback.id);
  jump.self = {};
  jump.bci = Element::kInserted;
  element.op = Op::kPop;
  element.value = 0;
  elements.insert(elements.begin() + static_cast<ptrdiff_t>(last), jump);
}

Status Encoder::EmitCode() {
  offsets_.assign(code_.label_count, kUnbound);
  fixups_.clear();
  lines_.clear();
  frames_.clear();
  bool only_inserted = true;
  out_.Rewind(0);
  out_.Ensure(kHeader);
  out_.U2(code_.max_stack);
  out_.U2(code_.max_locals);
  out_.U4(0);
  for (uint32_t i = 0; i < code_.elements.size(); ++i) {
    Element& element = code_.elements[i];
    switch (element.kind) {
      case ElementKind::kLabel:
        if (static_cast<uint32_t>(element.value) >= offsets_.size()) return Bad("unknown label");
        offsets_[static_cast<uint32_t>(element.value)] = pc();
        break;
      case ElementKind::kLine:
        // What was put in front of a method belongs to its first line: a stack trace may show it.
        lines_.push_back({lines_.empty() && only_inserted ? 0 : pc(), element.index});
        break;
      case ElementKind::kFrame:
        if (!frames_.empty() && frames_.back().pc == pc()) frames_.pop_back();
        frames_.push_back({pc(), static_cast<uint32_t>(element.value)});
        break;
      case ElementKind::kInstruction:
        only_inserted &= element.bci == Element::kInserted;
        if (element.self.valid()) offsets_[element.self.id] = pc();
        out_.Ensure(16);
        if (!EmitSimple(element, i)) ASSAY_TRY(EmitOther(element, i));
        break;
    }
    if (out_.size() - kHeader > 65535) return Bad("code of more than 65535 bytes");
  }
  length_ = pc();
  if (length_ == 0) return Bad("no code");
  out_.PatchU4(4, length_);
  return {};
}

// Most instructions take this way, once per instruction of every method: it must stay cheap.
inline bool Encoder::EmitSimple(const Element& element, uint32_t number) {
  unsigned op = static_cast<uint8_t>(element.op);
  switch (InfoOf(element.op).operands) {
    case Operands::kNone:
      out_.U1(op);
      return true;
    case Operands::kByte:
    case Operands::kNewArray:
      out_.U1(op);
      out_.U1(static_cast<unsigned>(element.value) & 0xff);
      return true;
    case Operands::kShort:
      out_.U1(op);
      out_.U2(static_cast<unsigned>(element.value) & 0xffff);
      return true;
    case Operands::kLdc:
      out_.U1(static_cast<uint8_t>(element.index < 256 ? Op::kLdc : Op::kLdcW));
      if (element.index < 256) {
        out_.U1(element.index);
      } else {
        out_.U2(element.index);
      }
      return true;
    case Operands::kLocal:
      EmitLocal(element);
      return true;
    case Operands::kJump:
      EmitJump(element, number);
      return true;
    case Operands::kLdcWide:
    case Operands::kField:
    case Operands::kMethod:
    case Operands::kClass:
      out_.U1(op);
      out_.U2(element.index);
      return true;
    case Operands::kMultiNewArray:
      out_.U1(op);
      out_.U2(element.index);
      out_.U1(static_cast<unsigned>(element.value));
      return true;
    case Operands::kInvokeInterface:
      out_.U1(op);
      out_.U2(element.index);
      out_.U1(static_cast<unsigned>(element.value));
      out_.U1(0);
      return true;
    case Operands::kInvokeDynamic:
      out_.U1(op);
      out_.U2(element.index);
      out_.U2(0);
      return true;
    default:
      return false;
  }
}

Status Encoder::EmitOther(const Element& element, uint32_t number) {
  switch (InfoOf(element.op).operands) {
    case Operands::kIinc:
      return EmitIinc(element);
    case Operands::kTableSwitch:
    case Operands::kLookupSwitch:
      return EmitSwitch(element, number);
    default:
      return Bad("instruction not in canonical form: " +
                 std::to_string(static_cast<uint8_t>(element.op)));
  }
}

void Encoder::EmitLocal(const Element& element) {
  unsigned op = static_cast<uint8_t>(element.op);
  if (element.index < 4 && element.op != Op::kRet) {
    bool load = IsLoad(element.op);
    unsigned first = static_cast<uint8_t>(load ? Op::kIload : Op::kIstore);
    unsigned base = static_cast<uint8_t>(load ? Op::kIload0 : Op::kIstore0);
    out_.U1(base + (op - first) * 4 + element.index);
  } else if (element.index < 256) {
    out_.U1(op);
    out_.U1(element.index);
  } else {
    out_.U1(static_cast<uint8_t>(Op::kWide));
    out_.U1(op);
    out_.U2(element.index);
  }
}

Status Encoder::EmitIinc(const Element& element) {
  if (element.value < -32768 || element.value > 32767) return Bad("iinc out of range");
  if (element.index < 256 && element.value >= -128 && element.value <= 127) {
    out_.U1(static_cast<uint8_t>(Op::kIinc));
    out_.U1(element.index);
    out_.U1(static_cast<unsigned>(element.value) & 0xff);
  } else {
    out_.U1(static_cast<uint8_t>(Op::kWide));
    out_.U1(static_cast<uint8_t>(Op::kIinc));
    out_.U2(element.index);
    out_.U2(static_cast<unsigned>(element.value) & 0xffff);
  }
  return {};
}

// The index of a jump is 1 once it has been found to need the wide form.
void Encoder::EmitJump(const Element& element, uint32_t number) {
  uint32_t from = pc();
  bool wide = element.index != 0;
  Op op = element.op;
  if (wide) op = op == Op::kGoto ? Op::kGotoW : Op::kJsrW;
  out_.U1(static_cast<uint8_t>(op));
  fixups_.push_back({from + 1, from, element.label(), number, wide});
  if (wide) {
    out_.U4(0);
  } else {
    out_.U2(0);
  }
}

Status Encoder::EmitSwitch(const Element& element, uint32_t number) {
  const Switch& table = code_.switches[static_cast<size_t>(element.value)];
  bool lookup = element.op == Op::kLookupswitch;
  if (lookup && table.keys.size() != table.targets.size()) return Bad("lookupswitch without keys");
  out_.Ensure(16 + table.targets.size() * 8);
  uint32_t from = pc();
  out_.U1(static_cast<uint8_t>(element.op));
  while (pc() % 4 != 0) out_.U1(0);
  fixups_.push_back({pc(), from, table.fallback, number, true});
  out_.U4(0);
  uint32_t count = static_cast<uint32_t>(table.targets.size());
  if (lookup) {
    out_.U4(count);
  } else {
    out_.U4(static_cast<uint32_t>(table.low));
    out_.U4(static_cast<uint32_t>(table.low) + count - 1);
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (lookup) out_.U4(static_cast<uint32_t>(table.keys[i]));
    fixups_.push_back({pc(), from, table.targets[i], number, true});
    out_.U4(0);
  }
  return {};
}

Result<bool> Encoder::Patch() {
  too_far_.clear();
  for (const Fixup& fixup : fixups_) {
    int32_t distance =
        static_cast<int32_t>(OffsetOf(fixup.label)) - static_cast<int32_t>(fixup.from);
    if (fixup.wide) {
      out_.PatchU4(kHeader + fixup.at, static_cast<uint32_t>(distance));
    } else if (distance >= -32768 && distance <= 32767) {
      out_.PatchU2(kHeader + fixup.at, static_cast<uint32_t>(distance) & 0xffff);
    } else {
      too_far_.push_back(fixup.element);
    }
  }
  if (unbound_) return Bad("jump to a label without a place");
  return too_far_.empty();
}

Status EncodeCode(Code& code, ClassFile& file, Method& method) {
  return Encoder(code, file, method).Run();
}

}  // namespace assay::bytecode
