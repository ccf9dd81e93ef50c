#include "src/instrument/entry_probe.h"

#include "src/bytecode/code_builder.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/prepend.h"

namespace assay::instrument {
namespace {

constexpr uint32_t kCallSize = 3;

// The code_length of a Code attribute, JVMS 4.7.3.
uint32_t BodyLength(const classfile::Method& method) {
  ByteReader in(method.CurrentCode());
  in.Skip(4);
  return in.U4();
}

// For methods that PrependCode leaves to the general way: those with type annotations in their code.
Status InsertCall(classfile::ClassFile& file, classfile::Method& method, uint16_t call,
                  bytecode::Code& code) {
  ASSAY_TRY(bytecode::DecodeCode(file, method, code));
  bytecode::CodeBuilder build(file, code);
  build.InvokeStatic(call);
  for (const bytecode::Element& element : build.Old()) build.Copy(element);
  ASSAY_TRY(build.Finish());
  const uint32_t before = BodyLength(method);
  ASSAY_TRY(bytecode::EncodeCode(code, file, method));
  if (BodyLength(method) == before + kCallSize) return {};
  method.new_code.clear();
  return Error{"a switch or a long jump would move by another distance than the rest"};
}

}  // namespace

Result<Rewritten> AddEntryProbes(ByteSpan bytes, const EntryProbe& probe) {
  ASSAY_ASSIGN(classfile::ClassFile file, classfile::ParseClass(bytes));
  Rewritten result;
  ASSAY_ASSIGN(uint16_t call, file.pool.AddMethodRef(probe.owner, probe.method, "()V"));
  const uint8_t instruction[] = {0xb8, static_cast<uint8_t>(call >> 8), static_cast<uint8_t>(call)};
  bytecode::Code code;
  bool changed = false;
  for (classfile::Method& method : file.methods) {
    if (!method.HasCode()) continue;
    ++result.methods;
    const uint32_t length = BodyLength(method);
    if (length < probe.shortest_body || IsEmptyFinalizer(file, method)) continue;
    Status status = bytecode::PrependCode(file, method, instruction, 0);
    if (!status.ok()) status = InsertCall(file, method, call, code);
    if (status.ok()) {
      changed = true;
      if (probe.moved) probe.moved(file, method, BodyLength(method) - length);
    } else {
      result.skipped.push_back(
          {std::string(file.NameOf(method)) + std::string(file.DescriptorOf(method)),
           status.error().message});
    }
  }
  if (changed) result.bytes = classfile::WriteClass(file);
  return result;
}

}  // namespace assay::instrument
