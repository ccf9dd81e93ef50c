// Every class of jars, .jmod files and .class files through the library:
//   corpus_tool [--passes NAME,NAME...] [--out FOLDER] [--limit N] FILE...
// checks that each distinct class comes back byte-identical, puts it through each pass, and with
// --out writes FOLDER/<number of the file>.<pass>.jar with the results that can be loaded by name.
// Prints totals as JSON; classes and methods that are refused are counted by reason, and listed on
// the error output. With --list prints the names of the passes.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "src/base/hash.h"
#include "src/classfile/class_file.h"
#include "tests/corpus/transforms.h"
#include "tests/corpus/zip_file.h"

namespace assay::corpus {
namespace {

struct PassTotals {
  uint64_t methods = 0, skipped = 0;
  std::map<std::string, uint64_t> reasons;
};

struct Options {
  std::vector<std::string> passes;
  std::string out;
  uint64_t limit = ~0ull;
  std::vector<std::string> files;
};

// The message without what differs from case to case, so that like cases are counted together.
std::string Reason(const std::string& message) {
  std::string text;
  for (char c : message.substr(0, std::min(message.find(" (bci"), message.find(" known for")))) {
    if (c < '0' || c > '9') text += c == '"' || c == '\\' ? '\'' : c;
  }
  return text;
}

class Sweep {
 public:
  explicit Sweep(const Options& options) : options_(options) {}

  bool Run() {
    for (const std::string& name : options_.passes) {
      passes_.push_back(MakeTransform(name));
      if (!passes_.back() && name != "prepend") return Fail("no pass " + name);
    }
    totals_.resize(passes_.size());
    // Types are merged with all classes known.
    if (std::count(options_.passes.begin(), options_.passes.end(), "infer")) {
      learning_ = true;
      if (!ForEachFile()) return false;
      learning_ = false;
      seen_.clear();
    }
    return ForEachFile();
  }

  void Print() const {
    std::printf(
        "{\"classes\": %lu, \"bytes\": %lu, \"duplicates\": %lu, \"refused\": %lu, "
        "\"not_identical\": %lu, \"elsewhere\": %lu, \"refused_reasons\": ",
        classes_, bytes_, duplicates_, refused_, not_identical_, elsewhere_);
    PrintMap(refused_reasons_);
    std::printf(", \"passes\": {");
    for (size_t i = 0; i < totals_.size(); ++i) {
      std::printf("%s\"%s\": {\"methods\": %lu, \"skipped\": %lu, \"reasons\": ", i ? ", " : "",
                  options_.passes[i].c_str(), totals_[i].methods, totals_[i].skipped);
      PrintMap(totals_[i].reasons);
      std::printf("}");
    }
    std::printf("}}\n");
  }

 private:
  static void PrintMap(const std::map<std::string, uint64_t>& map) {
    std::printf("{");
    const char* separator = "";
    for (const auto& [key, count] : map) {
      std::printf("%s\"%s\": %lu", separator, key.c_str(), count);
      separator = ", ";
    }
    std::printf("}");
  }
  static bool Fail(const std::string& message) {
    std::fprintf(stderr, "corpus_tool: %s\n", message.c_str());
    return false;
  }

  bool ForEachFile() {
    for (size_t i = 0; i < options_.files.size(); ++i) {
      const std::string& path = options_.files[i];
      auto content = ReadFile(path);
      if (!content.ok()) return Fail(content.error().ToString());
      writers_ = std::vector<ZipWriter>(passes_.size());
      written_.clear();
      Status status;
      if (content->size() > 4 && (*content)[0] == 0xca && (*content)[1] == 0xfe) {
        Process(path, *content);
      } else {
        status = ForEachEntry(*content, IsClass, [&](std::string_view name, ByteVector bytes) {
          Process(name, bytes);
        });
      }
      // Distributions carry the odd broken archive; what could be read of it counts.
      if (!status.ok()) Fail(path + ": " + status.error().ToString());
      if (!learning_ && !options_.out.empty() && !WriteResults(i)) return false;
    }
    return true;
  }

