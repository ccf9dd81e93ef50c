#include "src/bytecode/simulator.h"

#include "src/bytecode/decode.h"
#include "src/classfile/descriptor.h"

namespace assay::bytecode {

using classfile::Tag;
using V = VerificationType;

namespace {

const char* const kArrayOf[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};

// What an instruction with a fixed result leaves on the stack.
V::Tag ResultOf(Op op) {
  switch (op) {
    case Op::kAconstNull:
      return V::kNull;
    case Op::kLconst0:
    case Op::kLconst1:
    case Op::kLload:
    case Op::kLaload:
    case Op::kLadd:
    case Op::kLsub:
    case Op::kLmul:
    case Op::kLdiv:
    case Op::kLrem:
    case Op::kLneg:
    case Op::kLshl:
    case Op::kLshr:
    case Op::kLushr:
    case Op::kLand:
    case Op::kLor:
    case Op::kLxor:
    case Op::kI2l:
    case Op::kF2l:
    case Op::kD2l:
      return V::kLong;
    case Op::kFconst0:
    case Op::kFconst1:
    case Op::kFconst2:
    case Op::kFload:
    case Op::kFaload:
    case Op::kFadd:
    case Op::kFsub:
    case Op::kFmul:
    case Op::kFdiv:
    case Op::kFrem:
    case Op::kFneg:
    case Op::kI2f:
    case Op::kL2f:
    case Op::kD2f:
      return V::kFloat;
    case Op::kDconst0:
    case Op::kDconst1:
    case Op::kDload:
    case Op::kDaload:
    case Op::kDadd:
    case Op::kDsub:
    case Op::kDmul:
    case Op::kDdiv:
    case Op::kDrem:
    case Op::kDneg:
    case Op::kI2d:
    case Op::kL2d:
    case Op::kF2d:
      return V::kDouble;
    case Op::kJsr:
      return V::kTop;  // a return address; only in classes without frames
    default:
      return V::kInteger;
  }
}

}  // namespace

V TypeOfDescriptor(Code& code, std::string_view type) {
  switch (type[0]) {
    case 'J':
      return {V::kLong, 0};
    case 'D':
      return {V::kDouble, 0};
    case 'F':
      return {V::kFloat, 0};
    case 'L':
      return code.ObjectNamed(type.substr(1, type.size() - 2));
    case '[':
      return code.ObjectNamed(type);
    default:
      return {V::kInteger, 0};
  }
}

std::string_view ClassNameOf(const classfile::ClassFile& file, const Code& code, V type) {
  if (type.tag != V::kObject) return {};
  if (type.data < V::kNameBase) return file.pool.ClassName(static_cast<uint16_t>(type.data));
  return code.names[type.data - V::kNameBase];
}

std::string_view Simulator::NameOf(V type) const { return ClassNameOf(file_, code_, type); }

Error Simulator::Bad(const char* message, const Element& element) const {
  return Error{std::string(message) + " (bci " + std::to_string(element.bci) + ")",
               Error::kNoOffset, file_.Where(method_)};
}

Status Simulator::Start() {
  ASSAY_TRY(EnsureEntryFrame(file_, method_, code_));
  Frame entry = code_.entry;
  entry.exact = true;  // added locals are not assigned yet
  SetFrame(entry);
  return {};
}

void Simulator::SetFrame(const Frame& frame) {
  reachable_ = true;
  auto expand = [&](uint32_t begin, uint32_t count, std::vector<V>& out) {
    out.clear();
    for (uint32_t i = begin; i < begin + count; ++i) {
      out.push_back(code_.types[i]);
      if (code_.types[i].IsWide()) out.push_back({V::kSecond, 0});
    }
  };
  expand(frame.locals_begin, frame.locals_count, locals_);
  expand(frame.stack_begin, frame.stack_count, stack_);
  exact_ = frame.exact;
  if (exact_) return;
  for (const AddedLocal& local : code_.added_locals) {
    if (local.live && local.slot >= locals_.size()) Store(local.slot, local.type);
  }
}

uint32_t Simulator::CaptureFrame() {
  size_t live = locals_.size();
  while (live > 0 && locals_[live - 1].tag == V::kTop) --live;
  auto compress = [](const std::vector<V>& words, size_t count) {
    std::vector<V> out;
    out.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      if (words[i].tag == V::kSecond && i > 0 && words[i - 1].IsWide()) continue;
      out.push_back(words[i].tag == V::kSecond ? V{} : words[i]);
    }
    return out;
  };
  uint32_t frame = code_.AddFrame(compress(locals_, live), compress(stack_, stack_.size()));
  code_.frames[frame].exact = exact_;
  return frame;
}

