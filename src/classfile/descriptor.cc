#include "src/classfile/descriptor.h"

namespace assay::classfile {

size_t FieldTypeLength(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && text[i] == '[') ++i;
  if (i > 255 || i == text.size()) return 0;
  switch (text[i]) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z':
      return i + 1;
    case 'L': {
      size_t end = text.find(';', i);
      return end == std::string_view::npos || end == i + 1 ? 0 : end + 1;
    }
    default:
      return 0;
  }
}

DescriptorReader::DescriptorReader(std::string_view descriptor) {
  if (descriptor.empty() || descriptor[0] != '(') {
    ok_ = false;
  } else {
    rest_ = descriptor.substr(1);
  }
}

bool DescriptorReader::NextParameter(std::string_view* type) {
  if (!ok_) return false;
  if (rest_.empty()) {
    ok_ = !return_.empty();
    return false;
  }
  if (rest_[0] == ')') {
    return_ = rest_.substr(1);
    ok_ = return_ == "V" || (!return_.empty() && FieldTypeLength(return_) == return_.size());
    rest_ = {};
    return false;
  }
  size_t length = FieldTypeLength(rest_);
  if (length == 0) {
    ok_ = false;
    return false;
  }
  *type = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return true;
}

MethodWords CountWords(std::string_view method_descriptor) {
  DescriptorReader types(method_descriptor);
  int words = 0;
  for (std::string_view type; types.NextParameter(&type);) words += TypeWords(type);
  if (!types.ok()) return {};
  return {words, TypeWords(types.Return())};
}

}  // namespace assay::classfile
