// A call of a static method `()V` at the entry of every method of a class: the check of P0 where the VM
// has none. Bodies stay as they are in the bytes (src/bytecode/prepend.h). Pure function of bytes.
#pragma once

#include <functional>
#include <string_view>

#include "src/instrument/pass.h"

namespace assay::instrument {

struct EntryProbe {
  std::string_view owner;   // internal name of the class
  std::string_view method;  // static, ()V
  // Shorter methods get none: HotSpot inlines them whatever happens (MaxTrivialSize), and a check would
  // cost more than what they do.
  uint32_t shortest_body = 7;
  // Told of every method that got a call, and by how many bytes all of its code moved.
  std::function<void(const classfile::ClassFile&, const classfile::Method&, uint32_t)> moved = {};
};

// A method whose code would move by more in some places than in others stays as it is.
Result<Rewritten> AddEntryProbes(ByteSpan bytes, const EntryProbe& probe);

}  // namespace assay::instrument
