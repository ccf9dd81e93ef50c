#include "src/bytecode/decode.h"

#include <algorithm>

#include "src/bytecode/decoder.h"

namespace assay::bytecode {

using classfile::ClassFile;
using classfile::Method;
using classfile::Tag;

Error Decoder::Bad(std::string message, uint32_t pc) const {
  uint64_t base = file_.OffsetOf({bytes_, length_});
  return Error{message + " (bci " + std::to_string(pc) + ")",
               base == Error::kNoOffset ? base : base + pc, file_.Where(method_)};
}

Error Decoder::BadAt(std::string message, const ByteReader& reader) const {
  return Error{std::move(message), reader.offset(), file_.Where(method_)};
}

uint32_t Decoder::NextStart(uint32_t pc) const {
  while (pc < length_ && (marks_[pc] & kStart) == 0) ++pc;
  return pc;
}

Label Decoder::SelfAt(uint32_t pc) {
  if (selves_.empty()) selves_.resize(length_, 0);
  if (selves_[pc] == 0) selves_[pc] = code_.NewLabel().id + 1;
  return {selves_[pc] - 1};
}

Status Decoder::Run() {
  ByteSpan content = method_.CurrentCode();
  if (content.empty()) return Error{"no code", Error::kNoOffset, file_.Where(method_)};
  code_.Clear();
  if (file_.major == 45 && file_.minor < 3) {
    return Error{"code in the format of versions before 45.3", Error::kNoOffset,
                 file_.Where(method_)};
  }
  ByteReader reader = ReaderOf(content);
  code_.max_stack = reader.U2();
  code_.max_locals = code_.original_max_locals = reader.U2();
  uint32_t length = reader.U4();
  if (!reader.ok() || length == 0 || length > 65535) return BadAt("bad code length", reader);
  ByteSpan instructions = reader.Bytes(length);
  if (!reader.ok()) return BadAt("code is cut off", reader);
  bytes_ = instructions.data();
  length_ = code_.original_length = length;
  marks_.assign(length + 1, 0);
  lines_.clear();
  frame_at_.clear();
  ASSAY_TRY(Scan());
  ASSAY_TRY(ReadTries(reader));
  ASSAY_TRY(CheckLabels());
  has_targets_ = code_.label_count > 0;
  ASSAY_TRY(ReadAttributes(reader));
  if (!reader.AtEnd()) return BadAt("bytes after the end of the Code attribute", reader);
  return Emit();
}

// Finds where instructions begin and which of them are jumped to.
Status Decoder::Scan() {
  for (uint32_t pc = 0; pc < length_;) {
    marks_[pc] |= kStart;
    const OpInfo& info = kOpInfo[bytes_[pc]];
    uint32_t size = info.size;
    if (size > length_ - pc) return Bad("instruction is cut off", pc);
    if (info.operands == Operands::kJump || info.operands == Operands::kJumpWide) {
      int64_t target = static_cast<int64_t>(pc) + (size == 3 ? S2(pc + 1) : S4(pc + 1));
      if (target < 0 || target >= length_) return Bad("jump out of the method", pc);
      LabelAt(static_cast<uint32_t>(target));
    } else if (size == 0) {
      if (info.operands == Operands::kWide) {
        if (length_ - pc < 4) return Bad("instruction is cut off", pc);
        size = static_cast<Op>(bytes_[pc + 1]) == Op::kIinc ? 6 : 4;
        if (size > length_ - pc) return Bad("instruction is cut off", pc);
      } else if (info.operands == Operands::kInvalid) {
        return Bad("unknown opcode " + std::to_string(bytes_[pc]), pc);
      } else {
        ASSAY_TRY(ScanSwitch(pc, &size));
      }
    }
    pc += size;
  }
  return {};
}

Status Decoder::ScanSwitch(uint32_t pc, uint32_t* size) {
  bool table = static_cast<Op>(bytes_[pc]) == Op::kTableswitch;
  uint32_t at = (pc + 4) & ~3u;
  uint32_t header = table ? 12 : 8;
  if (at + header > length_) return Bad("switch is cut off", pc);
  int64_t count = S4(at + 4);
  if (table) {
    count = static_cast<int64_t>(S4(at + 8)) - S4(at + 4) + 1;
    // low > high describes no switch at all (JVMS 4.9.1).
    if (count < 1) return Bad("empty tableswitch", pc);
  }
  uint32_t entry = table ? 4 : 8;
  if (count < 0 || count > (length_ - at - header) / entry) return Bad("switch is cut off", pc);
  auto mark = [&](uint32_t where) {
    int64_t target = static_cast<int64_t>(pc) + S4(where);
    if (target < 0 || target >= length_) return false;
    LabelAt(static_cast<uint32_t>(target));
    return true;
  };
  bool good = mark(at);
  for (uint32_t i = 0; i < count; ++i) good &= mark(at + header + i * entry + (table ? 0 : 4));
  if (!good) return Bad("switch jumps out of the method", pc);
  *size = at + header + static_cast<uint32_t>(count) * entry - pc;
  return {};
}

Status Decoder::ReadTries(ByteReader& reader) {
  uint16_t count = reader.U2();
  if (reader.remaining() / 8 < count) return BadAt("exception table is cut off", reader);
  code_.tries.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t start = reader.U2(), end = reader.U2(), handler = reader.U2(), type = reader.U2();
    bool good = IsStart(start) && IsStart(handler) && start < end &&
                (end == length_ || IsStart(end)) && (type == 0 || file_.pool.Is(type, Tag::kClass));
    if (!good) return BadAt("bad exception table entry " + std::to_string(i), reader);
    code_.tries.push_back({LabelAt(start), LabelAt(end), LabelAt(handler), type, i});
  }
  code_.try_count = count;
  return {};
}

