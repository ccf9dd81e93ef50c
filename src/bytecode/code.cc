#include "src/bytecode/code.h"

#include <algorithm>

#include "src/base/hash.h"

namespace assay::bytecode {

void Code::Clear() {
  elements.clear();
  switches.clear();
  tries.clear();
  frames.clear();
  types.clear();
  names.clear();
  owned_names.clear();
  name_table.clear();
  variables.clear();
  variable_types.clear();
  annotations.clear();
  unknown.clear();
  added_locals.clear();
  label_count = try_count = max_stack = max_locals = original_max_locals = original_length = 0;
  has_frames = has_entry = false;
  entry = {};
  attribute_names = {};
}

uint16_t Code::AddLocal(VerificationType type, bool live) {
  uint16_t slot = static_cast<uint16_t>(max_locals);
  max_locals += type.IsWide() ? 2 : 1;
  added_locals.push_back({slot, type, live});
  return slot;
}

VerificationType Code::ObjectNamed(std::string_view class_name) {
  auto type = [](size_t i) {
    return VerificationType{VerificationType::kObject,
                            VerificationType::kNameBase + static_cast<uint32_t>(i)};
  };
  // Most methods need a handful of names; a table pays only beyond that.
  if (names.size() < 16) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == class_name) return type(i);
    }
    names.push_back(class_name);
    return type(names.size() - 1);
  }
  if (name_table.size() < names.size() * 2) {
    name_table.assign(std::max<size_t>(64, name_table.size() * 4), 0);
    for (size_t i = 0; i < names.size(); ++i) *NameSlot(names[i]) = static_cast<uint32_t>(i + 1);
  }
  uint32_t* slot = NameSlot(class_name);
  if (*slot == 0) {
    names.push_back(class_name);
    *slot = static_cast<uint32_t>(names.size());
  }
  return type(*slot - 1);
}

uint32_t* Code::NameSlot(std::string_view class_name) {
  size_t mask = name_table.size() - 1;
  size_t slot = HashBytes(class_name) & mask;
  while (name_table[slot] != 0 && names[name_table[slot] - 1] != class_name) {
    slot = (slot + 1) & mask;
  }
  return &name_table[slot];
}

VerificationType Code::ObjectNamedCopy(std::string class_name) {
  size_t before = names.size();
  owned_names.push_back(std::make_unique<std::string>(std::move(class_name)));
  VerificationType type = ObjectNamed(*owned_names.back());
  if (names.size() == before) owned_names.pop_back();
  return type;
}

uint32_t Code::AddFrame(const std::vector<VerificationType>& locals,
                        const std::vector<VerificationType>& stack) {
  Frame frame;
  frame.locals_begin = static_cast<uint32_t>(types.size());
  frame.locals_count = static_cast<uint32_t>(locals.size());
  types.insert(types.end(), locals.begin(), locals.end());
  frame.stack_begin = static_cast<uint32_t>(types.size());
  frame.stack_count = static_cast<uint32_t>(stack.size());
  types.insert(types.end(), stack.begin(), stack.end());
  frames.push_back(frame);
  return static_cast<uint32_t>(frames.size() - 1);
}

int Code::StackWords(const Frame& frame) const {
  int words = 0;
  for (uint32_t i = 0; i < frame.stack_count; ++i) {
    words += types[frame.stack_begin + i].IsWide() ? 2 : 1;
  }
  return words;
}

uint32_t Code::AddFrameWithStack(uint32_t like, VerificationType only) {
  Frame frame = frames[like];
  frame.stack_begin = static_cast<uint32_t>(types.size());
  frame.stack_count = 1;
  types.push_back(only);
  frames.push_back(frame);
  return static_cast<uint32_t>(frames.size() - 1);
}

}  // namespace assay::bytecode
