// Every class of jars, .jmod files and .class files through the library:
//   corpus_tool [--pass NAME] [--out JAR] FILE...
// checks that each comes back byte-identical, then decodes and re-encodes every method (or applies
// the pass) and writes the result. Prints one line of totals in JSON; classes and methods that are
// refused are counted by reason.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/classfile/class_file.h"
#include "tests/corpus/transforms.h"
#include "tests/corpus/zip_file.h"

namespace assay::corpus {
namespace {

struct Totals {
  uint64_t classes = 0, bytes = 0, refused_classes = 0, changed = 0;
  uint64_t methods = 0, skipped = 0;
  std::map<std::string, uint64_t> reasons;
};

struct Options {
  std::string pass = "reencode";
  std::string out;
  std::vector<std::string> files;
};

// The message without its numbers, so that like cases are counted together.
std::string Reason(const Error& error) {
  std::string text;
  std::string message = error.message.substr(0, error.message.find(" (bci"));
  for (char c : message.substr(0, message.find(" known for"))) {
    if (c < '0' || c > '9') text += c;
  }
  return text;
}

void Process(const Options& options, std::string_view name, ByteSpan bytes, Totals& totals,
             ZipWriter& out) {
  ++totals.classes;
  totals.bytes += bytes.size();
  auto parsed = classfile::ParseClass(bytes);
  if (!parsed.ok()) {
    ++totals.refused_classes;
    ++totals.reasons["class: " + Reason(parsed.error())];
    std::fprintf(stderr, "refused %.*s: %s\n", static_cast<int>(name.size()), name.data(),
                 parsed.error().ToString().c_str());
    return;
  }
  classfile::ClassFile& file = *parsed;
  ByteVector same = classfile::WriteClass(file);
  if (same.size() != bytes.size() || std::memcmp(same.data(), bytes.data(), same.size()) != 0) {
    ++totals.changed;
    std::fprintf(stderr, "not identical: %.*s\n", static_cast<int>(name.size()), name.data());
  }
  See(file);
  bytecode::Code code;
  for (classfile::Method& method : file.methods) {
    if (!method.HasCode()) continue;
    ++totals.methods;
    Status status = Transform(options.pass, file, method, code);
    if (!status.ok()) {
      ++totals.skipped;
      ++totals.reasons[Reason(status.error())];
      std::fprintf(stderr, "skipped: %s\n", status.error().ToString().c_str());
    }
  }
  if (!options.out.empty()) {
    std::string path(file.Name());
    out.Add(path + ".class", classfile::WriteClass(file));
  }
}

bool IsClass(std::string_view name) {
  return name.ends_with(".class") && !name.ends_with("module-info.class");
}

int Run(const Options& options) {
  Totals totals;
  ZipWriter out;
  for (const std::string& path : options.files) {
    auto content = ReadFile(path);
    Status status = content.ok() ? Status() : Status(content.error());
    if (content.ok() && content->size() > 4 && (*content)[0] == 0xca) {
      Process(options, path, *content, totals, out);
    } else if (content.ok()) {
      status = ForEachEntry(*content, IsClass, [&](std::string_view name, ByteVector bytes) {
        Process(options, name, bytes, totals, out);
      });
    }
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), status.error().ToString().c_str());
      return 1;
    }
  }
  if (!options.out.empty()) {
    Status status = WriteFile(options.out, out.Finish());
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
      return 1;
    }
  }
  std::printf(
      "{\"classes\": %lu, \"bytes\": %lu, \"refused_classes\": %lu, \"changed\": %lu, "
      "\"methods\": %lu, \"skipped\": %lu, \"reasons\": {",
      totals.classes, totals.bytes, totals.refused_classes, totals.changed, totals.methods,
      totals.skipped);
  const char* separator = "";
  for (const auto& [reason, count] : totals.reasons) {
    std::printf("%s\"%s\": %lu", separator, reason.c_str(), count);
    separator = ", ";
  }
  std::printf("}}\n");
  return 0;
}

}  // namespace
}  // namespace assay::corpus

int main(int argc, char** argv) {
  assay::corpus::Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--pass" && i + 1 < argc) {
      options.pass = argv[++i];
    } else if (argument == "--out" && i + 1 < argc) {
      options.out = argv[++i];
    } else {
      options.files.push_back(argument);
    }
  }
  return assay::corpus::Run(options);
}