Status Decoder::CheckLabels() {
  for (uint32_t pc = 0; pc < length_; ++pc) {
    if (marks_[pc] != 0 && (marks_[pc] & kStart) == 0) {
      return Bad("jump into the middle of an instruction", pc);
    }
  }
  return {};
}

Status Decoder::Emit() {
  std::vector<Element>& out = code_.elements;
  out.reserve(length_ / 2 + code_.label_count + lines_.size() + frame_at_.size() + 8);
  size_t line = 0, frame = 0;
  for (uint32_t pc = 0; pc < length_;) {
    int32_t bci = static_cast<int32_t>(pc);
    if (uint32_t label = marks_[pc] & kLabelMask) {
      out.push_back({ElementKind::kLabel, Op::kNop, 0, static_cast<int32_t>(label - 1), bci, {}});
    }
    for (; line < lines_.size() && lines_[line].pc == pc; ++line) {
      uint16_t number = static_cast<uint16_t>(lines_[line].number);
      out.push_back({ElementKind::kLine, Op::kNop, number, 0, bci, {}});
    }
    if (frame < frame_at_.size() && frame_at_[frame].pc == pc) {
      int32_t number = static_cast<int32_t>(frame_at_[frame++].number);
      out.push_back({ElementKind::kFrame, Op::kNop, 0, number, bci, {}});
    }
    Element& element = out.emplace_back();
    element.bci = bci;
    if (!selves_.empty() && selves_[pc] != 0) element.self = {selves_[pc] - 1};
    const OpInfo& info = kOpInfo[bytes_[pc]];
    if (EmitSimple(pc, info, element)) {
      pc += info.size;
    } else {
      uint32_t size = info.size;
      ASSAY_TRY(EmitOther(pc, element, &size));
      pc += size;
    }
  }
  if (uint32_t label = marks_[length_] & kLabelMask) {
    out.push_back({ElementKind::kLabel,
                   Op::kNop,
                   0,
                   static_cast<int32_t>(label - 1),
                   static_cast<int32_t>(length_),
                   {}});
  }
  return {};
}

// Most instructions take this way, once per instruction of every method: it must stay cheap.
inline bool Decoder::EmitSimple(uint32_t pc, const OpInfo& info, Element& element) {
  uint8_t opcode = bytes_[pc];
  element.op = static_cast<Op>(opcode);
  switch (info.operands) {
    case Operands::kNone:
      return true;
    case Operands::kByte:
      element.value = static_cast<int8_t>(bytes_[pc + 1]);
      return true;
    case Operands::kShort:
      element.value = S2(pc + 1);
      return true;
    case Operands::kLocal:
      element.index = bytes_[pc + 1];
      return true;
    case Operands::kImplicitLocal: {
      bool load = opcode < static_cast<uint8_t>(Op::kIstore0);
      uint8_t number = opcode - static_cast<uint8_t>(load ? Op::kIload0 : Op::kIstore0);
      Op first = load ? Op::kIload : Op::kIstore;
      element.op = static_cast<Op>(static_cast<uint8_t>(first) + number / 4);
      element.index = number % 4;
      return true;
    }
    case Operands::kIinc:
      element.index = bytes_[pc + 1];
      element.value = static_cast<int8_t>(bytes_[pc + 2]);
      return true;
    case Operands::kJump:
      // Scan has seen that the target is in the code.
      element.value = static_cast<int32_t>(
          LabelAt(static_cast<uint32_t>(static_cast<int32_t>(pc) + S2(pc + 1))).id);
      return true;
    case Operands::kLdc:
      element.index = bytes_[pc + 1];
      return PoolFits(info, element.op, element.index);
    case Operands::kField:
    case Operands::kMethod:
    case Operands::kClass:
      element.index = U2(pc + 1);
      return PoolFits(info, element.op, element.index);
    default:
      return false;
  }
}

