#include "tests/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

#include "src/bytecode/clone.h"
#include "src/bytecode/code_builder.h"
#include "src/bytecode/control_flow.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/infer_frames.h"
#include "src/bytecode/max_stack.h"
#include "src/bytecode/prepend.h"
#include "src/bytecode/print.h"
#include "src/bytecode/simulator.h"
#include "src/bytecode/test_method.h"
#include "src/bytecode/this_init.h"

namespace assay::fuzz {

using bytecode::Code;
using classfile::ClassFile;
using classfile::Method;

namespace {

void Require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

bool SameFrames(const ClassFile& file, const Code& a, const Code& b) {
  if (a.frames.size() != b.frames.size()) return false;
  auto same_types = [&](uint32_t a_at, uint32_t a_count, uint32_t b_at, uint32_t b_count) {
    if (a_count != b_count) return false;
    for (uint32_t i = 0; i < a_count; ++i) {
      auto x = a.types[a_at + i], y = b.types[b_at + i];
      if (x.tag != y.tag) return false;
      if (bytecode::ClassNameOf(file, a, x) != bytecode::ClassNameOf(file, b, y)) return false;
    }
    return true;
  };
  for (size_t i = 0; i < a.frames.size(); ++i) {
    const auto &x = a.frames[i], &y = b.frames[i];
    if (!same_types(x.locals_begin, x.locals_count, y.locals_begin, y.locals_count)) return false;
    if (!same_types(x.stack_begin, x.stack_count, y.stack_begin, y.stack_count)) return false;
  }
  return true;
}

// Whatever decodes can be analysed without harm, and encodes to something equal.
void Exercise(ClassFile& file, Method& method) {
  auto code = bytecode::DecodeCode(file, method);
  if (!code.ok()) return;
  (void)bytecode::ControlFlow::Build(*code);
  (void)bytecode::ThisUninitialized(file, method, *code);
  Code copy;
  if (bytecode::DecodeCode(file, method, copy).ok()) {
    (void)bytecode::ComputeMaxStack(file.pool, copy);
    (void)bytecode::InferFrames(file, method, copy, bytecode::SeenClasses());
  }
  if (bytecode::DecodeCode(file, method, copy).ok()) {
    bytecode::CodeBuilder build(file, copy);
    auto map = bytecode::MapLabels(copy, build.Old());
    for (const auto& element : build.Old()) {
      build.Copy(bytecode::CloneElement(copy, element, map));
    }
    bytecode::CloneRanges(copy, map);
    (void)build.Finish();
  }
  ByteVector before = method.new_code;
  Status encoded = bytecode::EncodeCode(*code, file, method);
  if (!encoded.ok()) return;
  auto again = bytecode::DecodeCode(file, method);
  Require(again.ok(), "what was encoded can be decoded");
  Require(again->elements.size() == code->elements.size(), "re-encoding keeps every element");
  Require(SameFrames(file, *code, *again), "re-encoding keeps the frames");
  method.new_code = before;
  if (bytecode::PrependCode(file, method, ByteVector(3, 0), 1).ok()) {
    Require(bytecode::DecodeCode(file, method).ok(), "what was prepended to can be decoded");
  }
}

}  // namespace

void FuzzClass(ByteSpan bytes) {
  auto file = classfile::ParseClass(bytes);
  if (!file.ok()) {
    Require(file.error().offset <= bytes.size(), "errors of the parser have an offset");
    return;
  }
  ByteVector same = classfile::WriteClass(*file);
  Require(same.size() == bytes.size() && std::equal(same.begin(), same.end(), bytes.begin()),
          "unchanged classes are identical");
  (void)bytecode::PrintClass(*file);
  for (Method& method : file->methods) {
    if (method.HasCode()) Exercise(*file, method);
  }
}

namespace {

// A pool with something of every kind that instructions and frames refer to.
void FillPool(ClassFile& file) {
  auto& pool = file.pool;
  (void)pool.AddClass("[Ljava/lang/String;");
  (void)pool.AddClass("java/lang/Throwable");
  (void)pool.AddInteger(1 << 20);
  (void)pool.AddLong(1ll << 40);
  (void)pool.AddString("text");
  (void)pool.AddFieldRef("T", "f", "J");
  (void)pool.AddMethodRef("T", "<init>", "()V");
  (void)pool.AddMethodRef("T", "m", "(IJLT;)[I");
  (void)pool.AddInterfaceMethodRef("I", "m", "(D)V");
  (void)pool.AddDynamic(classfile::Tag::kInvokeDynamic, 0, "d", "(I)LT;");
  (void)pool.AddDynamic(classfile::Tag::kDynamic, 0, "c", "Z");
  for (const char* name :
       {"LineNumberTable", "LocalVariableTable", "LocalVariableTypeTable", "StackMapTable",
        "RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations", "Unknown"}) {
    (void)pool.AddUtf8(name);
  }
}

}  // namespace

void FuzzCode(ByteSpan bytes) {
  if (bytes.size() < 2) return;
  // The first byte chooses what else matters to the decoder.
  bool old = (bytes[0] & 1) != 0, constructor = (bytes[0] & 2) != 0;
  bytecode::TestMethod test(old ? 49 : 61, constructor ? "(ILT;J)V" : "(LT;D)I",
                            constructor ? 0 : classfile::kAccStatic, constructor ? "<init>" : "m");
  FillPool(test.file);
  test.method().new_code.assign(bytes.begin() + 1, bytes.end());
  Exercise(test.file, test.method());
}

void FuzzStackMap(ByteSpan bytes) {
  bytecode::TestMethod test(61, "(ILT;J)V");
  FillPool(test.file);
  uint16_t name = *test.file.pool.AddUtf8("StackMapTable");
  uint8_t object = static_cast<uint8_t>(test.file.this_class);
  ByteVector instructions;
  for (int i = 0; i < 100; ++i) instructions.insert(instructions.end(), {0xbb, 0, object, 0x57});
  instructions.push_back(0xb1);
  ByteWriter tail;
  tail.U2(0);
  tail.U2(1);
  tail.U2(name);
  tail.U4(static_cast<uint32_t>(bytes.size()));
  tail.Bytes(bytes);
  test.SetCode(instructions, tail.bytes());
  Exercise(test.file, test.method());
}

}  // namespace assay::fuzz
