// assay rewrite: a jar or class folder that counts its own bytecodes on any JVM (P3). The classes
// of assay-runtime.jar go into it, with the names behind the method numbers (java/runtime).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "src/agent/class_filter.h"
#include "src/base/hash.h"
#include "src/cli/archive.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/load.h"
#include "src/cli/manifest.h"
#include "src/cli/numbers.h"
#include "src/cli/terminal.h"
#include "src/instrument/count_pass.h"
#include "src/instrument/module_info.h"

extern "C" const unsigned char assay_runtime_jar[];
extern "C" const unsigned char assay_runtime_jar_end[];

namespace assay::cli {
namespace {

constexpr char kRuntimePackage[] = "assay/runtime";
constexpr char kRuntimeModule[] = "assay.runtime";
constexpr char kMethodTable[] = "META-INF/assay/methods";
constexpr char kSettings[] = "META-INF/assay/settings";
constexpr char kManifest[] = "META-INF/MANIFEST.MF";
constexpr uint64_t kMostBytecodes = 500'000'000;

struct RewriteOptions {
  std::string input;
  std::string output;
  std::string runtime = "inside";
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::optional<uint64_t> granularity, jitter, seed;
  std::string profile, agent, weights;
  int64_t first_number = -1;
  instrument::CountOptions count;
};

// Numbers in the order of the code. The first one comes from the content, so that jars rewritten
// apart from each other can run together.
class MethodTable : public instrument::MethodNumbers {
 public:
  explicit MethodTable(uint32_t first) : first_(first) {}
  uint32_t Method(std::string_view class_name, std::string_view name,
                  std::string_view descriptor) override {
    for (std::string_view text : {class_name, name, descriptor}) {
      names_.U2(static_cast<uint16_t>(text.size()));
      names_.Text(text);
    }
    return first_ + count_++;
  }
  uint32_t count() const { return count_; }
  ByteVector File() const {
    ByteWriter out;
    out.U4(first_);
    out.U4(count_);
    out.Bytes(names_.bytes());
    return out.bytes();
  }

 private:
  const uint32_t first_;
  uint32_t count_ = 0;
  ByteWriter names_;
};

bool IsModuleInfo(std::string_view name) {
  return name == "module-info.class" ||
         (name.starts_with("META-INF/versions/") && name.ends_with("/module-info.class"));
}

bool IsClass(std::string_view name) { return name.ends_with(".class") && !IsModuleInfo(name); }

class JarRewriter {
 public:
  JarRewriter(const RewriteOptions& options, Archive& archive)
      : options_(options),
        archive_(archive),
        filter_(options.include, options.exclude),
        count_(options.count) {
    count_.runtime = std::string(kRuntimePackage) + "/Counter";
    count_.unwind = true;
  }

  void Run() {
    for (const std::string& name : archive_.names()) {
      if (name == kMethodTable) {
        throw CommandError(options_.input + " was rewritten before; start from the original");
      }
    }
    ReadClasses();
    MethodTable table(FirstNumber());
    for (const Input& input : classes_) RewriteClass(input, table);
    for (size_t i = 0; i < archive_.names().size(); ++i) Other(i);
    if (table.count() == 0) {
      throw CommandError("no method was chosen; see --include and --exclude");
    }
    AddRuntime(table);
    methods_ = table.count();
  }

  // When the output is there.
  void Report() const {
    if (skipped_ > 20) fmt::print(stderr, "assay: and {} more left as they are\n", skipped_ - 20);
    if (signed_) {
      fmt::print(stderr,
                 "assay: {} is signed; the signature does not hold for changed classes and "
                 "was dropped\n",
                 options_.input);
    }
    if (nested_ > 0) {
      fmt::print(stderr, "assay: {} jars inside were left as they are\n", nested_);
    }
    fmt::print(stderr, "assay: {} methods in {} classes count -> {}\n", Grouped(methods_),
               Grouped(changed_), options_.output);
  }

