// Hostile profile files: either raw bytes, or payloads put into well-formed chunks so that the
// checksums do not hide the decoder. Whatever is read must survive comparing, merging, diffing and
// every export.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>

#include "src/export/export.h"
#include "src/profile/aggregate.h"
#include "src/profile/compare.h"
#include "src/profile/diff.h"
#include "src/profile/format.h"
#include "src/profile/merge.h"
#include "src/profile/reader.h"

namespace {

using assay::ByteVector;
using assay::ByteWriter;
namespace format = assay::profile::format;

ByteVector WellFormed(FuzzedDataProvider& data) {
  ByteWriter chunks;
  while (data.remaining_bytes() > 0) {
    uint32_t type = data.ConsumeIntegralInRange<uint32_t>(0, 19);
    if (type == 1) type = format::kCounts;
    std::string payload = data.ConsumeRandomLengthString(4096);
    ByteWriter chunk;
    chunk.Fixed32(type);
    chunk.Fixed32(static_cast<uint32_t>(payload.size()));
    chunk.Text(payload);
    uint32_t crc = assay::profile::Crc32(chunk.bytes());
    chunk.Fixed32(crc);
    chunks.Bytes(chunk.bytes());
  }
  ByteWriter file;
  file.Bytes(format::kMagic);
  file.Fixed32(format::kVersion);
  file.Fixed32(assay::profile::Crc32(file.bytes()));
  file.Fixed64(format::PackCommitted(format::kHeaderBytes + chunks.size()));
  file.Bytes(chunks.bytes());
  return file.Take();
}

void Use(assay::profile::Profile& profile) {
  double overlap = assay::profile::Compare(profile, profile).call_sites.overlap;
  if (!(overlap > 99.9)) abort();
  for (const auto& difference : assay::profile::Diff(profile, profile, {})) {
    if (!difference.changes.empty()) abort();
  }
  for (const auto& exporter : assay::exporting::AllFormats()) (void)exporter.write(profile);
  assay::profile::Profile copy = profile;
  if (!assay::profile::MergeInto(profile, copy).ok()) abort();
  if (profile.edges().size() != copy.edges().size()) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  bool raw = data.ConsumeBool();
  ByteVector file = raw ? data.ConsumeRemainingBytes<uint8_t>() : WellFormed(data);
  auto profile = assay::profile::ParseProfile(file);
  if (profile.ok()) {
    Use(*profile);
  } else if (profile.error().offset > file.size()) {
    abort();
  }
  return 0;
}
