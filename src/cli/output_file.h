// Where a command is going to write, looked at before the work that would be lost.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::cli {

// Throws CommandError unless a regular file can be made or replaced there.
void CheckOutput(const std::string& path);
// The same for a profile, which replaces nothing but a profile or an empty file.
void CheckProfileOutput(const std::string& path);

// Whether the file begins like a profile.
bool LooksLikeProfile(const std::string& path);

// Removes OUTPUT.1, OUTPUT.2, ... of an earlier session (--segment), which would mix with new ones.
void RemoveSegments(const std::string& output);

// The files whose names are `pattern` with a number in the place of its first %p.
std::vector<std::string> FilesLike(const std::string& pattern);

// Tells a file from the one that was there before.
struct FileState {
  FileState() = default;
  explicit FileState(const std::string& path);
  bool operator==(const FileState&) const = default;

  bool exists = false;
  dev_t device = 0;
  ino_t number = 0;
  int64_t size = 0, seconds = 0, nanoseconds = 0;
};

// What the processes of one run write, each its own file: its id stands for %p in the pattern.
class ProcessFiles {
 public:
  // Before the run.
  explicit ProcessFiles(std::string pattern);
  // Those that are new or other than before.
  std::vector<std::string> Written() const;

 private:
  std::string pattern_;
  std::map<std::string, FileState> before_;
};

}  // namespace assay::cli
