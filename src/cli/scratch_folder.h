// A new folder for temporary files, which goes with this object. Throws CommandError when it cannot
// be made.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "src/cli/commands.h"

namespace assay::cli {

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& purpose) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / ("assay-" + purpose + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw CommandError("cannot make a folder like " + pattern, kRefused);
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