  static bool IsClass(std::string_view name) {
    return name.ends_with(".class") && !name.ends_with("module-info.class");
  }

  bool WriteResults(size_t number) {
    for (size_t i = 0; i < passes_.size(); ++i) {
      std::string path =
          options_.out + "/" + std::to_string(number) + "." + options_.passes[i] + ".jar";
      Status status = WriteFile(path, writers_[i].Finish());
      if (!status.ok()) return Fail(status.error().ToString());
    }
    return true;
  }

  void Process(std::string_view path, const ByteVector& bytes) {
    if (classes_ >= options_.limit) return;
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!seen_.insert(HashBytes(text)).second) {
      if (!learning_) ++duplicates_;
      return;
    }
    auto parsed = classfile::ParseClass(bytes);
    if (learning_) {
      if (parsed.ok()) See(*parsed);
      return;
    }
    ++classes_;
    bytes_ += bytes.size();
    if (!parsed.ok()) {
      ++refused_;
      ++refused_reasons_[Reason(parsed.error().message)];
      std::fprintf(stderr, "refused %.*s: %s\n", static_cast<int>(path.size()), path.data(),
                   parsed.error().ToString().c_str());
      return;
    }
    if (classfile::WriteClass(*parsed) != bytes) {
      ++not_identical_;
      std::fprintf(stderr, "not identical: %.*s\n", static_cast<int>(path.size()), path.data());
    }
    std::string entry = std::string(parsed->Name()) + ".class";
    bool loadable = path == entry || path == "classes/" + entry || path.starts_with('/');
    loadable = loadable && written_.insert(entry).second;
    if (!loadable) ++elsewhere_;
    for (size_t i = 0; i < passes_.size(); ++i) Apply(i, bytes, entry, loadable);
  }

  void Apply(size_t i, const ByteVector& bytes, const std::string& entry, bool loadable) {
    auto result = Transform(options_.passes[i], passes_[i].get(), bytes);
    if (!result.ok()) {
      std::fprintf(stderr, "%s: %s\n", entry.c_str(), result.error().ToString().c_str());
      return;
    }
    PassTotals& totals = totals_[i];
    totals.methods += result->methods;
    totals.skipped += result->skipped.size();
    for (const auto& skipped : result->skipped) {
      ++totals.reasons[Reason(skipped.reason)];
      std::fprintf(stderr, "skipped by %s: %s %s: %s\n", options_.passes[i].c_str(), entry.c_str(),
                   skipped.method.c_str(), skipped.reason.c_str());
    }
    if (loadable) writers_[i].Add(entry, result->bytes.empty() ? bytes : result->bytes);
  }

  const Options& options_;
  std::vector<std::unique_ptr<instrument::Pass>> passes_;
  std::vector<ZipWriter> writers_;
  std::vector<PassTotals> totals_;
  std::unordered_set<uint64_t> seen_;
  std::unordered_set<std::string> written_;
  std::map<std::string, uint64_t> refused_reasons_;
  uint64_t classes_ = 0, bytes_ = 0, duplicates_ = 0, refused_ = 0, not_identical_ = 0;
  uint64_t elsewhere_ = 0;
  bool learning_ = false;
};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    bool more = i + 1 < argc;
    if (argument == "--list") {
      for (const std::string& name : TransformNames()) std::printf("%s\n", name.c_str());
      return 0;
    }
    if (argument == "--passes" && more) {
      options.passes = Split(argv[++i]);
    } else if (argument == "--out" && more) {
      options.out = argv[++i];
    } else if (argument == "--limit" && more) {
      options.limit = std::strtoull(argv[++i], nullptr, 10);
    } else {
      options.files.push_back(argument);
    }
  }
  Sweep sweep(options);
  if (!sweep.Run()) return 1;
  sweep.Print();
  return 0;
}

}  // namespace
}  // namespace assay::corpus

int main(int argc, char** argv) { return assay::corpus::Main(argc, argv); }
