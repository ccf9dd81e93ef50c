// Field and method descriptors (JVMS 4.3), read without allocating.
#pragma once

#include <string_view>

namespace assay::classfile {

// Walks the parameters of a method descriptor, then yields its return type.
//   DescriptorReader types(descriptor);
//   for (std::string_view type; types.NextParameter(&type);) ...
//   if (!types.ok()) ... ; types.Return()
class DescriptorReader {
 public:
  explicit DescriptorReader(std::string_view descriptor);
  bool NextParameter(std::string_view* type);
  // The return type, valid once NextParameter has returned false.
  std::string_view Return() const { return return_; }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  std::string_view return_;
  bool ok_ = true;
};

// The length of the field type at the start of `text`, 0 if there is none.
size_t FieldTypeLength(std::string_view text);

// Words (32-bit slots) that a value of this type takes: 2 for J and D, 0 for V.
inline int TypeWords(std::string_view type) {
  if (type.empty()) return 0;
  return type[0] == 'J' || type[0] == 'D' ? 2 : type[0] == 'V' ? 0 : 1;
}

struct MethodWords {
  int parameters = -1;  // without the receiver; -1 when the descriptor is malformed
  int result = 0;
};
MethodWords CountWords(std::string_view method_descriptor);

}  // namespace assay::classfile
