// Which calls of a method are made equally often, whatever the method computes: call sites in one
// basic block, or in blocks where each run through one is a run through the other. Works on the bare
// bytes of a body, as a running VM hands them out: no constant pool, no exception table. Calls in
// exception handlers are in no group, and an exception between two calls of a group is a rare
// exception to the rule.
//
// Two blocks run equally often when one dominates the other, the other postdominates the one, and
// both are in the same loops (for reducible graphs that is cycle equivalence: Johnson, Pearson and Pingali, "The
// program structure tree", 1994). Methods that are not reducible, or too large, give no groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::bytecode {

struct CallGroup {
  bool at_entry = false;          // made exactly once per call of the method
  std::vector<uint32_t> sites;    // bytecode indices of invoke instructions, ascending
};

// Groups of two calls or more, and the group at the entry if it has one at least. Nothing for bytes
// that are no valid body.
std::vector<CallGroup> FindCallGroups(std::span<const uint8_t> code);

}  // namespace assay::bytecode
