#include "src/bytecode/annotation_skip.h"

namespace assay::bytecode {

namespace {

constexpr int kMaxNesting = 64;

bool SkipAnnotation(ByteReader& reader, int depth);

bool SkipValue(ByteReader& reader, int depth) {
  if (depth > kMaxNesting) return false;
  switch (reader.U1()) {
    case 'e':
      reader.Skip(4);
      return reader.ok();
    case '@':
      return SkipAnnotation(reader, depth + 1);
    case '[': {
      uint16_t count = reader.U2();
      for (uint32_t i = 0; i < count; ++i) {
        if (!SkipValue(reader, depth + 1)) return false;
      }
      return reader.ok();
    }
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z':
    case 's':
    case 'c':
      reader.Skip(2);
      return reader.ok();
    default:
      return false;
  }
}

bool SkipAnnotation(ByteReader& reader, int depth) {
  reader.Skip(2);
  uint16_t pairs = reader.U2();
  for (uint32_t i = 0; i < pairs; ++i) {
    reader.Skip(2);
    if (!SkipValue(reader, depth)) return false;
  }
  return reader.ok();
}

}  // namespace

bool SkipTypePathAndAnnotation(ByteReader& reader) {
  reader.Skip(2u * reader.U1());
  return reader.ok() && SkipAnnotation(reader, 0);
}

}  // namespace assay::bytecode
