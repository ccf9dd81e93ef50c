#include "src/profile/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include "src/base/replaced_file.h"
#include "src/profile/format.h"

namespace assay::profile {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

Error SystemError(const std::string& what, const std::string& path) {
  return Error{what + " " + path + ": " + strerror(errno)};
}

Status WriteAt(int fd, ByteSpan bytes, uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Error{std::string("cannot write the profile: ") + strerror(errno)};
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return {};
}

}  // namespace

Result<LogFile> LogFile::Open(const std::string& path) {
  LogFile file;
  ASSAY_ASSIGN(file.path_, ReplacedFile(path));
  file.temporary_ = file.path_ + ".tmp" + std::to_string(getpid());
  file.fd_ =
      open(file.temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file.fd_ < 0) {
    Error error = SystemError("cannot create", file.temporary_);
    file.temporary_.clear();
    return error;
  }
  ByteWriter header;
  header.Bytes(format::kMagic);
  header.Fixed32(format::kVersion);
  header.Fixed32(Crc32(header.bytes()));
  header.Fixed64(format::PackCommitted(format::kHeaderBytes));
  ASSAY_TRY(WriteAt(file.fd_, header.bytes(), 0));
  file.committed_ = file.end_ = format::kHeaderBytes;
  return file;
}

LogFile& LogFile::operator=(LogFile&& other) noexcept {
  if (this == &other) return *this;
  Close();
  fd_ = std::exchange(other.fd_, -1);
  path_ = std::move(other.path_);
  temporary_ = std::exchange(other.temporary_, {});
  committed_ = other.committed_;
  end_ = other.end_;
  buffer_ = std::move(other.buffer_);
  pending_ = std::move(other.pending_);
  return *this;
}

LogFile::~LogFile() { Close(); }

void LogFile::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

void LogFile::Append(uint32_t type, ByteSpan payload) {
  size_t start = buffer_.size();
  buffer_.Fixed32(type);
  buffer_.Fixed32(static_cast<uint32_t>(payload.size()));
  buffer_.Bytes(payload);
  buffer_.Fixed32(Crc32(ByteSpan(buffer_.bytes()).subspan(start)));
  if (buffer_.size() >= kBufferBytes && pending_.ok()) pending_ = WriteBuffered();
}

Status LogFile::WriteBuffered() {
  ByteVector bytes = buffer_.Take();
  buffer_ = ByteWriter();
  ASSAY_TRY(WriteAt(fd_, bytes, end_));
  end_ += bytes.size();
  return {};
}

Status LogFile::Commit() {
  if (pending_.ok()) pending_ = WriteBuffered();
  if (pending_.ok()) {
    ByteWriter word;
    word.Fixed64(format::PackCommitted(end_));
    pending_ = WriteAt(fd_, word.bytes(), format::kCommittedOffset);
  }
  if (!pending_.ok()) {
    end_ = committed_;
    buffer_ = ByteWriter();
    return std::exchange(pending_, Status());
  }
  committed_ = end_;
  return {};
}

Status LogFile::Publish() {
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return SystemError("cannot write", path_);
  temporary_.clear();
  return {};
}

}  // namespace assay::profile
