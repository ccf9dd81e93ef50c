// A jar or a class path folder that is copied to another place with some of its files changed.
// What is not changed keeps its bytes, its order and its compression. Errors are CommandErrors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/base/bytes.h"

namespace assay::cli {

class Archive {
 public:
  virtual ~Archive() = default;
  // The files of the input; folders are not among them.
  virtual const std::vector<std::string>& names() const = 0;
  virtual ByteVector Read(size_t file) = 0;
  virtual void Replace(size_t file, ByteVector content) = 0;
  virtual void Remove(size_t file) = 0;
  virtual void Add(const std::string& name, ByteVector content) = 0;
  // Puts the output in its place; without it nothing is there.
  virtual void Commit() = 0;
};

std::unique_ptr<Archive> OpenArchive(const std::string& input, const std::string& output);

struct MemoryFile {
  std::string name;
  ByteVector content;
};
std::vector<MemoryFile> ReadJar(ByteSpan jar);

}  // namespace assay::cli