 private:
  struct Input {
    size_t file;
    ByteVector bytes;
  };

  void ReadClasses() {
    for (size_t i = 0; i < archive_.names().size(); ++i) {
      const std::string& name = archive_.names()[i];
      if (IsClass(name)) classes_.push_back({i, archive_.Read(i)});
      nested_ += name.ends_with(".jar") || name.ends_with(".war");
    }
    if (classes_.empty() && nested_ == 0) throw CommandError(options_.input + " has no classes");
    if (classes_.empty()) {
      throw CommandError(options_.input +
                         " has no classes, only other jars; rewrite those and put them back");
    }
  }

  // A multiple of 2^14 below 2^29.
  uint32_t FirstNumber() const {
    if (options_.first_number >= 0) return static_cast<uint32_t>(options_.first_number);
    uint64_t hash = 0;
    for (const Input& input : classes_) {
      hash = HashCombine(
          hash, HashBytes({reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size()}));
    }
    return static_cast<uint32_t>(hash & 0x7fff) << 14;
  }

  void RewriteClass(const Input& input, MethodTable& table) {
    auto file = classfile::ParseClass(input.bytes);
    const std::string& entry = archive_.names()[input.file];
    if (!file.ok()) return Skip(entry, file.error().ToString());
    if (!filter_.Wants(file->Name())) return;
    if (file->Name().starts_with(kRuntimePackage)) {
      throw CommandError(options_.input + " contains Assay's runtime already");
    }
    instrument::CountPass pass(table, count_, false);
    instrument::Pass* passes[] = {&pass};
    auto rewritten = instrument::RewriteClass(input.bytes, passes);
    if (!rewritten.ok()) return Skip(entry, rewritten.error().ToString());
    for (const auto& skipped : rewritten->skipped)
      Skip(entry + " " + skipped.method, skipped.reason);
    if (rewritten->bytes.empty()) return;
    ++changed_;
    archive_.Replace(input.file, std::move(rewritten->bytes));
  }

