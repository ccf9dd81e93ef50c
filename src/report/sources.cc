#include "src/report/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace assay::report {

namespace fs = std::filesystem;
using profile::Method;

namespace {

bool PlainName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

// Follows symbolic links and makes sure that the file is still below the folder.
fs::path Locate(const fs::path& folder, const std::string& relative) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return {};
  const fs::path file = fs::canonical(root / relative, error);
  if (error || !fs::is_regular_file(file, error)) return {};
  const auto diverged = std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first;
  return diverged == root.end() ? file : fs::path();
}

}  // namespace

std::string SourcePath(const Method& method) {
  if (method.class_name.empty() || !PlainName(method.source_file)) return "";
  std::string path;
  size_t start = 0;
  for (size_t dot; (dot = method.class_name.find('.', start)) != std::string::npos;
       start = dot + 1) {
    const std::string package = method.class_name.substr(start, dot - start);
    if (!PlainName(package)) return "";
    path += package + "/";
  }
  return path + method.source_file;
}

uint32_t LineOf(const Method& method, int32_t bci) {
  if (bci < 0) return 0;
  auto after = std::upper_bound(method.lines.begin(), method.lines.end(), bci,
                                [](int32_t at, const auto& entry) { return at < entry.start_bci; });
  return after == method.lines.begin() ? 0 : std::prev(after)->line;
}

Sources::Sources(std::vector<std::string> folders) : folders_(std::move(folders)) {}

void Sources::Want(const Method& method, uint32_t line) {
  if (folders_.empty() || line == 0) return;
  const std::string path = SourcePath(method);
  if (!path.empty()) wanted_[path].insert(line);
}

void Sources::Load(uint32_t around, size_t limit_bytes) {
  size_t bytes = 0;
  for (const auto& [relative, lines] : wanted_) {
    fs::path found;
    for (const std::string& folder : folders_) {
      if (found = Locate(folder, relative); !found.empty()) break;
    }
    if (found.empty()) continue;
    SourceFile file{relative, {}};
    std::ifstream in(found);
    std::string text;
    for (uint32_t number = 1; std::getline(in, text); ++number) {
      auto near = lines.lower_bound(number > around ? number - around : 1);
      if (near == lines.end() || *near > number + around) continue;
      if (bytes + text.size() > limit_bytes) {
        truncated_ = true;
        break;
      }
      bytes += text.size();
      if (!text.empty() && text.back() == '\r') text.pop_back();
      file.lines[number] = text;
    }
    if (file.lines.empty()) continue;
    index_[relative] = static_cast<int>(files_.size());
    files_.push_back(std::move(file));
  }
}

int Sources::FileOf(const Method& method) const {
  if (index_.empty()) return -1;
  auto it = index_.find(SourcePath(method));
  return it == index_.end() ? -1 : it->second;
}

}  // namespace assay::report
