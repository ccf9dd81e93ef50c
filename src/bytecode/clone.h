// Copies of code, with labels, frames, switches and exception ranges of their own.
#pragma once

#include <span>
#include <vector>

#include "src/bytecode/code.h"

namespace assay::bytecode {

// Old label -> new label, for the labels bound in the copied code; all others stay as they are.
class LabelMap {
 public:
  explicit LabelMap(uint32_t label_count) : map_(label_count) {}
  Label operator[](Label label) const {
    return label.id < map_.size() && map_[label.id].valid() ? map_[label.id] : label;
  }
  bool Has(Label label) const { return label.id < map_.size() && map_[label.id].valid(); }
  void Set(Label from, Label to) { map_[from.id] = to; }

 private:
  std::vector<Label> map_;
};

// New labels for every label that `elements` bind.
LabelMap MapLabels(Code& code, std::span<const Element> elements);

// The copy of one element: jumps inside the copied code stay inside the copy. Copies keep their
// bci.
Element CloneElement(Code& code, const Element& element, const LabelMap& map);

// Exception ranges and variables whose whole range was copied get a copy, in the same order. Call
// it once for each map, with the number of ranges that were there before any copy.
void CloneRanges(Code& code, const LabelMap& map, size_t original_tries, size_t original_variables,
                 size_t original_variable_types);
void CloneRanges(Code& code, const LabelMap& map);

}  // namespace assay::bytecode
