#include "src/bytecode/clone.h"

namespace assay::bytecode {

LabelMap MapLabels(Code& code, std::span<const Element> elements) {
  LabelMap map(code.label_count);
  for (const Element& element : elements) {
    if (element.IsLabel()) map.Set(element.label(), code.NewLabel());
    if (element.IsInstruction() && element.self.valid()) map.Set(element.self, code.NewLabel());
  }
  return map;
}

namespace {

// Frames are shared unless they name a `new` of the copied code.
int32_t CloneFrame(Code& code, int32_t number, const LabelMap& map) {
  Frame frame = code.frames[static_cast<size_t>(number)];
  auto copy = [&](uint32_t& begin, uint32_t count) {
    bool changed = false;
    for (uint32_t i = begin; i < begin + count; ++i) {
      changed |=
          code.types[i].tag == VerificationType::kUninitialized && map.Has({code.types[i].data});
    }
    if (!changed) return false;
    uint32_t to = static_cast<uint32_t>(code.types.size());
    for (uint32_t i = begin; i < begin + count; ++i) {
      VerificationType type = code.types[i];
      if (type.tag == VerificationType::kUninitialized) type.data = map[{type.data}].id;
      code.types.push_back(type);
    }
    begin = to;
    return true;
  };
  bool changed = copy(frame.locals_begin, frame.locals_count);
  changed |= copy(frame.stack_begin, frame.stack_count);
  if (!changed) return number;
  code.frames.push_back(frame);
  return static_cast<int32_t>(code.frames.size() - 1);
}

int32_t CloneSwitch(Code& code, int32_t number, const LabelMap& map) {
  Switch copy = code.switches[static_cast<size_t>(number)];
  copy.fallback = map[copy.fallback];
  for (Label& target : copy.targets) target = map[target];
  code.switches.push_back(std::move(copy));
  return static_cast<int32_t>(code.switches.size() - 1);
}

void CloneVariables(std::vector<LocalVariable>& variables, const LabelMap& map, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    LocalVariable copy = variables[i];
    if (!map.Has(copy.start) || !map.Has(copy.end)) continue;
    copy.start = map[copy.start];
    copy.end = map[copy.end];
    variables.push_back(copy);
  }
}

}  // namespace

Element CloneElement(Code& code, const Element& element, const LabelMap& map) {
  Element copy = element;
  switch (element.kind) {
    case ElementKind::kLabel:
      copy.value = static_cast<int32_t>(map[element.label()].id);
      break;
    case ElementKind::kFrame:
      copy.value = CloneFrame(code, element.value, map);
      break;
    case ElementKind::kLine:
      break;
    case ElementKind::kInstruction:
      if (element.self.valid()) copy.self = map[element.self];
      if (IsJump(element.op)) {
        copy.value = static_cast<int32_t>(map[element.label()].id);
      } else if (IsSwitch(element.op)) {
        copy.value = CloneSwitch(code, element.value, map);
      }
      break;
  }
  return copy;
}

void CloneRanges(Code& code, const LabelMap& map, size_t original_tries, size_t original_variables,
                 size_t original_variable_types) {
  for (size_t i = 0; i < original_tries; ++i) {
    TryRange copy = code.tries[i];
    if (!map.Has(copy.start) || !map.Has(copy.end)) continue;
    copy.start = map[copy.start];
    copy.end = map[copy.end];
    copy.handler = map[copy.handler];
    copy.id = code.try_count++;
    code.tries.push_back(copy);
  }
  CloneVariables(code.variables, map, original_variables);
  CloneVariables(code.variable_types, map, original_variable_types);
}

void CloneRanges(Code& code, const LabelMap& map) {
  CloneRanges(code, map, code.tries.size(), code.variables.size(), code.variable_types.size());
}

}  // namespace assay::bytecode
