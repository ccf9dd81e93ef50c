#include <bit>
#include <cstdio>

#include "src/base/utf8.h"
#include "src/bytecode/print.h"

namespace assay::bytecode {

using classfile::ClassFile;
using classfile::Tag;

namespace {

// Control characters and quotes escaped.
std::string Escape(std::string_view text) {
  std::string out;
  for (char c : ValidUtf8(text)) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '"' || c == '\\' || c == '\'') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out;
}

std::string NameAndType(const classfile::NameAndType& pair) {
  std::string name(pair.name);
  if (name.starts_with('<')) name = "\"" + name + "\"";
  return name + ":" + std::string(pair.descriptor);
}

std::string Member(const ClassFile& file, uint16_t index) {
  auto member = file.pool.Member(index);
  std::string owner(member.owner);
  if (owner.starts_with('[')) owner = "\"" + owner + "\"";
  std::string text = NameAndType({member.name, member.descriptor});
  // Members of the class itself are named without it.
  return member.owner == file.Name() ? text : owner + "." + text;
}

const char* HandleKind(uint8_t kind) {
  static const char* const kNames[] = {"?",
                                       "REF_getField",
                                       "REF_getStatic",
                                       "REF_putField",
                                       "REF_putStatic",
                                       "REF_invokeVirtual",
                                       "REF_invokeStatic",
                                       "REF_invokeSpecial",
                                       "REF_newInvokeSpecial",
                                       "REF_invokeInterface"};
  return kNames[kind <= 9 ? kind : 0];
}

std::string Number(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

}  // namespace

std::string DescribeConstant(const ClassFile& file, uint16_t index) {
  const auto& pool = file.pool;
  switch (pool.TagAt(index)) {
    case Tag::kInteger:
      return "int " + std::to_string(pool.Integer(index));
    case Tag::kFloat:
      return "float " + Number("%.9gf", std::bit_cast<float>(pool.FloatBits(index)));
    case Tag::kLong:
      return "long " + std::to_string(pool.Long(index)) + "l";
    case Tag::kDouble:
      return "double " + Number("%.17gd", std::bit_cast<double>(pool.DoubleBits(index)));
    case Tag::kString:
      return "String " + Escape(pool.String(index));
    case Tag::kClass: {
      std::string name(pool.ClassName(index));
      return "class " + (name.starts_with('[') ? "\"" + name + "\"" : name);
    }
    case Tag::kFieldRef:
      return "Field " + Member(file, index);
    case Tag::kMethodRef:
      return "Method " + Member(file, index);
    case Tag::kInterfaceMethodRef:
      return "InterfaceMethod " + Member(file, index);
    case Tag::kMethodHandle: {
      std::string text = std::string(HandleKind(pool.MethodHandleKind(index))) + " ";
      auto member = pool.Member(pool.MethodHandleReference(index));
      return "MethodHandle " + text + std::string(member.owner) + "." +
             NameAndType({member.name, member.descriptor});
    }
    case Tag::kMethodType:
      return "MethodType " + std::string(pool.MethodType(index));
    case Tag::kDynamic:
      return "Dynamic #" + std::to_string(pool.BootstrapIndex(index)) + ":" +
             NameAndType(pool.DynamicNameAndType(index));
    case Tag::kInvokeDynamic:
      return "InvokeDynamic #" + std::to_string(pool.BootstrapIndex(index)) + ":" +
             NameAndType(pool.DynamicNameAndType(index));
    default:
      return "constant " + std::to_string(index);
  }
}

}  // namespace assay::bytecode
