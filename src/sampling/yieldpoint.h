// One way to see calls: a place that compiled code passes anyway and that can be made to report, for
// one thread at a time, by changing one word of that thread.
#pragma once

#include <cstdint>
#include <string>

#include "src/base/result.h"

namespace assay::sampling {

class Yieldpoint {
 public:
  virtual ~Yieldpoint() = default;
  virtual const char* name() const = 0;

  // Puts the hook in place. From then on armed threads report.
  virtual Status Install() = 0;
  // Takes it out again; armed threads must have been disarmed. True: the VM is as it was. When the VM
  // is ending, what only costs time to undo may stay.
  virtual bool Remove(bool vm_is_ending) = 0;

  // From any thread, while `thread` (a JavaThread*) is kept alive. Arm: whether it armed just now.
  virtual bool Arm(uintptr_t thread) = 0;
  virtual void Disarm(uintptr_t thread) = 0;
  virtual bool IsArmed(uintptr_t thread) const = 0;
  // Whether it rests on the shape of compiled code, so that code compiled later can prove it wrong.
  virtual bool RestsOnCompiledCode() const { return true; }
  // Whether the VM takes the mark away in the middle of a burst as a matter of course: see MarkKeeper.
  virtual bool VmTakesMarks() const { return false; }
  // What one passage of its hook adds to a call, in cycles, where the program computes between calls and part of it
  // overlaps with that (found with CallDensityBias; a tight loop of calls shows more).
  virtual double HookCycles() const { return 36; }
  // By how many bytes it moved the code of a method; names as in source and class files.
  virtual uint32_t MovedBy(const std::string& class_name, const std::string& method,
                           const std::string& descriptor) const {
    return 0;
  }
  // Which calls it sees, for people.
  virtual const char* Sees() const {
    return "calls that remain after JIT inlining, made to compiled methods";
  }
  // What was derived, for people.
  virtual std::string Describe() const = 0;
};

}  // namespace assay::sampling
