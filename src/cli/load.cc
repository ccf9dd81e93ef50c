#include "src/cli/load.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/terminal.h"
#include "src/profile/reader.h"

namespace assay::cli {

profile::Profile Load(const std::string& path) {
  constexpr uint64_t kLarge = 20 << 20;
  std::error_code error;
  uint64_t size = std::filesystem::file_size(path, error);
  std::optional<Activity> activity;
  if (!error && size > kLarge) activity.emplace("reading " + path + ", " + Bytes(size));
  Result<profile::Profile> profile = profile::ReadProfile(path);
  if (!profile.ok()) throw CommandError(Printable(profile.error().ToString()));
  return std::move(*profile);
}

std::string ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  std::string text;
  if (file != nullptr) {
    char part[1 << 16];
    while (const size_t length = std::fread(part, 1, sizeof part, file)) text.append(part, length);
  }
  const bool read = file != nullptr && std::ferror(file) == 0;
  const int reason = errno;
  if (file != nullptr) std::fclose(file);
  if (!read) throw CommandError("cannot read " + Printable(path) + ": " + std::strerror(reason));
  return text;
}

void RefuseInput(const std::string& output, const std::vector<std::string>& inputs) {
  if (ToStdout(output)) return;
  for (const std::string& input : inputs) {
    std::error_code neither_exists;
    if (std::filesystem::equivalent(input, output, neither_exists)) {
      throw CommandError(Printable(output) + " is the input; choose another name for the output");
    }
  }
}

void CheckWritable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  // A pipe's reader would take the test for the whole of the output.
  if (ToStdout(path) || fs::is_other(path, error)) return;
  const bool is_new = fs::symlink_status(path, error).type() == fs::file_type::not_found;
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) throw CommandError("cannot write " + path + ": " + std::strerror(errno));
  std::fclose(file);
  if (is_new) fs::remove(path, error);
}

void WriteOutput(const std::string& path, const std::string& text) {
  const bool to_stdout = ToStdout(path);
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw CommandError("cannot write " + path + ": " + std::strerror(errno));
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  written = (to_stdout ? std::fflush(file) : std::fclose(file)) == 0 && written;
  if (!written) {
    throw CommandError("cannot write " + (to_stdout ? "the output" : path) + ": " +
                       std::strerror(errno));
  }
}

}  // namespace assay::cli
