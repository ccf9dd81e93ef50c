#include "src/profile/decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/profile/format.h"

namespace assay::profile {
namespace {

Error Damaged(const char* what, const ByteReader& in) {
  return Error{std::string("damaged profile: ") + what, in.offset()};
}

std::string Text(ByteReader& in) {
  ByteSpan bytes = in.Bytes(in.Varint());
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

double Number(ByteReader& in, bool may_be_negative = false) {
  uint64_t raw = in.Varint();
  if ((raw & 1) == 0) return static_cast<double>(raw >> 1);
  if (raw != 1) in.Fail();
  double value = in.Double();
  if (!(std::abs(value) <= format::kLargestNumber) || (value < 0 && !may_be_negative)) {
    in.Fail();
    return 0;
  }
  return value;
}

// An index below `limit`, in a type that can hold it.
uint32_t Index(ByteReader& in, size_t limit) {
  uint64_t value = in.Varint();
  if (value >= limit) {
    in.Fail();
    return 0;
  }
  return static_cast<uint32_t>(value);
}

// previous + signed difference, below `limit`.
uint64_t Shifted(ByteReader& in, uint64_t previous, uint64_t limit) {
  uint64_t value = previous + static_cast<uint64_t>(in.SignedVarint());
  if (value >= limit) in.Fail();
  return in.ok() ? value : 0;
}

int32_t Bci(ByteReader& in) {
  int64_t bci = in.SignedVarint();
  if (bci < std::numeric_limits<int32_t>::min() || bci > std::numeric_limits<int32_t>::max()) {
    in.Fail();
    return 0;
  }
  return static_cast<int32_t>(bci);
}

}  // namespace

Status Decoder::Apply(uint32_t type, ByteSpan payload, uint64_t offset) {
  ByteReader in(payload, offset);
  if (ended_) return Error{"damaged profile: data after its end", offset};
  switch (type) {
    case format::kCounts:
      return Counts(in);
    case format::kStrings:
      return Strings(in);
    case format::kMethods:
      return Methods(in);
    case format::kMethodDetails:
      return Details(in);
    case format::kEdges:
      return Edges(in);
    case format::kEdgeUpdates:
      return EdgeUpdates(in);
    case format::kNodes:
      return Nodes(in);
    case format::kNodeUpdates:
      return NodeUpdates(in);
    case format::kMetadata:
      return Metadata(in);
    case format::kSelfUnit:
      return SelfUnit(in);
    case format::kThreads:
      return Threads(in);
    case format::kTicks:
      return Ticks(in);
    case format::kTable:
      return NewTable(in);
    case format::kTableRows:
      return TableRows(in);
    case format::kLost:
      return Lost(in);
    case format::kSkipped:
      return Skipped(in);
    case format::kEnd:
      return End(in);
    default:
      break;
  }
  if ((type & format::kOptional) != 0) return {};
  return Error{"the profile was written by a newer version of Assay (chunk type " +
                   std::to_string(type) + " is unknown): read it with that version",
               offset};
}

Profile Decoder::Take() {
  if (!ended_) profile_.metadata["ended"] = "unfinished";
  return std::move(profile_);
}

Status Decoder::Counts(ByteReader& in) {
  // No record is smaller than this many bytes, so a false hint costs no more than the file's size.
  constexpr uint64_t kMethodBytes = 64, kEdgeBytes = 6, kNodeBytes = 6;
  uint64_t methods = std::min(in.Varint(), file_bytes_ / kMethodBytes);
  uint64_t edges = std::min(in.Varint(), file_bytes_ / kEdgeBytes);
  uint64_t nodes = std::min(in.Varint(), file_bytes_ / kNodeBytes);
  if (!in.ok()) return Damaged("bad counts", in);
  profile_.Reserve(methods, edges, nodes);
  return {};
}

Status Decoder::Strings(ByteReader& in) {
  while (!in.AtEnd()) {
    std::string text = Text(in);
    if (!in.ok()) return Damaged("bad string", in);
    strings_.push_back(std::move(text));
  }
  return {};
}

Status Decoder::Methods(ByteReader& in) {
  while (!in.AtEnd()) {
    uint32_t class_name = Index(in, strings_.size());
    uint32_t name = Index(in, strings_.size());
    uint32_t descriptor = Index(in, strings_.size());
    if (!in.ok()) return Damaged("bad method", in);
    size_t next = profile_.methods().size();
    if (profile_.InternMethod(strings_[class_name], strings_[name], strings_[descriptor]) != next) {
      return Damaged("a method twice", in);
    }
  }
  return {};
}

Status Decoder::Details(ByteReader& in) {
  while (!in.AtEnd()) {
    uint32_t id = Index(in, profile_.methods().size());
    uint32_t source = Index(in, strings_.size());
    uint32_t code_bytes = Index(in, std::numeric_limits<uint32_t>::max());
    uint64_t lines = in.Varint();
    if (!in.ok() || lines > in.remaining() / 2) return Damaged("bad method details", in);
    Method& method = profile_.method(id);
    method.source_file = strings_[source];
    method.code_bytes = code_bytes;
    method.lines.clear();
    method.lines.reserve(lines);
    uint64_t bci = 0, line = 0;
    for (uint64_t i = 0; i < lines; ++i) {
      bci = Shifted(in, bci, 1 << 16);
      line = Shifted(in, line, 1 << 16);
      method.lines.push_back({static_cast<uint16_t>(bci), static_cast<uint16_t>(line)});
    }
    if (!in.ok()) return Damaged("bad line table", in);
  }
  return {};
}

Status Decoder::Edges(ByteReader& in) {
  uint64_t caller = 0;
  while (!in.AtEnd()) {
    caller = Shifted(in, caller, profile_.methods().size());
    int32_t bci = Bci(in);
    uint32_t callee = Index(in, profile_.methods().size());
    uint64_t samples = in.Varint();
    double weight = Number(in);
    double variance = Number(in);
    if (!in.ok()) return Damaged("bad edge", in);
    size_t next = profile_.edges().size();
    EdgeId id = profile_.InternEdge(static_cast<MethodId>(caller), bci, callee);
    if (id != next) return Damaged("an edge twice", in);
    Edge& edge = profile_.edge(id);
    edge.samples = samples;
    edge.weight = weight;
    edge.variance = variance;
  }
  return {};
}

Status Decoder::EdgeUpdates(ByteReader& in) {
  uint64_t id = 0;
  while (!in.AtEnd()) {
    id += Index(in, profile_.edges().size());
    uint64_t samples = in.Varint();
    double weight = Number(in);
    double variance = Number(in);
    if (!in.ok() || id >= profile_.edges().size()) return Damaged("bad edge update", in);
    Edge& edge = profile_.edge(static_cast<EdgeId>(id));
    edge.samples = samples;
    edge.weight = weight;
    edge.variance = variance;
  }
  return {};
}

Status Decoder::Nodes(ByteReader& in) {
  while (!in.AtEnd()) {
    size_t next = profile_.nodes().size();
    uint64_t up = in.Varint();
    int32_t bci = Bci(in);
    uint32_t method = Index(in, profile_.methods().size());
    uint64_t samples = in.Varint();
    double calls = Number(in);
    double self = Number(in);
    if (!in.ok() || up == 0 || up > next) return Damaged("bad context node", in);
    NodeId id = profile_.InternNode(static_cast<NodeId>(next - up), bci, method);
    if (id != next) return Damaged("a context node twice", in);
    ContextNode& node = profile_.node(id);
    node.samples = samples;
    node.calls = calls;
    node.self = self;
  }
  return {};
}

Status Decoder::NodeUpdates(ByteReader& in) {
  uint64_t id = 0;
  while (!in.AtEnd()) {
    id += Index(in, profile_.nodes().size());
    uint64_t samples = in.Varint();
    double calls = Number(in);
    double self = Number(in);
    if (!in.ok() || id >= profile_.nodes().size()) return Damaged("bad context update", in);
    ContextNode& node = profile_.node(static_cast<NodeId>(id));
    node.samples = samples;
    node.calls = calls;
    node.self = self;
  }
  return {};
}

Status Decoder::Metadata(ByteReader& in) {
  profile_.metadata.clear();
  while (!in.AtEnd()) {
    std::string key = Text(in);
    std::string value = Text(in);
    if (!in.ok()) return Damaged("bad metadata", in);
    profile_.metadata[std::move(key)] = std::move(value);
  }
  return {};
}

Status Decoder::SelfUnit(ByteReader& in) {
  profile_.self_unit = in.AtEnd() ? std::string() : Text(in);
  if (!in.ok() || !in.AtEnd()) return Damaged("bad unit", in);
  return {};
}

Status Decoder::Threads(ByteReader& in) {
  while (!in.AtEnd()) {
    std::string name = Text(in);
    if (!in.ok()) return Damaged("bad thread name", in);
    profile_.threads.push_back(std::move(name));
  }
  return {};
}

Status Decoder::Ticks(ByteReader& in) {
  uint64_t time = 0;
  while (!in.AtEnd()) {
    TickPoint tick;
    tick.thread = Index(in, profile_.threads.size());
    time = tick.time_ns = time + static_cast<uint64_t>(in.SignedVarint());
    tick.latency_ns = in.Varint();
    tick.interval_ns = in.Varint();
    tick.density = Number(in, true);
    tick.samples = Index(in, std::numeric_limits<uint32_t>::max());
    if (!in.ok()) return Damaged("bad tick", in);
    profile_.ticks.push_back(tick);
  }
  return {};
}

Status Decoder::NewTable(ByteReader& in) {
  std::string name = Text(in);
  if (!in.ok()) return Damaged("bad table", in);
  Table table;
  while (!in.AtEnd()) {
    table.columns.push_back(Text(in));
    if (!in.ok()) return Damaged("bad column name", in);
  }
  profile_.tables[std::move(name)] = std::move(table);
  return {};
}

Status Decoder::TableRows(ByteReader& in) {
  auto it = profile_.tables.find(Text(in));
  if (!in.ok() || it == profile_.tables.end()) return Damaged("rows of an unknown table", in);
  Table& table = it->second;
  while (!in.AtEnd()) {
    TableRow row;
    row.key.reserve(table.columns.size());
    for (size_t i = 0; i < table.columns.size(); ++i) {
      uint32_t string = Index(in, strings_.size());
      if (!in.ok()) return Damaged("bad table row", in);
      row.key.push_back(strings_[string]);
    }
    row.samples = in.Varint();
    row.weight = Number(in);
    if (!in.ok()) return Damaged("bad table row", in);
    table.rows.push_back(std::move(row));
  }
  return {};
}

Status Decoder::Lost(ByteReader& in) {
  profile_.lost.clear();
  while (!in.AtEnd()) {
    std::string reason = Text(in);
    uint64_t count = in.Varint();
    if (!in.ok()) return Damaged("bad loss count", in);
    profile_.lost[std::move(reason)] = count;
  }
  return {};
}

Status Decoder::Skipped(ByteReader& in) {
  while (!in.AtEnd()) {
    SkippedMethod skipped;
    skipped.method = Text(in);
    skipped.reason = Text(in);
    if (!in.ok()) return Damaged("bad skipped method", in);
    profile_.skipped_methods.push_back(std::move(skipped));
  }
  return {};
}

Status Decoder::End(ByteReader& in) {
  bool same = in.Varint() == profile_.methods().size();
  same = in.Varint() == profile_.edges().size() && same;
  same = in.Varint() == profile_.nodes().size() && same;
  if (!in.ok() || !same || !in.AtEnd()) return Damaged("counts at the end do not match", in);
  ended_ = true;
  return {};
}

}  // namespace assay::profile
