// A call site that is to be guarded, as a plan describes it, and whether an instruction is that
// site.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/bytecode/code.h"
#include "src/classfile/constant_pool.h"

namespace assay::instrument {

constexpr char kGuardsClass[] = "java/lang/AssayGuards";

// An element of AssayGuards.OF_LOADERS or AssayGuards.CLASSES.
struct Guarded {
  uint32_t index = 0;
  bool of_loader = false;
};

struct GuardedSite {
  std::string method;  // the caller's name and descriptor
  std::string descriptor;
  uint32_t code_bytes = 0;  // the length of the caller's code; 0 = any
  uint32_t bci = 0;
  std::string callee;  // name and descriptor that the call must have
  std::string callee_descriptor;
  std::vector<Guarded> guards;
};

// Why the instruction cannot be this site; "" when it can. Null is no instruction.
std::string Mismatch(const classfile::ConstantPool& pool, const bytecode::Element* element,
                     const GuardedSite& site);
// An upper bound of the bytes that guards add to the caller.
uint32_t GrowthOf(const GuardedSite& site);

}  // namespace assay::instrument
