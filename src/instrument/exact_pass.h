// The rewriting of `--collect exact`: probes at entry, around calls, at handlers, on back edges and
// at every exit, for the runtime class java/lang/AssayExact.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/instrument/pass.h"

namespace assay::instrument {

// Numbers that the probes carry. Called in the order of the code, on the thread that rewrites.
class ExactIds {
 public:
  virtual ~ExactIds() = default;
  virtual uint32_t Method(std::string_view class_name, std::string_view name,
                          std::string_view descriptor) = 0;
  // A call site; `target` is what the instruction names, all empty for invokedynamic; bci -1 is all
  // calls of the method together.
  virtual uint32_t Site(uint32_t method, int32_t bci, const classfile::MemberRef& target) = 0;
  // 0 is reserved for "could be anything".
  virtual uint32_t NameAndType(std::string_view name, std::string_view descriptor) = 0;
};

class ExactPass : public Pass {
 public:
  explicit ExactPass(ExactIds& ids) : ids_(ids) {}
  std::string_view name() const override { return "exact"; }
  Result<bool> Apply(classfile::ClassFile& file, const classfile::Method& method,
                     bytecode::Code& code) override;
  Status ApplyBriefly(classfile::ClassFile& file, const classfile::Method& method,
                      bytecode::Code& code) override;

 private:
  Status Rewrite(classfile::ClassFile& file, const classfile::Method& method, bytecode::Code& code,
                 bool brief);

  ExactIds& ids_;
};

}  // namespace assay::instrument
