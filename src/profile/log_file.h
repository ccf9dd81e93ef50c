// The file under a ProfileWriter: appends chunks (format.h) behind the committed length, then
// commits them with one aligned write. Always starts as a temporary file that is renamed into
// place, so that two writers with one path never mix their bytes. Not synchronized.
#pragma once

#include <cstdint>
#include <string>

#include "src/base/bytes.h"
#include "src/base/result.h"

namespace assay::profile {

class LogFile {
 public:
  // Opens a temporary file next to `path`; nothing is at `path` before Publish.
  static Result<LogFile> Open(const std::string& path);
  LogFile() = default;
  LogFile(LogFile&& other) noexcept { *this = std::move(other); }
  LogFile& operator=(LogFile&& other) noexcept;
  ~LogFile();

  // Appends one chunk; may still be in memory until Commit.
  void Append(uint32_t type, ByteSpan payload);
  // Makes everything appended part of the file. After an error the file is as of the last Commit.
  Status Commit();
  // Renames the temporary file into place.
  Status Publish();

  uint64_t committed() const { return committed_; }

 private:
  Status WriteBuffered();
  void Close();

  int fd_ = -1;
  std::string path_;
  std::string temporary_;  // "" once published
  uint64_t committed_ = 0;
  uint64_t end_ = 0;
  ByteWriter buffer_;
  Status pending_;  // first error since the last Commit
};

}  // namespace assay::profile
