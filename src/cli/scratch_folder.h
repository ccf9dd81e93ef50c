// A new folder for temporary files, which goes with this object. Throws CommandError when it cannot
// be made.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "src/cli/commands.h"

namespace assay::cli {

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& purpose) {
    std::error_code error;
    std::filesystem::path base = std::filesystem::temp_directory_path(error);
    if (error) {
      throw CommandError("there is no folder for temporary files: TMPDIR names none", kRefused);
    }
    std::string pattern = (base / ("assay-" + purpose + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw CommandError("cannot make a folder like " + pattern + ": " + std::strerror(errno),
                         kRefused);
    }
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::string File(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace assay::cli
