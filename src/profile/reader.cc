#include "src/profile/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "src/profile/decoder.h"
#include "src/profile/format.h"

namespace assay::profile {
namespace {

// Where the bytes come from: memory, or a file read chunk by chunk.
class Source {
 public:
  virtual ~Source() = default;
  virtual uint64_t size() const = 0;
  // Exactly `count` bytes at `offset`, valid until the next call. The range is inside size().
  virtual Result<ByteSpan> Read(uint64_t offset, uint64_t count) = 0;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(ByteSpan bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  Result<ByteSpan> Read(uint64_t offset, uint64_t count) override {
    return bytes_.subspan(offset, count);
  }

 private:
  ByteSpan bytes_;
};

class FileSource : public Source {
 public:
  FileSource(int fd, uint64_t size) : fd_(fd), size_(size) {}
  ~FileSource() override { close(fd_); }
  uint64_t size() const override { return size_; }
  Result<ByteSpan> Read(uint64_t offset, uint64_t count) override {
    if (offset < start_ || offset + count > start_ + buffer_.size()) ASSAY_TRY(Fill(offset, count));
    return ByteSpan(buffer_).subspan(offset - start_, count);
  }

 private:
  static constexpr uint64_t kReadAhead = 4 << 20;

  Status Fill(uint64_t offset, uint64_t count) {
    uint64_t wanted = std::min(std::max(count, kReadAhead), size_ - offset);
    buffer_.resize(wanted);
    start_ = offset;
    for (uint64_t done = 0; done < wanted;) {
      ssize_t got =
          pread(fd_, buffer_.data() + done, wanted - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error{std::string("cannot read: ") + strerror(errno), offset + done};
      if (got == 0) return Error{"the profile is cut off", offset + done};
      done += static_cast<uint64_t>(got);
    }
    return {};
  }

  int fd_;
  uint64_t size_;
  uint64_t start_ = 0;
  ByteVector buffer_;
};

// The committed length, after checking the header.
Result<uint64_t> ReadHeader(Source& source) {
  if (source.size() < format::kHeaderBytes) {
    return Error{source.size() == 0 ? "not an Assay profile: the file is empty"
                                    : "not an Assay profile, or one that is cut off",
                 source.size()};
  }
  ASSAY_ASSIGN(ByteSpan header, source.Read(0, format::kHeaderBytes));
  if (memcmp(header.data(), format::kMagic, sizeof format::kMagic) != 0) {
    return Error{"not an Assay profile", 0};
  }
  ByteReader in(header.subspan(8), 8);
  uint32_t version = in.Fixed32();
  if (in.Fixed32() != Crc32(header.first(12))) return Error{"damaged profile: bad header", 8};
  if (version > format::kVersion) {
    return Error{"the profile was written by a newer version of Assay (format " +
                     std::to_string(version) + ", this one reads up to " +
                     std::to_string(format::kVersion) + ")",
                 8};
  }
  if (version == 0) return Error{"damaged profile: format version 0", 8};
  uint64_t word = in.Fixed64();
  uint64_t committed = word & format::kLengthMask;
  if (word != format::PackCommitted(committed) || committed < format::kHeaderBytes) {
    return Error{"damaged profile: bad length in the header", format::kCommittedOffset};
  }
  if (committed > source.size()) {
    return Error{"the profile is cut off: " + std::to_string(source.size()) + " of " +
                     std::to_string(committed) + " bytes are there",
                 source.size()};
  }
  return committed;
}

Result<Profile> Read(Source& source) {
  ASSAY_ASSIGN(uint64_t end, ReadHeader(source));
  Decoder decoder(end);
  for (uint64_t at = format::kHeaderBytes; at < end;) {
    if (end - at < format::kChunkOverhead) return Error{"damaged profile: bad chunk", at};
    ASSAY_ASSIGN(ByteSpan head, source.Read(at, 8));
    ByteReader in(head);
    uint32_t type = in.Fixed32();
    uint64_t length = in.Fixed32();
    if (length > end - at - format::kChunkOverhead) {
      return Error{"damaged profile: bad chunk length", at + 4};
    }
    ASSAY_ASSIGN(ByteSpan chunk, source.Read(at, length + format::kChunkOverhead));
    ByteSpan checked = chunk.first(8 + length);
    if (ByteReader(chunk.subspan(8 + length)).Fixed32() != Crc32(checked)) {
      return Error{"damaged profile: wrong checksum of the chunk", at};
    }
    ASSAY_TRY(decoder.Apply(type, checked.subspan(8), at + 8));
    at += chunk.size();
  }
  return decoder.Take();
}

}  // namespace

Result<Profile> ReadProfile(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{"cannot open " + path + ": " + strerror(errno)};
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return Error{"cannot read " + path + ": not a regular file"};
  }
  FileSource source(fd, static_cast<uint64_t>(info.st_size));
  Result<Profile> profile = Read(source);
  if (!profile.ok()) profile.error().where = path;
  return profile;
}

Result<Profile> ParseProfile(ByteSpan bytes) {
  MemorySource source(bytes);
  return Read(source);
}

}  // namespace assay::profile
