#include "src/bytecode/hierarchy.h"

#include <vector>

namespace assay::bytecode {

namespace {

constexpr std::string_view kObject = "java/lang/Object";
constexpr int kMaxDepth = 1000;  // against cycles in what hostile classes claim

// The superclasses of `name` from itself up to Object. False when one of them is not known; those
// found before are in `chain` all the same.
bool Ancestors(const Hierarchy& hierarchy, std::string_view name,
               std::vector<std::string_view>& chain) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    chain.push_back(name);
    if (name == kObject) return true;
    const ClassFacts* facts = hierarchy.Find(name);
    if (!facts) return false;
    if (facts->is_interface) {
      chain.push_back(kObject);
      return true;
    }
    name = facts->super;
  }
  return false;
}

std::string CommonClass(const Hierarchy& hierarchy, std::string_view a, std::string_view b) {
  if (a == b) return std::string(a);
  if (a == kObject || b == kObject) return std::string(kObject);
  std::vector<std::string_view> of_a, of_b;
  bool known_a = Ancestors(hierarchy, a, of_a);
  bool known_b = Ancestors(hierarchy, b, of_b);
  // With a gap in a chain, an ancestor found below the gap is still right if the other side is
  // that ancestor's descendant by what is known.
  for (std::string_view candidate : of_a) {
    if (candidate == kObject && !(known_a && known_b)) continue;
    for (std::string_view other : of_b) {
      if (candidate == other) return std::string(candidate);
    }
  }
  return {};
}

size_t Dimensions(std::string_view name) {
  size_t count = name.find_first_not_of('[');
  return count == std::string_view::npos ? 0 : count;
}

std::string ObjectArray(size_t dimensions) {
  if (dimensions == 0) return std::string(kObject);
  return std::string(dimensions, '[') + "L" + std::string(kObject) + ";";
}

}  // namespace

void SeenClasses::Add(const classfile::ClassFile& file) {
  classes_[std::string(file.Name())] = {std::string(file.SuperName()), file.IsInterface()};
}

const ClassFacts* SeenClasses::Find(std::string_view class_name) const {
  auto found = classes_.find(std::string(class_name));
  return found == classes_.end() ? nullptr : &found->second;
}

std::string CommonSuperclass(const Hierarchy& hierarchy, std::string_view a, std::string_view b) {
  if (a == b) return std::string(a);
  size_t dimensions_a = Dimensions(a), dimensions_b = Dimensions(b);
  if (dimensions_a == 0 && dimensions_b == 0) return CommonClass(hierarchy, a, b);
  if (dimensions_a == 0 || dimensions_b == 0) return std::string(kObject);
  bool primitive_a = a[dimensions_a] != 'L', primitive_b = b[dimensions_b] != 'L';
  size_t shared = std::min(dimensions_a, dimensions_b);
  if (primitive_a && dimensions_a == shared) return ObjectArray(shared - 1);
  if (primitive_b && dimensions_b == shared) return ObjectArray(shared - 1);
  if (dimensions_a != dimensions_b) return ObjectArray(shared);
  std::string element = CommonClass(hierarchy, a.substr(shared + 1, a.size() - shared - 2),
                                    b.substr(shared + 1, b.size() - shared - 2));
  if (element.empty()) return {};
  return std::string(shared, '[') + "L" + element + ";";
}

}  // namespace assay::bytecode