bool Simulator::ThisIsUninitialized() const {
  for (const V& type : locals_) {
    if (type.tag == V::kUninitializedThis) return true;
  }
  for (const V& type : stack_) {
    if (type.tag == V::kUninitializedThis) return true;
  }
  return false;
}

Status Simulator::Pop(int words) {
  if (words < 0 || stack_.size() < static_cast<size_t>(words)) return Error{"stack underflow"};
  stack_.resize(stack_.size() - static_cast<size_t>(words));
  return {};
}

void Simulator::Push(V type) {
  stack_.push_back(type);
  if (type.IsWide()) stack_.push_back({V::kSecond, 0});
}

void Simulator::PushDescriptor(std::string_view type) {
  if (type != "V") Push(TypeOfDescriptor(code_, type));
}

void Simulator::PushResult(Op op) {
  if (InfoOf(op).push > 0) Push({ResultOf(op), 0});
}

void Simulator::Store(uint16_t slot, V type) {
  size_t need = static_cast<size_t>(slot) + (type.IsWide() ? 2 : 1);
  if (locals_.size() < need) locals_.resize(need);
  if (locals_[slot].tag == V::kSecond && slot > 0) locals_[slot - 1] = {};
  size_t last = need - 1;
  if (last + 1 < locals_.size() && locals_[last + 1].tag == V::kSecond) locals_[last + 1] = {};
  locals_[slot] = type;
  if (type.IsWide()) locals_[slot + 1] = {V::kSecond, 0};
}

void Simulator::Replace(V from, V to) {
  for (V& type : locals_) {
    if (type == from) type = to;
  }
  for (V& type : stack_) {
    if (type == from) type = to;
  }
}

Status Simulator::Step(Element& element) {
  switch (element.kind) {
    case ElementKind::kLabel:
    case ElementKind::kLine:
      return {};
    case ElementKind::kFrame:
      SetFrame(code_.frames[static_cast<size_t>(element.value)]);
      return {};
    case ElementKind::kInstruction:
      break;
  }
  if (!reachable_) return {};
  if (Status status = StepInstruction(element); !status.ok()) {
    if (!status.error().where.empty()) return status;
    return Bad(status.error().message.c_str(), element);
  }
  if (EndsFlow(element.op)) reachable_ = false;
  return {};
}

Status Simulator::StepInstruction(Element& element) {
  Op op = element.op;
  const OpInfo& info = InfoOf(op);
  switch (op) {
    case Op::kAload: {
      if (element.index >= locals_.size()) return Error{"load of an unset local"};
      Push(V(locals_[element.index]));
      return {};
    }
    case Op::kIstore:
    case Op::kLstore:
    case Op::kFstore:
    case Op::kDstore:
    case Op::kAstore: {
      size_t words = static_cast<size_t>(info.pop);
      if (stack_.size() < words) return Error{"stack underflow"};
      V type = stack_[stack_.size() - words];
      stack_.resize(stack_.size() - words);
      Store(element.index, type);
      return {};
    }
    case Op::kDup:
    case Op::kDupX1:
    case Op::kDupX2:
    case Op::kDup2:
    case Op::kDup2X1:
    case Op::kDup2X2:
    case Op::kSwap:
      return Duplicate(op);
    case Op::kAaload:
      return LoadElement();
    case Op::kLdc:
    case Op::kLdc2W:
      return LoadConstant(element);
    case Op::kNew:
    case Op::kCheckcast:
    case Op::kNewarray:
    case Op::kAnewarray:
    case Op::kMultianewarray:
    case Op::kGetstatic:
    case Op::kPutstatic:
    case Op::kGetfield:
    case Op::kPutfield:
      return Special(element);
    default:
      if (IsInvoke(op)) return Invoke(element);
      ASSAY_TRY(Pop(info.pop));
      PushResult(op);
      return {};
  }
}

Status Simulator::Special(Element& element) {
  switch (element.op) {
    case Op::kNew: {
      if (!element.self.valid()) element.self = code_.NewLabel();
      V type{V::kUninitialized, element.self.id};
      Replace(type, {});
      Push(type);
      return {};
    }
    case Op::kCheckcast:
      ASSAY_TRY(Pop(1));
      Push({V::kObject, element.index});
      return {};
    case Op::kNewarray:
    case Op::kAnewarray:
    case Op::kMultianewarray:
      return MakeArray(element);
    default: {
      std::string_view type = file_.pool.Member(element.index).descriptor;
      if (type.empty() || classfile::FieldTypeLength(type) != type.size()) {
        return Error{"bad field descriptor"};
      }
      bool get = element.op == Op::kGetstatic || element.op == Op::kGetfield;
      bool object = element.op == Op::kGetfield || element.op == Op::kPutfield;
      ASSAY_TRY(Pop((get ? 0 : classfile::TypeWords(type)) + (object ? 1 : 0)));
      if (get) PushDescriptor(type);
      return {};
    }
  }
}

