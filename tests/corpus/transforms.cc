#include "tests/corpus/transforms.h"

#include "src/bytecode/catch_all.h"
#include "src/bytecode/clone.h"
#include "src/bytecode/code_builder.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/infer_frames.h"
#include "src/bytecode/max_stack.h"

namespace assay::corpus {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Element;
using bytecode::Label;
using bytecode::Op;
using classfile::ClassFile;
using classfile::Method;
using V = bytecode::VerificationType;

namespace {

constexpr const char* kOwner = "java/lang/Thread";

Status Entry(ClassFile& file, Code& code) {
  CodeBuilder build(file, code);
  build.InvokeStatic(kOwner, "onSpinWait", "()V");
  for (const Element& element : build.Old()) build.Copy(element);
  return build.Finish();
}

Status Wrap(ClassFile& file, Method& method, Code& code) {
  uint16_t slot = code.AddLocal({V::kLong, 0}, true);
  CodeBuilder build(file, code);
  build.InvokeStatic("java/lang/System", "nanoTime", "()J");
  build.Store(Op::kLstore, slot);
  Label begin = build.Here();
  for (const Element& element : build.Old()) {
    if (element.IsInstruction() && bytecode::IsReturn(element.op)) {
      build.Load(Op::kLload, slot);
      build.PushLong(1234567890123);
      build.InvokeStatic("java/lang/Math", "max", "(JJ)J");
      build.Store(Op::kLstore, slot);
    }
    build.Copy(element);
  }
  Label end = build.Here();
  ASSAY_TRY(build.Finish());
  ASSAY_ASSIGN(auto regions, bytecode::AddCatchAll(file, method, code, begin, end));
  CodeBuilder handlers(file, code, CodeBuilder::Append{});
  for (const auto& region : regions) {
    handlers.Bind(region.handler);
    handlers.Frame(region.frame);
    handlers.Load(Op::kLload, slot);
    handlers.Emit(Op::kPop2);
    handlers.Emit(Op::kAthrow);
  }
  ASSAY_TRY(handlers.Finish());
  return bytecode::ComputeMaxStack(file.pool, code);
}

Status Clone(ClassFile& file, Method& method, Code& code) {
  ASSAY_TRY(bytecode::EnsureEntryFrame(file, method, code));
  CodeBuilder build(file, code);
  bytecode::LabelMap map = bytecode::MapLabels(code, build.Old());
  Label second = build.NewLabel();
  build.InvokeStatic("java/lang/System", "nanoTime", "()J");
  build.Emit(Op::kL2i);
  build.Jump(Op::kIfeq, second);
  for (const Element& element : build.Old()) build.Copy(element);
  build.Bind(second);
  code.frames.push_back(code.entry);
  build.Frame(static_cast<uint32_t>(code.frames.size() - 1));
  for (const Element& element : build.Old()) {
    build.Copy(bytecode::CloneElement(code, element, map));
  }
  bytecode::CloneRanges(code, map);
  ASSAY_TRY(build.Finish());
  return bytecode::ComputeMaxStack(file.pool, code);
}

Status Spread(ClassFile& file, Code& code) {
  uint32_t room = code.original_length > 30000 ? 0 : 60000 - code.original_length;
  size_t instructions = 0;
  for (const Element& element : code.elements) instructions += element.IsInstruction();
  size_t each = room / 2 / (instructions + 1);
  CodeBuilder build(file, code);
  for (const Element& element : build.Old()) {
    if (element.IsInstruction()) {
      for (size_t i = 0; i < each; ++i) build.Emit(Op::kNop);
    }
    build.Copy(element);
  }
  return build.Finish();
}

// The classes seen so far; enough within one jar, and what is missing shows the fallback.
bytecode::SeenClasses& Seen() {
  static bytecode::SeenClasses seen;
  return seen;
}

}  // namespace

void See(const ClassFile& file) { Seen().Add(file); }

Status Transform(const std::string& name, ClassFile& file, Method& method, Code& code) {
  ASSAY_TRY(bytecode::DecodeCode(file, method, code));
  Status status;
  if (name == "entry") {
    status = Entry(file, code);
  } else if (name == "wrap") {
    status = Wrap(file, method, code);
  } else if (name == "clone") {
    status = Clone(file, method, code);
  } else if (name == "spread") {
    status = Spread(file, code);
  } else if (name == "infer") {
    if (code.has_frames) status = bytecode::InferFrames(file, method, code, Seen());
  } else if (name != "reencode") {
    status = Error{"no transformation " + name};
  }
  if (!status.ok()) return status;
  return bytecode::EncodeCode(code, file, method);
}

}  // namespace assay::corpus
