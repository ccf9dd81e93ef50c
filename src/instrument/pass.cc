#include "src/instrument/pass.h"

#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"

namespace assay::instrument {
namespace {

Result<bool> RewriteMethod(classfile::ClassFile& file, classfile::Method& method,
                           std::span<Pass* const> passes, bytecode::Code& code) {
  ASSAY_TRY(bytecode::DecodeCode(file, method, code));
  bool changed = false;
  for (Pass* pass : passes) {
    ASSAY_ASSIGN(bool applied, pass->Apply(file, method, code));
    changed |= applied;
  }
  if (changed) ASSAY_TRY(bytecode::EncodeCode(code, file, method));
  return changed;
}

bool RewriteBriefly(classfile::ClassFile& file, classfile::Method& method,
                    std::span<Pass* const> passes, bytecode::Code& code) {
  if (!bytecode::DecodeCode(file, method, code).ok()) return false;
  for (Pass* pass : passes) {
    if (!pass->ApplyBriefly(file, method, code).ok()) return false;
  }
  return bytecode::EncodeCode(code, file, method).ok();
}

}  // namespace

bool IsEmptyFinalizer(const classfile::ClassFile& file, const classfile::Method& method) {
  if (file.NameOf(method) != "finalize" || file.DescriptorOf(method) != "()V") return false;
  ByteReader code(method.CurrentCode());
  code.Skip(4);
  return code.U4() == 1 && code.U1() == static_cast<uint8_t>(bytecode::Op::kReturn) && code.ok();
}

Result<Rewritten> RewriteClass(ByteSpan bytes, std::span<Pass* const> passes) {
  ASSAY_ASSIGN(classfile::ClassFile file, classfile::ParseClass(bytes));
  for (Pass* pass : passes) pass->BeginClass(file);
  Rewritten result;
  bool changed = false;
  bytecode::Code code;
  for (classfile::Method& method : file.methods) {
    if (!method.HasCode()) continue;
    ++result.methods;
    if (IsEmptyFinalizer(file, method)) continue;
    const uint32_t pool_size = file.pool.size();
    auto applied = RewriteMethod(file, method, passes, code);
    if (applied.ok()) {
      changed |= *applied;
      continue;
    }
    file.pool.TruncateTo(pool_size);
    std::string reason = applied.error().message;
    if (RewriteBriefly(file, method, passes, code)) {
      changed = true;
      reason += "; only its entry and exits are seen";
    } else {
      file.pool.TruncateTo(pool_size);
    }
    result.skipped.push_back(
        {std::string(file.NameOf(method)) + std::string(file.DescriptorOf(method)),
         std::move(reason)});
  }
  if (changed) result.bytes = classfile::WriteClass(file);
  return result;
}

}  // namespace assay::instrument
