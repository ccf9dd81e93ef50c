// What is known about superclasses, from class files that were seen. Never asks the JVM.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "src/classfile/class_file.h"

namespace assay::bytecode {

struct ClassFacts {
  std::string super;  // empty for java/lang/Object
  bool is_interface = false;
};

class Hierarchy {
 public:
  virtual ~Hierarchy() = default;
  // Null when the class is not known.
  virtual const ClassFacts* Find(std::string_view class_name) const = 0;
};

// Classes whose bytes went by. Not safe for concurrent use.
class SeenClasses : public Hierarchy {
 public:
  void Add(const classfile::ClassFile& file);
  const ClassFacts* Find(std::string_view class_name) const override;

 private:
  std::unordered_map<std::string, ClassFacts> classes_;
};

// The most specific class that both types extend, as the verifier sees it: interfaces count as
// java/lang/Object (JVMS 4.10.1.2). Names are classes or array descriptors. Empty when a class that
// matters is not known.
std::string CommonSuperclass(const Hierarchy& hierarchy, std::string_view a, std::string_view b);

}  // namespace assay::bytecode
