// Where the operations of a method are, and which of its blocks are copied for them.
#pragma once

#include <span>
#include <vector>

#include "src/instrument/duplicate.h"

namespace assay::instrument {

struct BlockFacts {
  uint32_t first_instruction = 0;
  uint32_t frame = 0;            // the verifier's state at its start
  bool knows_frame = false;
  bool has_frame = false;        // among its elements
  bool uninitialized = false;    // the state has the result of a `new` before its constructor
  std::vector<uint32_t> handlers;  // of exceptions, further down in the code
};

// An operation: a point and who emits it.
struct Operation {
  Point point;
  const Instrumentation* by = nullptr;
};

struct Plan {
  bytecode::ControlFlow flow;
  std::vector<BlockFacts> blocks;
  std::vector<Operation> operations;
  std::vector<uint32_t> frame_before;  // per element with an operation, else 0; none mode only
  std::vector<bool> copied;            // per block; empty: no duplication
  bool partial = false;
  bool small = false;  // sampled when its caller is

  bool Copied(uint32_t block) const { return copied[block]; }
};

// Finds operations and decides. Without any operation, the plan has none.
Result<Plan> MakePlan(const DuplicateOptions& options,
                      std::span<const Instrumentation* const> plugins, PointIds& ids,
                      classfile::ClassFile& file, const classfile::Method& method,
                      bytecode::Code& code);

// Not by the VM or by classes that no hook sees, as far as names tell.
bool IsCalledByCode(const classfile::ClassFile& file, const classfile::Method& method);
// As short as what HotSpot always inlines, and no jump backwards.
bool IsSmall(const bytecode::Code& code);
// No branch, switch, exception handler or throw: what is in the method is executed once per call.
bool IsStraight(const bytecode::Code& code);

// The length of the code once encoded, a little too large rather than too small.
uint32_t EstimateBytes(const bytecode::Code& code);

}  // namespace assay::instrument