Status Simulator::MakeArray(const Element& element) {
  if (element.op == Op::kNewarray) {
    ASSAY_TRY(Pop(1));
    if (element.value < 4 || element.value > 11) return Error{"bad newarray type"};
    Push(code_.ObjectNamed(kArrayOf[element.value - 4]));
    return {};
  }
  if (element.op == Op::kMultianewarray) {
    ASSAY_TRY(Pop(element.value));
    Push({V::kObject, element.index});
    return {};
  }
  ASSAY_TRY(Pop(1));
  std::string name(file_.pool.ClassName(element.index));
  Push(code_.ObjectNamedCopy(name.starts_with('[') ? "[" + name : "[L" + name + ";"));
  return {};
}

Status Simulator::LoadElement() {
  if (stack_.size() < 2) return Error{"stack underflow"};
  V array = stack_[stack_.size() - 2];
  stack_.resize(stack_.size() - 2);
  std::string_view name = NameOf(array);
  if (!name.starts_with('[')) {
    Push({V::kNull, 0});  // an element of null
    return {};
  }
  name.remove_prefix(1);
  if (name.empty()) return Error{"bad array type"};
  Push(TypeOfDescriptor(code_, name));
  return {};
}

Status Simulator::LoadConstant(const Element& element) {
  switch (file_.pool.TagAt(element.index)) {
    case Tag::kInteger:
      Push({V::kInteger, 0});
      return {};
    case Tag::kFloat:
      Push({V::kFloat, 0});
      return {};
    case Tag::kLong:
      Push({V::kLong, 0});
      return {};
    case Tag::kDouble:
      Push({V::kDouble, 0});
      return {};
    case Tag::kString:
      Push(code_.ObjectNamed("java/lang/String"));
      return {};
    case Tag::kClass:
      Push(code_.ObjectNamed("java/lang/Class"));
      return {};
    case Tag::kMethodHandle:
      Push(code_.ObjectNamed("java/lang/invoke/MethodHandle"));
      return {};
    case Tag::kMethodType:
      Push(code_.ObjectNamed("java/lang/invoke/MethodType"));
      return {};
    case Tag::kDynamic: {
      std::string_view type = file_.pool.DynamicNameAndType(element.index).descriptor;
      if (type.empty() || classfile::FieldTypeLength(type) != type.size()) break;
      PushDescriptor(type);
      return {};
    }
    default:
      break;
  }
  return Error{"bad constant"};
}

Status Simulator::Invoke(const Element& element) {
  bool dynamic = element.op == Op::kInvokedynamic;
  std::string_view descriptor, name;
  if (dynamic) {
    descriptor = file_.pool.DynamicNameAndType(element.index).descriptor;
  } else {
    auto member = file_.pool.Member(element.index);
    descriptor = member.descriptor;
    name = member.name;
  }
  classfile::DescriptorReader types(descriptor);
  int words = 0;
  for (std::string_view type; types.NextParameter(&type);) words += classfile::TypeWords(type);
  if (!types.ok()) return Error{"bad method descriptor"};
  ASSAY_TRY(Pop(words));
  if (!dynamic && element.op != Op::kInvokestatic) {
    if (stack_.empty()) return Error{"stack underflow"};
    V receiver = stack_.back();
    stack_.pop_back();
    if (element.op == Op::kInvokespecial && name == "<init>") {
      if (receiver.tag == V::kUninitializedThis) {
        Replace(receiver, {V::kObject, file_.this_class});
      } else if (receiver.tag == V::kUninitialized) {
        Replace(receiver, {V::kObject, file_.pool.First(element.index)});
      }
    }
  }
  PushDescriptor(types.Return());
  return {};
}

Status Simulator::Duplicate(Op op) {
  // How many words are copied, and how many they jump over.
  int count = op == Op::kDup || op == Op::kDupX1 || op == Op::kDupX2 ? 1 : 2;
  int skip = op == Op::kDupX1 || op == Op::kDup2X1   ? 1
             : op == Op::kDupX2 || op == Op::kDup2X2 ? 2
                                                     : 0;
  if (op == Op::kSwap) {
    if (stack_.size() < 2) return Error{"stack underflow"};
    std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
    return {};
  }
  if (stack_.size() < static_cast<size_t>(count + skip)) return Error{"stack underflow"};
  std::vector<V> top(stack_.end() - count, stack_.end());
  stack_.insert(stack_.end() - count - skip, top.begin(), top.end());
  return {};
}

}  // namespace assay::bytecode
