// The code of a duplicated method, in this order:
//
//   entry:      check, to the copy when it says so
//   the body:   jumps backwards to H go to back(H)
//   the copy:   with operations; jumps backwards to H go to back(H) as well
//   back(H):    check ? copy of H : H
//
// Checks on edges are all pieces of their own behind the rest, so that the body stays as it is and
// nothing has to jump around them. Such a piece lies in the exception ranges of the block that it
// leads to: a probe can throw (stack overflow), and HotSpot does not compile a method in which that
// could leave a monitor locked (generateOopMap.cpp, do_exception_edge).
//
// A jump is backwards when its target does not come later in the code. Every cycle has one, also in
// irreducible code; it is what HotSpot counts as a back edge. A cycle through an exception handler
// further up is left by the copy's exception ranges: they lead to handlers of the body.
#include "src/instrument/duplicate.h"

#include "src/instrument/duplicate_plan.h"
#include "src/instrument/duplicator.h"

namespace assay::instrument {

using bytecode::Code;
using bytecode::Element;
using bytecode::Op;

namespace {

// The first call that may throw, so that what follows is not executed.
uint32_t FirstCall(const classfile::ClassFile& file, const Code& code) {
  for (uint32_t i = 0; i < code.elements.size(); ++i) {
    const Element& element = code.elements[i];
    if (!element.IsInstruction() || !bytecode::IsInvoke(element.op)) continue;
    bool harmless = element.op == Op::kInvokespecial &&
                    file.pool.Member(element.index).owner == "java/lang/Object" &&
                    file.pool.Member(element.index).name == "<init>";
    if (!harmless) return i;
  }
  return ~0u;
}

}  // namespace

bool DuplicatePass::LeftToCallers(const Plan& plan, const classfile::ClassFile& file,
                                  const classfile::Method& method, const Code& code) const {
  if (!options_.by_calls || !IsStraight(code) || !IsCalledByCode(file, method)) return false;
  const uint32_t last = FirstCall(file, code);
  std::vector<uint32_t> ids;
  for (const Operation& operation : plan.operations) {
    const Point& point = operation.point;
    if (!point.plain || (point.place != Place::kBefore && point.place != Place::kEntry)) {
      return false;
    }
    if (point.place == Place::kBefore && point.element > last) return false;
    ids.push_back(point.id);
  }
  return ids_.CountsByCalls(file, method, ids);
}

Result<bool> DuplicatePass::Apply(classfile::ClassFile& file, const classfile::Method& method,
                                  Code& code) {
  uint32_t bytes_before = EstimateBytes(code);
  ASSAY_ASSIGN(Plan plan, MakePlan(options_, plugins_, ids_, file, method, code));
  if (plan.operations.empty() || LeftToCallers(plan, file, method, code)) return false;
  Duplicator duplicator(options_, plan, file, code);
  ASSAY_TRY(duplicator.Run(file.pool));
  if (bytes_before <= options_.max_bytes && EstimateBytes(code) > options_.max_bytes) {
    return Error{"would be longer than " + std::to_string(options_.max_bytes) + " bytes"};
  }
  return true;
}

}  // namespace assay::instrument