Status Decoder::EmitOther(uint32_t pc, Element& element, uint32_t* size) {
  const OpInfo& info = kOpInfo[bytes_[pc]];
  switch (info.operands) {
    case Operands::kJumpWide: {
      element.op = element.op == Op::kGotoW ? Op::kGoto : Op::kJsr;
      int64_t target = static_cast<int64_t>(pc) + S4(pc + 1);
      element.value = static_cast<int32_t>(LabelAt(static_cast<uint32_t>(target)).id);
      return {};
    }
    case Operands::kTableSwitch:
    case Operands::kLookupSwitch:
      return EmitSwitch(pc, element, size);
    case Operands::kNewArray:
      element.value = bytes_[pc + 1];
      if (element.value < 4 || element.value > 11) return Bad("bad newarray type", pc);
      return {};
    case Operands::kWide: {
      element.op = static_cast<Op>(bytes_[pc + 1]);
      element.index = U2(pc + 2);
      *size = 4;
      if (element.op == Op::kIinc) {
        element.value = S2(pc + 4);
        *size = 6;
      } else if (InfoOf(element.op).operands != Operands::kLocal) {
        return Bad("bad instruction after wide", pc);
      }
      return {};
    }
    case Operands::kInvokeInterface:
    case Operands::kMultiNewArray:
      element.value = bytes_[pc + 3];
      break;
    case Operands::kLdcWide:
      if (element.op == Op::kLdcW) element.op = Op::kLdc;
      break;
    default:
      break;
  }
  // What is left has a pool index.
  if (info.operands != Operands::kLdc) element.index = U2(pc + 1);
  const OpInfo& kind = InfoOf(element.op);
  if (kind.operands == Operands::kInvalid || !PoolFits(kind, element.op, element.index)) {
    return Bad("operand of " + std::string(NameOf(element.op)) + " is not of the right kind", pc);
  }
  return {};
}

Status Decoder::EmitSwitch(uint32_t pc, Element& element, uint32_t* size) {
  bool table = element.op == Op::kTableswitch;
  uint32_t at = (pc + 4) & ~3u;
  uint32_t header = table ? 12 : 8;
  uint32_t entry = table ? 4 : 8;
  uint32_t count = table ? static_cast<uint32_t>(S4(at + 8)) - static_cast<uint32_t>(S4(at + 4)) + 1
                         : static_cast<uint32_t>(S4(at + 4));
  auto label = [&](uint32_t where) {
    return LabelAt(static_cast<uint32_t>(static_cast<int64_t>(pc) + S4(where)));
  };
  Switch& out = code_.switches.emplace_back();
  element.value = static_cast<int32_t>(code_.switches.size() - 1);
  out.fallback = label(at);
  if (table) out.low = S4(at + 4);
  out.targets.reserve(count);
  if (!table) out.keys.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t where = at + header + i * entry;
    if (!table) out.keys.push_back(S4(where));
    out.targets.push_back(label(table ? where : where + 4));
  }
  *size = at + header + count * entry - pc;
  return {};
}

namespace {

constexpr uint32_t Bit(Tag tag) { return 1u << static_cast<uint8_t>(tag); }

// The kinds of constants that an operand may be.
constexpr uint32_t AllowedTags(Operands operands) {
  switch (operands) {
    case Operands::kLdc:
      return Bit(Tag::kInteger) | Bit(Tag::kFloat) | Bit(Tag::kString) | Bit(Tag::kClass) |
             Bit(Tag::kMethodHandle) | Bit(Tag::kMethodType) | Bit(Tag::kDynamic);
    case Operands::kLdcWide:
      return Bit(Tag::kLong) | Bit(Tag::kDouble) | Bit(Tag::kDynamic);
    case Operands::kField:
      return Bit(Tag::kFieldRef);
    case Operands::kMethod:
      return Bit(Tag::kMethodRef) | Bit(Tag::kInterfaceMethodRef);
    case Operands::kInvokeInterface:
      return Bit(Tag::kInterfaceMethodRef);
    case Operands::kInvokeDynamic:
      return Bit(Tag::kInvokeDynamic);
    default:
      return Bit(Tag::kClass);
  }
}

}  // namespace

bool Decoder::PoolFits(const OpInfo& info, Op op, uint16_t index) const {
  Tag tag = file_.pool.TagAt(index);
  if (op == Op::kInvokevirtual && tag == Tag::kInterfaceMethodRef) return false;
  return (AllowedTags(info.operands) >> static_cast<uint8_t>(tag) & 1) != 0;
}

Status DecodeCode(const ClassFile& file, const Method& method, Code& code) {
  return Decoder(file, method, code).Run();
}

Result<Code> DecodeCode(const ClassFile& file, const Method& method) {
  Code code;
  ASSAY_TRY(DecodeCode(file, method, code));
  return code;
}

}  // namespace assay::bytecode
