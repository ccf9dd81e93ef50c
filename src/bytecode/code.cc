#include "src/bytecode/code.h"

namespace assay::bytecode {

void Code::Clear() {
  elements.clear();
  switches.clear();
  tries.clear();
  frames.clear();
  types.clear();
  names.clear();
  owned_names.clear();
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
  // Few names per method, and repeats come close together.
  size_t first = names.size() > 16 ? names.size() - 16 : 0;
  for (size_t i = first; i < names.size(); ++i) {
    if (names[i] == class_name) {
      return {VerificationType::kObject, VerificationType::kNameBase + static_cast<uint32_t>(i)};
    }
  }
  names.push_back(class_name);
  return {VerificationType::kObject,
          VerificationType::kNameBase + static_cast<uint32_t>(names.size() - 1)};
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

uint32_t Code::AddFrameWithStack(uint32_t like, VerificationType only) {
  Frame frame = frames[like];
  frame.stack_begin = static_cast<uint32_t>(types.size());
  frame.stack_count = 1;
  types.push_back(only);
  frames.push_back(frame);
  return static_cast<uint32_t>(frames.size() - 1);
}

}  // namespace assay::bytecode
