// Instrumentation sampling by code duplication (Arnold and Ryder, A framework for reducing the cost of
// instrumented code, PLDI 2001), on bytecode.
//
// A method gets a second copy of its body, and only the copy has the operations of the
// instrumentations. The original, the checking code, asks a trigger on entry and on every jump
// backwards whether to go over to the copy; the copy goes back at its own jumps backwards, to the same
// check. So a visit of the copy is one path without cycles, and checks executed never exceed entries
// plus back edges (Property 1), whatever is instrumented.
//   full     the whole body is copied
//   partial  blocks from which no operation can be reached any more, and blocks before the first
//            operation, are not copied; checks move to where the copied part begins
//   none     no copy: a check around every operation. Property 1 does not hold
//   automatic  per method: none where operations are no more frequent than checks would be
//            or a copy would be too large, else partial
#pragma once

#include <string_view>
#include <vector>

#include "src/instrument/instrumentation.h"
#include "src/instrument/pass.h"

namespace assay::instrument {

enum class Duplication { kFull, kPartial, kNone, kAutomatic };

struct DuplicateOptions {
  Duplication duplication = Duplication::kFull;
  std::string_view check = "counter";  // the method of the runtime that is the trigger: ()Z
  uint32_t iterations = 1;             // that a visit of the copy may last
  // HotSpot does not compile longer methods unless told so: they are refused, unless they were
  // that long before.
  uint32_t max_bytes = 8000;
  bool count_checks = false;  // verify Property 1 by counting
  bool checks_only = false;   // no operations: the cost of the framework alone
};

class DuplicatePass : public Pass {
 public:
  DuplicatePass(const DuplicateOptions& options, std::vector<const Instrumentation*> plugins,
                PointIds& ids)
      : options_(options), plugins_(std::move(plugins)), ids_(ids) {}
  std::string_view name() const override { return "duplicate"; }
  Result<bool> Apply(classfile::ClassFile& file, const classfile::Method& method,
                     bytecode::Code& code) override;

 private:
  DuplicateOptions options_;
  std::vector<const Instrumentation*> plugins_;
  PointIds& ids_;
};

}  // namespace assay::instrument
