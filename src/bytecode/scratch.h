// Buffers that decoding and encoding fill anew for every method, kept in the Code so that a run
// over many methods allocates them once.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::bytecode {

// A place between two elements, named by a number; bound by the kLabel element that carries it, or
// by the instruction whose `self` it is.
struct Label {
  static constexpr uint32_t kNone = ~0u;
  uint32_t id = kNone;
  bool valid() const { return id != kNone; }
  bool operator==(const Label&) const = default;
};

struct Scratch {
  struct Placed {
    uint32_t pc;
    uint32_t number;  // a line, or the number of a frame
  };
  struct Fixup {
    uint32_t at;    // where the offset is stored, in the code
    uint32_t from;  // the instruction it is relative to
    Label label;
    uint32_t element;
    bool wide;
  };
  std::vector<uint32_t> marks;    // decoder, per pc
  std::vector<uint32_t> offsets;  // encoder, per label
  std::vector<Fixup> fixups;
  std::vector<Placed> lines;
  std::vector<Placed> frames;
  std::vector<uint32_t> try_index;
};

}  // namespace assay::bytecode
