#include "src/bytecode/print.h"

#include <cstdarg>
#include <cstdio>

#include "src/bytecode/decode.h"
#include "src/bytecode/simulator.h"

namespace assay::bytecode {

using classfile::ClassFile;
using classfile::Method;
using V = VerificationType;

namespace {

const char* const kArrayTypes[] = {"boolean", "char",  "float", "double",
                                   "byte",    "short", "int",   "long"};

class Printer {
 public:
  Printer(const ClassFile& file, const Method& method, const PrintOptions& options)
      : file_(file), method_(method), options_(options) {}

  std::string Run() {
    Print("  %s%s\n", Text(file_.NameOf(method_)), Text(file_.DescriptorOf(method_)));
    Print("    flags: 0x%04x\n", method_.access_flags);
    if (!method_.HasCode()) return std::move(out_);
    if (Status status = DecodeCode(file_, method_, code_); !status.ok()) {
      Print("    // cannot be decoded: %s\n", status.error().ToString().c_str());
      return std::move(out_);
    }
    Print("    Code:\n      stack=%u, locals=%u, length=%u\n", code_.max_stack, code_.max_locals,
          code_.original_length);
    FindLabels();
    bytes_ = method_.CurrentCode().subspan(8);
    for (const Element& element : code_.elements) PrintElement(element);
    PrintTries();
    if (options_.variables) PrintVariables();
    return std::move(out_);
  }

 private:
  __attribute__((format(printf, 2, 3))) void Print(const char* format, ...) {
    char small[256];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = std::vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (size >= static_cast<int>(sizeof small)) {
      std::string large(static_cast<size_t>(size) + 1, 0);
      std::vsnprintf(large.data(), large.size(), format, again);
      out_.append(large, 0, static_cast<size_t>(size));
    } else if (size > 0) {
      out_.append(small, static_cast<size_t>(size));
    }
    va_end(again);
  }
  // Valid until the statement's end; names have no zero bytes in modified UTF-8.
  const char* Text(std::string_view text) {
    texts_[next_text_ ^= 1] = text;
    return texts_[next_text_].c_str();
  }

  void FindLabels() {
    places_.assign(code_.label_count, 0);
    for (const Element& element : code_.elements) {
      if (element.IsLabel()) places_[element.label().id] = element.bci;
      if (element.IsInstruction() && element.self.valid()) places_[element.self.id] = element.bci;
    }
  }
  int Place(Label label) const { return places_[label.id]; }

  void PrintElement(const Element& element) {
    switch (element.kind) {
      case ElementKind::kLabel:
        break;
      case ElementKind::kLine:
        if (options_.lines) Print("      line %u:\n", element.index);
        break;
      case ElementKind::kFrame:
        if (options_.frames) PrintFrame(code_.frames[static_cast<size_t>(element.value)]);
        break;
      case ElementKind::kInstruction:
        PrintInstruction(element);
        break;
    }
  }

  std::string Type(V type) const {
    switch (type.tag) {
      case V::kTop:
      case V::kSecond:
        return "top";
      case V::kInteger:
        return "int";
      case V::kFloat:
        return "float";
      case V::kDouble:
        return "double";
      case V::kLong:
        return "long";
      case V::kNull:
        return "null";
      case V::kUninitializedThis:
        return "this";
      case V::kObject:
        return std::string(ClassNameOf(file_, code_, type));
      case V::kUninitialized:
        return "new@" + std::to_string(Place({type.data}));
    }
    return "?";
  }

  std::string Types(uint32_t begin, uint32_t count) const {
    std::string text = "[";
    for (uint32_t i = 0; i < count; ++i) {
      text += (i ? ", " : "") + Type(code_.types[begin + i]);
    }
    return text + "]";
  }

  void PrintFrame(const Frame& frame) {
    Print("      frame: locals = %s stack = %s\n",
          Types(frame.locals_begin, frame.locals_count).c_str(),
          Types(frame.stack_begin, frame.stack_count).c_str());
  }

