// Applies the chunks of a profile file (format.h) to a Profile, in order, checking every index and
// value. The caller has checked the checksum. Not synchronized.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::profile {

class Decoder {
 public:
  // `file_bytes` bounds what hints in the file may make us allocate.
  explicit Decoder(uint64_t file_bytes) : file_bytes_(file_bytes) {}

  // `offset` is where the payload starts in the file.
  Status Apply(uint32_t type, ByteSpan payload, uint64_t offset);
  // After the last chunk.
  Profile Take();

 private:
  Status Counts(ByteReader& in);
  Status Strings(ByteReader& in);
  Status Methods(ByteReader& in);
  Status Details(ByteReader& in);
  Status Edges(ByteReader& in);
  Status EdgeUpdates(ByteReader& in);
  Status Nodes(ByteReader& in);
  Status NodeUpdates(ByteReader& in);
  Status Metadata(ByteReader& in);
  Status SelfUnit(ByteReader& in);
  Status Threads(ByteReader& in);
  Status Ticks(ByteReader& in);
  Status NewTable(ByteReader& in);
  Status TableRows(ByteReader& in);
  Status Lost(ByteReader& in);
  Status Skipped(ByteReader& in);
  Status End(ByteReader& in);

  uint64_t file_bytes_;
  std::vector<std::string> strings_;
  Profile profile_;
  bool ended_ = false;
};

}  // namespace assay::profile
