// Instrumentation sampling by code duplication (Arnold and Ryder, A framework for reducing the cost of
// instrumented code, PLDI 2001), on bytecode.
//
// A method gets a second copy of its body, and only the copy has the operations of the
// instrumentations. The original, the checking code, asks a trigger on entry and on every jump
// backwards whether to go over to the copy; the copy goes back at its own jumps backwards, to the same
// check. So a visit of the copy is one path without cycles, and checks executed never exceed entries
// plus back edges (Property 1), whatever is instrumented.
//
// The paper's compiler inlines before it instruments, so that small methods have no checks of their
// own and are sampled with the code around them. With by_calls the same holds here:
//   - a method without branches whose operations only count is left alone: its callers' call edges
//     say how often each of them was executed (PointIds::CountsByCalls);
//   - the copy of a method says so to the thread before it calls, and a small method without loops goes
//     to its copy exactly when it was called that way. It has a check still, but one that only reads.
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
  std::string_view check = "counter";  // the method of the runtime that is the trigger: (I)Z
  uint32_t iterations = 1;             // that a visit of the copy may last
  // HotSpot does not compile longer methods unless told so: they are refused, unless they were
  // that long before.
  uint32_t max_bytes = 8000;
  bool count_checks = false;  // verify Property 1 by counting
  bool checks_only = false;   // no operations: the cost of the framework alone
  bool entry_checks = true;   // false: the constant 0 in place of these checks
  bool back_edge_checks = true;
  // Every call instruction of the program has an operation (call-edge, all classes). Then small
  // methods are sampled together with the calls that reach them.
  bool by_calls = false;
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
  bool LeftToCallers(const struct Plan& plan, const classfile::ClassFile& file,
                     const classfile::Method& method, const bytecode::Code& code) const;

  DuplicateOptions options_;
  std::vector<const Instrumentation*> plugins_;
  PointIds& ids_;
};

}  // namespace assay::instrument
