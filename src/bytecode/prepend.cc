#include "src/bytecode/prepend.h"

#include <algorithm>
#include <string>

#include "src/bytecode/code.h"
#include "src/bytecode/encoder.h"

namespace assay::bytecode {

using classfile::ClassFile;
using classfile::Method;
using V = VerificationType;

namespace {

class Prepender {
 public:
  Prepender(const ClassFile& file, Method& method)
      : file_(file),
        method_(method),
        in_(method.CurrentCode()),
        out_(method.CurrentCode().size() + 64) {}

  Status Run(ByteSpan code, uint16_t stack) {
    uint16_t max_stack = in_.U2(), max_locals = in_.U2();
    uint32_t length = in_.U4();
    ByteSpan body = in_.Bytes(length);
    if (!in_.ok() || length == 0 || length > 65535) return Bad("bad code length");
    ASSAY_TRY(Scan(body));
    shift_ = static_cast<uint32_t>(code.size());
    if (has_switch_) shift_ = (shift_ + 3) & ~3u;
    if (length + shift_ > 65535) return Bad("code of more than 65535 bytes");
    length_ = length;
    out_.Ensure(8 + shift_ + length);
    out_.U2(std::max(max_stack, stack));
    out_.U2(max_locals);
    out_.U4(length + shift_);
    out_.Bytes(code);
    for (size_t i = code.size(); i < shift_; ++i) out_.U1(static_cast<uint8_t>(Op::kNop));
    out_.Bytes(body);
    ASSAY_TRY(MoveTable(8, 3));
    ASSAY_TRY(MoveAttributes());
    if (!in_.ok() || !in_.AtEnd()) return Bad("bad Code attribute");
    method_.new_code = out_.Take();
    return {};
  }

 private:
  Error Bad(const char* message) const {
    return Error{message, Error::kNoOffset, file_.Where(method_)};
  }

  // Only to know whether there is a switch, and that the instructions are whole.
  Status Scan(ByteSpan body) {
    const uint8_t* p = body.data();
    const uint8_t* end = p + body.size();
    while (p < end) {
      const OpInfo& info = kOpInfo[*p];
      size_t size = info.size;
      if (size == 0) {
        ASSAY_ASSIGN(size, SizeOfLong(body, static_cast<size_t>(p - body.data())));
      }
      if (size > static_cast<size_t>(end - p)) return Bad("instruction is cut off");
      p += size;
    }
    return {};
  }

  Result<size_t> SizeOfLong(ByteSpan body, size_t pc) {
    ByteReader reader(body.subspan(pc));
    Op op = static_cast<Op>(reader.U1());
    if (op == Op::kWide) return static_cast<Op>(reader.U1()) == Op::kIinc ? size_t{6} : size_t{4};
    if (!IsSwitch(op)) return Bad("unknown opcode");
    has_switch_ = true;
    reader.Skip(((pc + 4) & ~size_t{3}) - pc - 1 + 4);
    uint32_t first = reader.U4();
    int64_t count = static_cast<int32_t>(first);
    if (op == Op::kTableswitch) {
      count = static_cast<int64_t>(static_cast<int32_t>(reader.U4())) - count + 1;
    }
    size_t entry = op == Op::kTableswitch ? 4 : 8;
    if (!reader.ok() || count < 0 || static_cast<uint64_t>(count) > reader.remaining() / entry) {
      return Bad("switch is cut off");
    }
    return reader.position() + static_cast<size_t>(count) * entry;
  }

  // A count and entries of `size` bytes that start with `offsets` offsets into the code. The first
  // that starts at 0 may stay there: the line of what is put in front.
  Status MoveTable(size_t size, size_t offsets, bool one_stays = false) {
    uint32_t count = in_.U2();
    ByteSpan table = in_.Bytes(count * size);
    if (!in_.ok()) return Bad("table of the code is cut off");
    out_.Ensure(2 + table.size());
    out_.U2(count);
    const uint8_t* p = table.data();
    for (uint32_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < size; k += 2, p += 2) {
        uint32_t value = static_cast<uint32_t>(p[0] << 8 | p[1]);
        if (k < offsets * 2) {
          if (value > length_) return Bad("offset beyond the code");
          const bool stays = one_stays && value == 0;
          if (stays) one_stays = false;
          if (!stays) value += shift_;
        }
        out_.U2(value);
      }
    }
    return {};
  }

