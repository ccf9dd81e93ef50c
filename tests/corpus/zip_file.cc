#include "tests/corpus/zip_file.h"

#include <zlib.h>

#include <cstdio>

namespace assay::corpus {

namespace {

uint32_t Get(ByteSpan bytes, size_t at, int size) {
  uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | bytes[at + static_cast<size_t>(i)];
  return value;
}

void Put(ByteVector& out, uint32_t value, int size) {
  for (int i = 0; i < size; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

void PutText(ByteVector& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}

bool Inflate(ByteSpan in, ByteVector& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = const_cast<uint8_t*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return status == Z_STREAM_END && stream.total_out == out.size();
}

}  // namespace

Result<ByteVector> ReadFile(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rbe");
  if (!file) return Error{"cannot read " + path};
  ByteVector bytes;
  uint8_t buffer[1 << 16];
  while (size_t got = std::fread(buffer, 1, sizeof buffer, file)) {
    bytes.insert(bytes.end(), buffer, buffer + got);
  }
  std::fclose(file);
  return bytes;
}

Status WriteFile(const std::string& path, ByteSpan bytes) {
  FILE* file = std::fopen(path.c_str(), "wbe");
  if (!file) return Error{"cannot write " + path};
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  good &= std::fclose(file) == 0;
  if (!good) return Error{"cannot write " + path};
  return {};
}

Status ForEachEntry(ByteSpan zip, const std::function<bool(std::string_view)>& wanted,
                    const std::function<void(std::string_view, ByteVector)>& visit) {
  // A .jmod is a zip behind four bytes, with offsets counted from behind them.
  if (zip.size() > 4 && zip[0] == 'J' && zip[1] == 'M') zip = zip.subspan(4);
  if (zip.size() < 22) return Error{"not a zip file"};
  size_t end = zip.size() - 22;
  while (end > 0 && Get(zip, end, 4) != 0x06054b50) --end;
  if (Get(zip, end, 4) != 0x06054b50) return Error{"zip without a directory"};
  uint32_t count = Get(zip, end + 10, 2);
  size_t at = Get(zip, end + 16, 4);
  // With more than 65535 entries the count wraps; the directory ends where the end record starts.
  for (uint32_t i = 0; at + 46 <= end && Get(zip, at, 4) == 0x02014b50; ++i) {
    uint32_t method = Get(zip, at + 10, 2), packed = Get(zip, at + 20, 4);
    uint32_t size = Get(zip, at + 24, 4), name_size = Get(zip, at + 28, 2);
    uint32_t extra = Get(zip, at + 30, 2), comment = Get(zip, at + 32, 2);
    size_t local = Get(zip, at + 42, 4);
    if (at + 46 + name_size > zip.size()) return Error{"zip directory is cut off", at};
    std::string_view name(reinterpret_cast<const char*>(zip.data() + at + 46), name_size);
    if (wanted(name)) {
      if (local + 30 > zip.size()) return Error{"zip entry is cut off", at};
      size_t data = local + 30 + Get(zip, local + 26, 2) + Get(zip, local + 28, 2);
      if (data + packed > zip.size() || size > (256u << 20)) return Error{"bad zip entry", at};
      ByteVector content(size);
      if (method == 0 && packed == size) {
        std::copy_n(zip.begin() + static_cast<ptrdiff_t>(data), size, content.begin());
      } else if (method != 8 || !Inflate(zip.subspan(data, packed), content)) {
        return Error{"cannot unpack " + std::string(name), data};
      }
      visit(name, std::move(content));
    }
    at += 46 + name_size + extra + comment;
  }
  (void)count;
  return {};
}

void ZipWriter::Add(std::string_view name, ByteSpan content) {
  uint32_t offset = static_cast<uint32_t>(bytes_.size());
  uint32_t crc = static_cast<uint32_t>(crc32(0, content.data(), static_cast<uInt>(content.size())));
  ByteVector common;
  Put(common, 10, 2);  // version
  Put(common, 0x0800, 2);
  Put(common, 0, 2);           // stored
  Put(common, 0x00210000, 4);  // 1 January 1980
  Put(common, crc, 4);
  Put(common, static_cast<uint32_t>(content.size()), 4);
  Put(common, static_cast<uint32_t>(content.size()), 4);
  Put(common, static_cast<uint32_t>(name.size()), 2);
  Put(common, 0, 2);
  Put(bytes_, 0x04034b50, 4);
  bytes_.insert(bytes_.end(), common.begin(), common.end());
  PutText(bytes_, name);
  bytes_.insert(bytes_.end(), content.begin(), content.end());
  Put(directory_, 0x02014b50, 4);
  Put(directory_, 10, 2);
  directory_.insert(directory_.end(), common.begin(), common.end());
  Put(directory_, 0, 2);
  Put(directory_, 0, 2);
  Put(directory_, 0, 2);
  Put(directory_, 0, 4);
  Put(directory_, offset, 4);
  PutText(directory_, name);
  ++count_;
}

ByteVector ZipWriter::Finish() {
  uint32_t offset = static_cast<uint32_t>(bytes_.size());
  bytes_.insert(bytes_.end(), directory_.begin(), directory_.end());
  Put(bytes_, 0x06054b50, 4);
  Put(bytes_, 0, 4);
  Put(bytes_, count_ & 0xffff, 2);
  Put(bytes_, count_ & 0xffff, 2);
  Put(bytes_, static_cast<uint32_t>(directory_.size()), 4);
  Put(bytes_, offset, 4);
  Put(bytes_, 0, 2);
  return std::move(bytes_);
}

}  // namespace assay::corpus
