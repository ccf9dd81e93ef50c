// The profile file, version 1. All integers little-endian.
//
//   header   24 bytes
//      0  8  magic 8A 'A' 'S' 'S' 'A' 'Y' 0D 0A
//      8  4  format version
//     12  4  crc32 of bytes 0..11
//     16  8  committed: bits 0..47 the number of valid bytes of the file, header included;
//            bits 48..63 the low half of the crc32 of those 48 bits as six bytes
//   chunks up to the committed length
//      0  4  type; bit 31 set: optional
//      4  4  length of the payload
//      8  n  payload
//    8+n  4  crc32 of type, length and payload
//
// A writer appends whole chunks past the committed length and then moves the length with one
// aligned 8-byte write. Bytes past it are what a killed writer was appending: ignored. A file
// shorter than it is truncated: refused. Chunks are a log; state is what remains after applying
// them in order. Ids are implicit: the first method of the first METHODS chunk is method 1, the
// next one 2 and so on over all chunks (method 0 and context node 0, the root, always exist).
//
// Compatibility. A reader refuses a version newer than its own and an unknown chunk type without
// the optional bit ("written by a newer version"); it skips unknown optional chunks. Additions that
// old readers can do without are new optional chunk types; everything else is a new version. Every
// reader reads all versions up to its own.
//
// Payloads are sequences of records up to the end of the payload, in these encodings:
//   uint     LEB128            sint     zigzag LEB128
//   text     uint length, bytes (modified UTF-8 as it came from the JVM, not validated)
//   string   uint index into the strings so far
//   number   a double: uint 2*v for an integer 0 <= v < 2^53, otherwise uint 1 and 8 bytes IEEE
//   754.
//            Only density may be negative; none may be above 1e150 in magnitude (so that sums and
//            squares stay finite) or not a number.
//
//   COUNTS  (optional)  uint methods, edges, nodes: how much memory to prepare; a hint
//   STRINGS             {text}*                   appends strings
//   METHODS             {string class, name, descriptor}*
//   METHOD_DETAILS      {uint method, string source_file, uint code_bytes, uint n,
//                        n * {sint start_bci - previous, sint line - previous}}*   replaces
//   EDGES               {sint caller - previous caller, sint bci, uint callee, values}*
//   EDGE_UPDATES        {uint edge - previous edge, values}*                       replaces
//                       values = uint samples, number weight, number variance
//   NODES               {uint own id - parent, sint bci, uint method, values}*
//   NODE_UPDATES        {uint node - previous node, values}*                       replaces
//                       values = uint samples, number calls, number self
//   METADATA            {text key, text value}*   replaces all metadata
//   SELF_UNIT           text
//   THREADS             {text}*                   appends thread names
//   TICKS               {uint thread, sint time_ns - previous, uint latency_ns, uint interval_ns,
//                        number density, uint samples}*                            appends
//   TABLE               text name, {text column}*   creates the table, or empties it
//   TABLE_ROWS          text name, {string * columns, uint samples, number weight}*  appends
//   LOST                {text reason, uint count}*  replaces all
//   SKIPPED             {text method, text reason}* appends
//   END                 uint methods, edges, nodes as a cross-check. Last chunk of a file whose
//                       writer finished; without it the reader sets metadata "ended" to
//                       "unfinished": the program was killed, or is still running.
//
// "previous" starts at 0 in each payload.
#pragma once

#include <cstdint>

#include "src/base/bytes.h"
#include "src/profile/crc32.h"

namespace assay::profile::format {

constexpr uint8_t kMagic[8] = {0x8a, 'A', 'S', 'S', 'A', 'Y', 0x0d, 0x0a};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHeaderBytes = 24;
constexpr uint64_t kCommittedOffset = 16;
constexpr uint64_t kChunkOverhead = 12;
constexpr double kLargestNumber = 1e150;
constexpr uint32_t kOptional = 0x80000000u;

enum ChunkType : uint32_t {
  kCounts = kOptional | 1,
  kStrings = 2,
  kMethods = 3,
  kMethodDetails = 4,
  kEdges = 5,
  kEdgeUpdates = 6,
  kNodes = 7,
  kNodeUpdates = 8,
  kMetadata = 9,
  kSelfUnit = 10,
  kThreads = 11,
  kTicks = 12,
  kTable = 13,
  kTableRows = 14,
  kLost = 15,
  kSkipped = 16,
  kEnd = 17,
};

constexpr uint64_t kLengthMask = (1ull << 48) - 1;

inline uint64_t PackCommitted(uint64_t length) {
  uint8_t bytes[6];
  for (int i = 0; i < 6; ++i) bytes[i] = static_cast<uint8_t>(length >> (8 * i));
  return (length & kLengthMask) | static_cast<uint64_t>(Crc32({bytes, 6}) & 0xffff) << 48;
}

}  // namespace assay::profile::format