  Status MoveAttributes() {
    uint32_t count = in_.U2();
    out_.Ensure(2);
    out_.U2(count);
    for (uint32_t i = 0; i < count && in_.ok(); ++i) {
      uint16_t name_index = in_.U2();
      uint32_t size = in_.U4();
      std::string_view name = file_.pool.Utf8(name_index);
      out_.Ensure(6);
      out_.U2(name_index);
      out_.U4(size);
      size_t start = out_.size();
      size_t end = in_.position() + size;
      if (name == "LineNumberTable") {
        ASSAY_TRY(MoveTable(4, 1, true));
      } else if (name == "LocalVariableTable" || name == "LocalVariableTypeTable") {
        ASSAY_TRY(MoveTable(10, 1));
      } else if (name == "StackMapTable" && file_.major >= 50) {
        ASSAY_TRY(MoveFrames());
      } else if (name.ends_with("TypeAnnotations")) {
        return Bad("type annotations in the code");
      } else {
        out_.Bytes(in_.Bytes(size));
      }
      if (!in_.ok() || in_.position() != end) return Bad("attribute of the code is malformed");
      out_.PatchU4(start - 4, static_cast<uint32_t>(out_.size() - start));
    }
    return {};
  }

  // Frames are relative to the one before: only the first moves, and what names a `new`.
  Status MoveFrames() {
    uint32_t count = in_.U2();
    out_.Ensure(2);
    out_.U2(count);
    for (uint32_t i = 0; i < count && in_.ok(); ++i) {
      uint32_t shift = i == 0 ? shift_ : 0;
      uint32_t kind = in_.U1();
      out_.Ensure(8);
      if (kind < 128) {
        uint32_t base = kind & 64, delta = (kind & 63) + shift;
        if (delta < 64) {
          out_.U1(base | delta);
        } else {
          out_.U1(base ? 247 : 251);
          out_.U2(delta);
        }
        if (base) ASSAY_TRY(MoveTypes(1));
        continue;
      }
      if (kind < 247) return Bad("bad frame");
      out_.U1(kind);
      uint32_t delta = in_.U2() + shift;
      if (delta > 65535) return Bad("bad frame");
      out_.U2(delta);
      if (kind == 247) {
        ASSAY_TRY(MoveTypes(1));
      } else if (kind == 255) {
        for (int part = 0; part < 2; ++part) {
          uint32_t types = in_.U2();
          out_.Ensure(2);
          out_.U2(types);
          ASSAY_TRY(MoveTypes(types));
        }
      } else if (kind > 251) {
        ASSAY_TRY(MoveTypes(kind - 251));
      }
    }
    return {};
  }

  Status MoveTypes(uint32_t count) {
    for (uint32_t i = 0; i < count && in_.ok(); ++i) {
      uint8_t tag = in_.U1();
      if (tag > V::kUninitialized) return Bad("bad verification type");
      out_.Ensure(3);
      out_.U1(tag);
      if (tag == V::kObject) out_.U2(in_.U2());
      if (tag == V::kUninitialized) {
        uint32_t offset = in_.U2();
        if (offset >= length_) return Bad("offset beyond the code");
        out_.U2(offset + shift_);
      }
    }
    return {};
  }

  const ClassFile& file_;
  Method& method_;
  ByteReader in_;
  ByteSink out_;
  uint32_t shift_ = 0;
  uint32_t length_ = 0;
  bool has_switch_ = false;
};

}  // namespace

Status PrependCode(const ClassFile& file, Method& method, ByteSpan code, uint16_t stack) {
  if (!method.HasCode() || (file.major == 45 && file.minor < 3)) {
    return Error{"no code", Error::kNoOffset, file.Where(method)};
  }
  return Prepender(file, method).Run(code, stack);
}

}  // namespace assay::bytecode
