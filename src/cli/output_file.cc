#include "src/cli/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "src/cli/commands.h"
#include "src/profile/format.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void CannotWrite(const std::string& path, const std::string& why) {
  throw CommandError("cannot write " + path + ": " + why);
}

// Whether there is something already, which then is a regular file.
bool FindRegular(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return false;
    CannotWrite(path, std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) CannotWrite(path, "it is a folder; name a file in it");
  if (!S_ISREG(info.st_mode)) CannotWrite(path, "it is a device or a pipe; name a regular file");
  return true;
}

void CheckFolder(const std::string& path, const fs::path& file) {
  fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  if (errno == ENOENT) CannotWrite(path, "there is no folder " + folder.string());
  CannotWrite(path, "no file can be made in " + folder.string() + ": " + std::strerror(errno));
}

}  // namespace

void CheckOutput(const std::string& path) {
  if (!FindRegular(path)) return CheckFolder(path, path);
  if (access(path.c_str(), W_OK) != 0) CannotWrite(path, std::strerror(errno));
}

void CheckProfileOutput(const std::string& path) {
  if (!FindRegular(path)) return CheckFolder(path, path);
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  if (error) CannotWrite(path, error.message());
  // A new file is put in the place of the old one.
  CheckFolder(path, file);
  if (access(path.c_str(), R_OK) != 0) CannotWrite(path, std::strerror(errno));
  if (fs::file_size(file, error) == 0 || LooksLikeProfile(path)) return;
  CannotWrite(path, "it is no profile and stays as it is; name another file, or remove it");
}

bool LooksLikeProfile(const std::string& path) {
  char start[sizeof profile::format::kMagic] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return std::memcmp(start, profile::format::kMagic, sizeof start) == 0;
}

std::vector<std::string> FilesLike(const std::string& pattern) {
  const size_t at = pattern.rfind('/', pattern.find("%p")) + 1;
  const std::string folder = pattern.substr(0, at), name = pattern.substr(at);
  const size_t number = name.find("%p");
  const std::string start = name.substr(0, number), end = name.substr(number + 2);
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator file(folder.empty() ? "." : folder, error), none; !error && file != none; file.increment(error)) {
    const std::string each = file->path().filename().string();
    if (each.size() <= start.size() + end.size() || !each.starts_with(start) || !each.ends_with(end)) continue;
    const std::string middle = each.substr(start.size(), each.size() - start.size() - end.size());
    std::error_code ignored;
    if (middle.find_first_not_of("0123456789") == std::string::npos && file->is_regular_file(ignored)) found.push_back(folder + each);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void RemoveSegments(const std::string& output) {
  std::error_code error;
  for (const std::string& path : FilesLike(output + ".%p")) {
    if (LooksLikeProfile(path)) fs::remove(path, error);
  }
}

ProcessFiles::ProcessFiles(std::string pattern) : pattern_(std::move(pattern)) {
  for (const std::string& path : FilesLike(pattern_)) before_.emplace(path, path);
}

std::vector<std::string> ProcessFiles::Written() const {
  std::vector<std::string> written;
  for (const std::string& path : FilesLike(pattern_)) {
    auto known = before_.find(path);
    if (known == before_.end() || !(known->second == FileState(path))) written.push_back(path);
  }
  return written;
}

FileState::FileState(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return;
  exists = true;
  device = info.st_dev;
  number = info.st_ino;
  size = info.st_size;
  seconds = info.st_mtim.tv_sec;
  nanoseconds = info.st_mtim.tv_nsec;
}

}  // namespace assay::cli
