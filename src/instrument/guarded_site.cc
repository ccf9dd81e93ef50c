#include "src/instrument/guarded_site.h"

#include "src/classfile/descriptor.h"

namespace assay::instrument {

using bytecode::Element;
using bytecode::Op;

std::string Mismatch(const classfile::ConstantPool& pool, const Element* element,
                     const GuardedSite& site) {
  if (element == nullptr) return "stale: there is no instruction at this bci";
  if (!element->Is(Op::kInvokevirtual) && !element->Is(Op::kInvokeinterface)) {
    return "stale: the instruction is no virtual call";
  }
  classfile::MemberRef target = pool.Member(element->index);
  if (target.name != site.callee || target.descriptor != site.callee_descriptor) {
    return "stale: the call is to " + std::string(target.name) + std::string(target.descriptor);
  }
  if (target.owner.starts_with('[')) return "the receiver is an array";
  if (target.owner == "java/lang/invoke/MethodHandle" ||
      target.owner == "java/lang/invoke/VarHandle") {
    return "the method is signature polymorphic";
  }
  return "";
}

uint32_t GrowthOf(const GuardedSite& site) {
  uint32_t words = static_cast<uint32_t>(classfile::CountWords(site.callee_descriptor).parameters);
  uint32_t guards = static_cast<uint32_t>(site.guards.size());
  return 4 + 4 * words + guards * (17 + 4 * words + 8) + 4 * words;
}

}  // namespace assay::instrument
