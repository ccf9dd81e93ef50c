// Finds the source lines around hot call sites under the folders that the user names, and keeps
// only those. A profile is hostile input: a path made from it never leaves these folders.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace assay::report {

struct SourceFile {
  std::string path;                       // below its source folder
  std::map<uint32_t, std::string> lines;  // by line number from 1
};

class Sources {
 public:
  explicit Sources(std::vector<std::string> folders);

  // Marks a line of the method's source as worth showing.
  void Want(const profile::Method& method, uint32_t line);
  // Reads the lines wanted and `around` more on both sides of each, at most `limit_bytes` in all.
  void Load(uint32_t around, size_t limit_bytes);

  const std::vector<SourceFile>& files() const { return files_; }
  // Index into files(), -1 when there is none.
  int FileOf(const profile::Method& method) const;
  // True when the limit cut something off.
  bool truncated() const { return truncated_; }

 private:
  std::vector<std::string> folders_;
  std::map<std::string, std::set<uint32_t>> wanted_;  // by relative path
  std::map<std::string, int> index_;
  std::vector<SourceFile> files_;
  bool truncated_ = false;
};

// "a/b/C.java" for class a.b.C$D with source file C.java; "" when either is unknown or would lead
// out of a source folder.
std::string SourcePath(const profile::Method& method);

// The line of a bytecode index by the method's line table, 0 when unknown.
uint32_t LineOf(const profile::Method& method, int32_t bci);

}  // namespace assay::report
