// Just enough of the ZIP format for jars and .jmod files: entries by the central directory, stored
// or deflated; a writer of stored entries.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/base/bytes.h"
#include "src/base/result.h"

namespace assay::corpus {

Result<ByteVector> ReadFile(const std::string& path);
Status WriteFile(const std::string& path, ByteSpan bytes);

// Calls `visit` with each entry that `wanted` names. Entries that cannot be read are errors.
Status ForEachEntry(ByteSpan archive, const std::function<bool(std::string_view)>& wanted,
                    const std::function<void(std::string_view, ByteVector)>& visit);

class ZipWriter {
 public:
  void Add(std::string_view name, ByteSpan content);
  ByteVector Finish();

 private:
  ByteVector bytes_;
  ByteVector directory_;
  uint32_t count_ = 0;
};

}  // namespace assay::corpus
