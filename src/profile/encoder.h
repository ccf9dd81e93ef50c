// Turns a growing Profile into chunks: remembers what it has sent and emits only what is new or
// changed. One encoder serves one Profile object and one LogFile. Not synchronized.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/bytes.h"
#include "src/profile/log_file.h"
#include "src/profile/profile.h"

namespace assay::profile {

class Encoder {
 public:
  // Appends the difference between `profile` and what was sent before. Values that the format does
  // not allow (negative, not a number) are sent as 0: one bad estimate must not cost the file.
  void Encode(const Profile& profile, LogFile& out);
  // Appends the END chunk.
  static void EncodeEnd(const Profile& profile, LogFile& out);

 private:
  void Methods(const Profile& profile, LogFile& out);
  void Details(const Profile& profile, LogFile& out);
  void Edges(const Profile& profile, LogFile& out);
  void Nodes(const Profile& profile, LogFile& out);
  void Texts(const Profile& profile, LogFile& out);
  void Ticks(const Profile& profile, LogFile& out);
  void Tables(const Profile& profile, LogFile& out);
  void RowsOf(const std::string& name, const Table& table, LogFile& out);
  // Sends `payload` when it is not what was sent under this type before.
  void SendIfChanged(uint32_t type, const ByteWriter& payload, LogFile& out);
  uint32_t String(std::string_view text);
  void FlushStrings(LogFile& out);

  std::unordered_map<std::string, uint32_t> strings_;
  ByteWriter new_strings_;
  size_t methods_ = 1;
  std::vector<uint64_t> details_;  // signature per method of the details sent
  std::vector<uint64_t> edges_;    // hash per edge of the values sent
  std::vector<uint64_t> nodes_;
  size_t threads_ = 0;
  size_t ticks_ = 0;
  size_t skipped_ = 0;
  std::map<uint32_t, uint64_t> sent_;       // hash of the payload by chunk type
  std::map<std::string, uint64_t> tables_;  // hash of the content by name
};

}  // namespace assay::profile