  void PrintInstruction(const Element& element) {
    // The opcode as it stands in the code: the model does not tell iload_1 from iload 1.
    uint8_t opcode = bytes_[static_cast<size_t>(element.bci)];
    const OpInfo& info = kOpInfo[opcode];
    bool wide = info.operands == Operands::kWide;
    std::string name = wide ? NameOf(element.op) + std::string("_w") : info.name;
    Print("%10d: %-13s", element.bci, name.c_str());
    switch (wide ? InfoOf(element.op).operands : info.operands) {
      case Operands::kByte:
      case Operands::kShort:
        Print(" %d", element.value);
        break;
      case Operands::kLocal:
        Print(" %u", element.index);
        break;
      case Operands::kIinc:
        Print(" %u, %d", element.index, element.value);
        break;
      case Operands::kJump:
      case Operands::kJumpWide:
        Print(" %d", Place(element.label()));
        break;
      case Operands::kNewArray:
        Print(" %s", kArrayTypes[element.value - 4]);
        break;
      case Operands::kTableSwitch:
      case Operands::kLookupSwitch:
        PrintSwitch(element);
        break;
      case Operands::kInvokeInterface:
      case Operands::kMultiNewArray:
        Print(" #%u,  %d // %s", element.index, element.value,
              DescribeConstant(file_, element.index).c_str());
        break;
      case Operands::kInvokeDynamic:
        Print(" #%u,  0 // %s", element.index, DescribeConstant(file_, element.index).c_str());
        break;
      case Operands::kLdc:
      case Operands::kLdcWide:
      case Operands::kField:
      case Operands::kMethod:
      case Operands::kClass:
        Print(" #%u // %s", element.index, DescribeConstant(file_, element.index).c_str());
        break;
      default:
        break;
    }
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  }

  void PrintSwitch(const Element& element) {
    const Switch& table = code_.switches[static_cast<size_t>(element.value)];
    Print(" { // %zu\n", table.targets.size());
    for (size_t i = 0; i < table.targets.size(); ++i) {
      int64_t key = table.keys.empty() ? table.low + static_cast<int64_t>(i) : table.keys[i];
      Print("%24lld: %d\n", static_cast<long long>(key), Place(table.targets[i]));
    }
    Print("%24s: %d\n            }", "default", Place(table.fallback));
  }

  void PrintTries() {
    if (code_.tries.empty()) return;
    Print("    Exception table:\n       from    to  target type\n");
    for (const TryRange& range : code_.tries) {
      std::string type = range.catch_type ? DescribeConstant(file_, range.catch_type) : "any";
      Print("      %5d %5d %5d   %s\n", Place(range.start), Place(range.end), Place(range.handler),
            type.c_str());
    }
  }

  void PrintVariables() {
    if (code_.variables.empty()) return;
    Print("    LocalVariableTable:\n      Start  Length  Slot  Name   Signature\n");
    for (const LocalVariable& variable : code_.variables) {
      Print("%11d %7d %5u %5s   %s\n", Place(variable.start),
            Place(variable.end) - Place(variable.start), variable.slot,
            Text(file_.pool.Utf8(variable.name_index)), Text(file_.pool.Utf8(variable.type_index)));
    }
  }

  const ClassFile& file_;
  const Method& method_;
  const PrintOptions& options_;
  Code code_;
  ByteSpan bytes_;
  std::vector<int> places_;
  std::string out_;
  std::string texts_[2];
  int next_text_ = 0;
};

}  // namespace

std::string PrintMethod(const ClassFile& file, const Method& method, const PrintOptions& options) {
  return Printer(file, method, options).Run();
}

std::string PrintClass(const ClassFile& file, const PrintOptions& options) {
  std::string out = "class " + std::string(file.Name());
  if (file.super_class != 0) out += " extends " + std::string(file.SuperName());
  for (size_t i = 0; i < file.interfaces.size(); ++i) {
    out += (i ? ", " : " implements ") + std::string(file.pool.ClassName(file.interfaces[i]));
  }
  char line[96];
  std::snprintf(line, sizeof line, "\n  version: %u.%u\n  flags: 0x%04x\n  constant pool: %u\n",
                file.major, file.minor, file.access_flags, file.pool.size() - 1);
  out += line;
  for (const classfile::Field& field : file.fields) {
    out += "  " + std::string(file.NameOf(field)) + " " + std::string(file.DescriptorOf(field));
    std::snprintf(line, sizeof line, "\n    flags: 0x%04x\n", field.access_flags);
    out += line;
  }
  for (const Method& method : file.methods) out += "\n" + PrintMethod(file, method, options);
  return out;
}

}  // namespace assay::bytecode
