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

void WriteOutput(const std::string& path, const std::string& text) {
  bool to_stdout = path.empty() || path == "-";
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