  // Anything that is not a class.
  void Other(size_t i) {
    const std::string& name = archive_.names()[i];
    if (IsModuleInfo(name)) {
      ByteVector bytes = archive_.Read(i);
      auto changed = options_.runtime == "inside"
                         ? instrument::AddModulePackage(bytes, kRuntimePackage)
                         : instrument::AddModuleRequires(bytes, kRuntimeModule);
      if (!changed.ok()) throw CommandError(name + ": " + changed.error().ToString());
      archive_.Replace(i, std::move(*changed));
    } else if (IsSignatureFile(name)) {
      signed_ = true;
      archive_.Remove(i);
    } else if (name == kManifest) {
      ByteVector bytes = archive_.Read(i);
      std::string_view old(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      std::string text = WithoutDigests(old);
      if (text != old) archive_.Replace(i, ByteVector(text.begin(), text.end()));
    }
  }

  void AddRuntime(const MethodTable& table) {
    if (options_.runtime == "inside") {
      ByteSpan jar(assay_runtime_jar,
                   static_cast<size_t>(assay_runtime_jar_end - assay_runtime_jar));
      for (MemoryFile& file : ReadJar(jar)) {
        if (file.name.starts_with(kRuntimePackage))
          archive_.Add(file.name, std::move(file.content));
      }
    }
    archive_.Add(kMethodTable, table.File());
    std::string text;
    auto set = [&text](const char* name, const std::string& value) {
      std::string escaped;
      for (char c : value) escaped += c == '\\' ? "\\\\" : std::string(1, c);
      if (!value.empty()) text += std::string(name) + "=" + escaped + "\n";
    };
    auto set_number = [&set](const char* name, const std::optional<uint64_t>& value) {
      if (value) set(name, std::to_string(*value));
    };
    set_number("granularity", options_.granularity);
    set_number("jitter", options_.jitter);
    set_number("seed", options_.seed);
    set("output", options_.profile);
    set("agent", options_.agent);
    if (!options_.weights.empty()) set("unit", "cost");
    if (!text.empty()) archive_.Add(kSettings, ByteVector(text.begin(), text.end()));
  }

  void Skip(const std::string& what, const std::string& reason) {
    if (skipped_++ < 20) {
      fmt::print(stderr, "assay: left as it is: {}: {}\n", Printable(what), Printable(reason));
    }
  }

  const RewriteOptions& options_;
  Archive& archive_;
  agent::ClassFilter filter_;
  instrument::CountOptions count_;
  std::vector<Input> classes_;
  size_t methods_ = 0;
  size_t changed_ = 0;
  size_t skipped_ = 0;
  size_t nested_ = 0;
  bool signed_ = false;
};

int Rewrite(RewriteOptions options) {
  if (options.granularity) options.count.fewer_checks = *options.granularity >= 100;
  if (!options.weights.empty()) {
    RefuseInput(options.output, {options.weights});
    auto weights = instrument::ParseWeights(ReadFile(options.weights));
    if (!weights.ok()) throw CommandError(options.weights + ", " + weights.error().message);
    options.count.weights = *weights;
  }
  Activity activity("rewriting " + options.input);
  auto archive = OpenArchive(options.input, options.output);
  JarRewriter rewriter(options, *archive);
  rewriter.Run();
  try {
    archive->Commit();
  } catch (const std::filesystem::filesystem_error& failure) {
    throw CommandError(failure.what());
  }
  activity.Say("");
  rewriter.Report();
  return kDone;
}

}  // namespace

void RegisterRewrite(Cli& cli) {
  auto options = std::make_shared<RewriteOptions>();
  CLI::App* app = cli.app.add_subcommand(
      "rewrite", "A jar that profiles itself on any JVM, without an agent or flags");
  app->add_option("INPUT", options->input, "a jar, or a folder of classes")->required();
  app->add_option("-o,--output", options->output, "the rewritten jar or folder")->required();
  app->add_option("--include", options->include, "only classes that match (com.acme.*)")
      ->delimiter(',');
  app->add_option("--exclude", options->exclude, "not classes that match")->delimiter(',');
  app->add_option("--granularity", options->granularity,
                  "bytecodes from one sample to the next [10k]")
      ->transform(WholeNumber(1, kMostBytecodes));
  app->add_option("--jitter", options->jitter, "random addition to each interval [100]")
      ->transform(WholeNumber(0, kMostBytecodes));
  app->add_option("--seed", options->seed, "seed of the random numbers [1]")
      ->transform(WholeNumber(0, kMostBytecodes));
  app->add_option("--profile", options->profile,
                  "the profile that the program writes [assay.profile]");
  app->add_option("--agent", options->agent,
                  "class that processes samples [assay.runtime.ContextTreeAgent]");
  app->add_option("--max-path", options->count.max_path,
                  "bytecodes executed at most between two checks of the counter; 0 = any [0]")
      ->transform(WholeNumber());
  app->add_option("--weights", options->weights,
                  "file that says what instructions count for (CLASS WEIGHT), instead of 1 each");
  app->add_option("--runtime", options->runtime,
                  "the runtime classes: inside the output, or outside: in assay-runtime.jar on the "
                  "class or module path [inside]")
      ->check(CLI::IsMember({"inside", "outside"}));
  app->add_option("--number", options->first_number,
                  "number of the first method, where two jars collide")
      ->transform(WholeNumber(0, uint64_t{1} << 29));
  app->footer(
      "The program writes its profile when it ends, and whenever the file named by -Dassay.request"
      "\nappears. Granularity, jitter, seed, output (the profile) and agent can be set for one run"
      "\nwith -Dassay.NAME=VALUE.");
  app->callback([&cli, options] { cli.run = [options] { return Rewrite(*options); }; });
}

}  // namespace assay::cli
