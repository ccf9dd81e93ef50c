#include "src/cli/agent_options.h"

#include <filesystem>

#include "src/cli/commands.h"

namespace assay::cli {
namespace {

using agent::OptionKind;
using agent::OptionSpec;

bool IsInternal(const OptionSpec& spec) {
  return spec.name == "command" || spec.name == "reply" || spec.name == "directives";
}

std::string Help(const OptionSpec& spec) {
  std::string help(spec.help);
  if (!spec.choices.empty()) help += ": " + std::string(spec.choices);
  if (!spec.default_value.empty()) help += " [" + std::string(spec.default_value) + "]";
  if (!spec.collectors.empty()) help += " (" + std::string(spec.collectors) + ")";
  return help;
}

bool AppliesTo(const OptionSpec& spec, const std::string& collector) {
  std::string list = "," + std::string(spec.collectors) + ",";
  return spec.collectors.empty() || list.find("," + collector + ",") != std::string::npos;
}

}  // namespace

void AgentOptions::AddTo(CLI::App& app) {
  for (const OptionSpec& spec : agent::AllOptions()) {
    if (IsInternal(spec)) continue;
    std::string name(spec.name);
    std::string flag = name == "output" ? "-o,--output" : "--" + name;
    CLI::Option* option = spec.kind == OptionKind::kList
                              ? app.add_option(flag, lists_[name], Help(spec))
                                    ->delimiter(',')
                                    ->allow_extra_args(false)
                              : app.add_option(flag, texts_[name], Help(spec));
    option->group(spec.collectors.empty() ? "What and where" : "How");
  }
}

agent::Options AgentOptions::Get(const std::string& collector) const {
  agent::Options options;
  auto set = [&options](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    if (Status status = options.Set(name, value); !status.ok()) {
      throw CommandError(status.error().message);
    }
  };
  for (const auto& [name, value] : texts_) set(name, value);
  for (const auto& [name, values] : lists_) {
    std::string joined;
    for (const std::string& value : values) joined += (joined.empty() ? "" : ":") + value;
    set(name, joined);
  }
  if (!options.IsSet("collect")) set("collect", collector);
  for (const auto& [name, value] : options.values()) {
    const OptionSpec* spec = agent::FindOption(name);
    if (!AppliesTo(*spec, options.Text("collect"))) {
      throw CommandError("--" + name + " does not apply to --collect " + options.Text("collect") +
                         ", only to " + std::string(spec->collectors));
    }
  }
  return options;
}

std::string AgentPath() {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const char* place : {"libassay.so", "../lib/libassay.so", "../lib/assay/libassay.so"}) {
    std::filesystem::path path = self.parent_path() / place;
    if (std::filesystem::exists(path, error)) return std::filesystem::canonical(path).string();
  }
  throw CommandError("libassay.so is not beside " + self.string() + "; build or install it there",
                     kRefused);
}

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) throw CommandError("where is " + path + "? The working folder: " + error.message());
  return absolute.string();
}

void MakePathsAbsolute(agent::Options* options) {
  auto set = [options](const char* name, const std::string& path) {
    if (Status status = options->Set(name, path); !status.ok()) {
      throw CommandError(status.error().message);
    }
  };
  set("output", AbsolutePath(options->Text("output")));
  for (const char* name : {"weights", "agent-jar"}) {
    if (!options->IsSet(name)) continue;
    std::string path = AbsolutePath(options->Text(name));
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      throw CommandError(error ? path + ": " + error.message() : "there is no file " + path);
    }
    set(name, path);
  }
}

}  // namespace assay::cli
