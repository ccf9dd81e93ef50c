// The rewriting of `--collect bytecodes`: counts executed bytecodes per thread, keeps a stack of
// method numbers, and asks for a sample when the counter has run down. Section 4 and 5 of P3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/instrument/count_weights.h"
#include "src/instrument/pass.h"

namespace assay::instrument {

// Gives each method its number. Called on the thread that rewrites.
class MethodNumbers {
 public:
  virtual ~MethodNumbers() = default;
  virtual uint32_t Method(std::string_view class_name, std::string_view name,
                          std::string_view descriptor) = 0;
};

struct CountOptions {
  std::string runtime = "java/lang/AssayCounter";
  // At most this many bytecodes between two checks; 0 = as many as a path has.
  uint32_t max_path = 0;
  // Methods without calls stay off the stack (P3, 5.1). Only with fewer_checks.
  bool leaf_methods = true;
  // Checks only at entries and in loops that call, otherwise in every block, at every call and exit.
  bool fewer_checks = true;
  OpcodeWeights weights;
  // Methods remove themselves from the stack when an exception leaves them. Needed when not every
  // method that may catch one is rewritten.
  bool unwind = false;
};

class CountPass : public Pass {
 public:
  // `jdk_class`: subject to count_scope.h, and does not start counting by itself.
  CountPass(MethodNumbers& numbers, const CountOptions& options, bool jdk_class)
      : numbers_(numbers), options_(options), jdk_class_(jdk_class) {}
  std::string_view name() const override { return "count"; }
  Result<bool> Apply(classfile::ClassFile& file, const classfile::Method& method,
                     bytecode::Code& code) override;

 private:
  MethodNumbers& numbers_;
  const CountOptions& options_;
  bool jdk_class_;
};

}  // namespace assay::instrument
