// A pass rewrites method bodies; RewriteClass applies passes to every method of a class and keeps a
// method as it is when one of them fails, and empty finalizers. Pure functions of bytes: nothing
// here knows a JVM.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::instrument {

class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  // Called once per class, before its methods.
  virtual void BeginClass(const classfile::ClassFile& file) {}
  // Rewrites one body; an Error means: leave this method alone, for the reason given. Returns
  // whether anything changed.
  virtual Result<bool> Apply(classfile::ClassFile& file, const classfile::Method& method,
                             bytecode::Code& code) = 0;
  // The least that keeps the results of other methods right, for a method that what Apply adds would
  // make too large. Such a method still counts as skipped.
  virtual Status ApplyBriefly(classfile::ClassFile& file, const classfile::Method& method,
                              bytecode::Code& code) {
    return Error{"no brief form"};
  }
};

// HotSpot does not register objects for finalization whose finalize() is a lone `return`
// (classFileParser.cpp): with any other code in it they would be kept until it has run.
bool IsEmptyFinalizer(const classfile::ClassFile& file, const classfile::Method& method);

struct SkippedMethod {
  std::string method;  // name and descriptor
  std::string reason;
};

struct Rewritten {
  ByteVector bytes;  // empty when no method changed
  std::vector<SkippedMethod> skipped;
  uint32_t methods = 0;  // with code
};

// The Error is for a class that cannot be read at all.
Result<Rewritten> RewriteClass(ByteSpan bytes, std::span<Pass* const> passes);

}  // namespace assay::instrument
