#include "src/profile/encoder.h"

#include <algorithm>
#include <cmath>

#include "src/base/hash.h"
#include "src/profile/format.h"

namespace assay::profile {
namespace {

constexpr size_t kPayloadBytes = 256 << 10;  // a chunk is closed when it has grown to this

uint64_t Bits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void Text(ByteWriter& out, std::string_view text) {
  out.Varint(text.size());
  out.Text(text);
}

void Number(ByteWriter& out, double value, bool may_be_negative = false) {
  if (std::isnan(value) || (value < 0 && !may_be_negative)) value = 0;
  value = std::clamp(value, -format::kLargestNumber, format::kLargestNumber);
  if (value >= 0 && value < 0x1p53 && value == std::trunc(value)) {
    out.Varint(static_cast<uint64_t>(value) << 1);
  } else {
    out.Varint(1);
    out.Double(value);
  }
}

void Values(ByteWriter& out, uint64_t samples, double a, double b) {
  out.Varint(samples);
  Number(out, a);
  Number(out, b);
}

uint64_t HashValues(uint64_t samples, double a, double b) {
  return HashCombine(HashCombine(samples, Bits(a)), Bits(b));
}

uint64_t HashContent(const ByteWriter& payload) {
  return HashBytes({reinterpret_cast<const char*>(payload.bytes().data()), payload.size()});
}

// Details only ever become known, so sizes are enough to see a change.
uint64_t Signature(const Method& method) {
  return method.lines.size() << 44 ^ method.source_file.size() << 32 ^ method.code_bytes;
}

// Collects records of one type and closes the chunk when it is large enough.
class Chunk {
 public:
  Chunk(uint32_t type, LogFile& out) : type_(type), out_(out) {}
  ByteWriter& payload() { return payload_; }
  bool Full() const { return payload_.size() >= kPayloadBytes; }
  void Close() {
    if (payload_.size() > 0) out_.Append(type_, payload_.bytes());
    payload_ = ByteWriter();
  }

 private:
  uint32_t type_;
  LogFile& out_;
  ByteWriter payload_;
};

}  // namespace

void Encoder::Encode(const Profile& profile, LogFile& out) {
  if (methods_ == 1 && edges_.empty() && nodes_.empty()) {
    ByteWriter counts;
    counts.Varint(profile.methods().size());
    counts.Varint(profile.edges().size());
    counts.Varint(profile.nodes().size());
    out.Append(format::kCounts, counts.bytes());
  }
  Texts(profile, out);
  Methods(profile, out);
  Details(profile, out);
  Edges(profile, out);
  Nodes(profile, out);
  Ticks(profile, out);
  Tables(profile, out);
}

void Encoder::EncodeEnd(const Profile& profile, LogFile& out) {
  ByteWriter payload;
  payload.Varint(profile.methods().size());
  payload.Varint(profile.edges().size());
  payload.Varint(profile.nodes().size());
  out.Append(format::kEnd, payload.bytes());
}

uint32_t Encoder::String(std::string_view text) {
  auto [it, added] =
      strings_.try_emplace(std::string(text), static_cast<uint32_t>(strings_.size()));
  if (added) Text(new_strings_, text);
  return it->second;
}

void Encoder::FlushStrings(LogFile& out) {
  if (new_strings_.size() > 0) out.Append(format::kStrings, new_strings_.bytes());
  new_strings_ = ByteWriter();
}

void Encoder::Methods(const Profile& profile, LogFile& out) {
  Chunk chunk(format::kMethods, out);
  for (; methods_ < profile.methods().size(); ++methods_) {
    const Method& method = profile.method(static_cast<MethodId>(methods_));
    chunk.payload().Varint(String(method.class_name));
    chunk.payload().Varint(String(method.name));
    chunk.payload().Varint(String(method.descriptor));
    if (chunk.Full() || new_strings_.size() >= kPayloadBytes) {
      FlushStrings(out);
      chunk.Close();
    }
  }
  FlushStrings(out);
  chunk.Close();
}

void Encoder::Details(const Profile& profile, LogFile& out) {
  Chunk chunk(format::kMethodDetails, out);
  details_.resize(profile.methods().size(), 0);
  for (MethodId id = 1; id < profile.methods().size(); ++id) {
    const Method& method = profile.method(id);
    uint64_t signature = Signature(method);
    if (signature == details_[id]) continue;
    details_[id] = signature;
    ByteWriter& payload = chunk.payload();
    payload.Varint(id);
    payload.Varint(String(method.source_file));
    payload.Varint(method.code_bytes);
    payload.Varint(method.lines.size());
    LineEntry previous{0, 0};
    for (const LineEntry& entry : method.lines) {
      payload.SignedVarint(static_cast<int64_t>(entry.start_bci) - previous.start_bci);
      payload.SignedVarint(static_cast<int64_t>(entry.line) - previous.line);
      previous = entry;
    }
    if (chunk.Full()) {
      FlushStrings(out);
      chunk.Close();
    }
  }
  FlushStrings(out);
  chunk.Close();
}

void Encoder::Edges(const Profile& profile, LogFile& out) {
  Chunk updates(format::kEdgeUpdates, out);
  EdgeId previous = 0;
  for (EdgeId id = 0; id < edges_.size(); ++id) {
    const Edge& edge = profile.edges()[id];
    uint64_t hash = HashValues(edge.samples, edge.weight, edge.variance);
    if (hash == edges_[id]) continue;
    edges_[id] = hash;
    updates.payload().Varint(id - std::exchange(previous, id));
    Values(updates.payload(), edge.samples, edge.weight, edge.variance);
    if (updates.Full()) {
      updates.Close();
      previous = 0;
    }
  }
  updates.Close();

  Chunk added(format::kEdges, out);
  MethodId caller = 0;
  edges_.reserve(profile.edges().size());
  for (size_t id = edges_.size(); id < profile.edges().size(); ++id) {
    const Edge& edge = profile.edges()[id];
    edges_.push_back(HashValues(edge.samples, edge.weight, edge.variance));
    ByteWriter& payload = added.payload();
    payload.SignedVarint(static_cast<int64_t>(edge.caller) - std::exchange(caller, edge.caller));
    payload.SignedVarint(edge.bci);
    payload.Varint(edge.callee);
    Values(payload, edge.samples, edge.weight, edge.variance);
    if (added.Full()) {
      added.Close();
      caller = 0;
    }
  }
  added.Close();
}

void Encoder::Nodes(const Profile& profile, LogFile& out) {
  // The root exists without being sent; its values start as zeros.
  if (nodes_.empty()) nodes_.push_back(HashValues(0, 0, 0));
  Chunk updates(format::kNodeUpdates, out);
  NodeId previous = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const ContextNode& node = profile.nodes()[id];
    uint64_t hash = HashValues(node.samples, node.calls, node.self);
    if (hash == nodes_[id]) continue;
    nodes_[id] = hash;
    updates.payload().Varint(id - std::exchange(previous, id));
    Values(updates.payload(), node.samples, node.calls, node.self);
    if (updates.Full()) {
      updates.Close();
      previous = 0;
    }
  }
  updates.Close();

  Chunk added(format::kNodes, out);
  nodes_.reserve(profile.nodes().size());
  for (size_t id = nodes_.size(); id < profile.nodes().size(); ++id) {
    const ContextNode& node = profile.nodes()[id];
    nodes_.push_back(HashValues(node.samples, node.calls, node.self));
    added.payload().Varint(id - node.parent);
    added.payload().SignedVarint(node.bci);
    added.payload().Varint(node.method);
    Values(added.payload(), node.samples, node.calls, node.self);
    if (added.Full()) added.Close();
  }
  added.Close();
}

void Encoder::SendIfChanged(uint32_t type, const ByteWriter& payload, LogFile& out) {
  uint64_t hash = payload.size() == 0 ? 0 : HashContent(payload);
  uint64_t& sent = sent_[type];
  if (hash != std::exchange(sent, hash)) out.Append(type, payload.bytes());
}

void Encoder::Texts(const Profile& profile, LogFile& out) {
  ByteWriter metadata;
  for (const auto& [key, value] : profile.metadata) {
    Text(metadata, key);
    Text(metadata, value);
  }
  SendIfChanged(format::kMetadata, metadata, out);
  ByteWriter unit;
  if (!profile.self_unit.empty()) Text(unit, profile.self_unit);
  SendIfChanged(format::kSelfUnit, unit, out);
  ByteWriter lost;
  for (const auto& [reason, count] : profile.lost) {
    Text(lost, reason);
    lost.Varint(count);
  }
  SendIfChanged(format::kLost, lost, out);

  Chunk threads(format::kThreads, out);
  for (; threads_ < profile.threads.size(); ++threads_) {
    Text(threads.payload(), profile.threads[threads_]);
    if (threads.Full()) threads.Close();
  }
  threads.Close();
  Chunk skipped(format::kSkipped, out);
  for (; skipped_ < profile.skipped_methods.size(); ++skipped_) {
    Text(skipped.payload(), profile.skipped_methods[skipped_].method);
    Text(skipped.payload(), profile.skipped_methods[skipped_].reason);
    if (skipped.Full()) skipped.Close();
  }
  skipped.Close();
}

void Encoder::Ticks(const Profile& profile, LogFile& out) {
  Chunk chunk(format::kTicks, out);
  uint64_t previous = 0;
  for (; ticks_ < profile.ticks.size(); ++ticks_) {
    const TickPoint& tick = profile.ticks[ticks_];
    ByteWriter& payload = chunk.payload();
    payload.Varint(tick.thread);
    payload.SignedVarint(
        static_cast<int64_t>(tick.time_ns - std::exchange(previous, tick.time_ns)));
    payload.Varint(tick.latency_ns);
    payload.Varint(tick.interval_ns);
    Number(payload, tick.density, true);
    payload.Varint(tick.samples);
    if (chunk.Full()) {
      chunk.Close();
      previous = 0;
    }
  }
  chunk.Close();
}

void Encoder::Tables(const Profile& profile, LogFile& out) {
  for (const auto& [name, table] : profile.tables) {
    uint64_t hash = table.rows.size() + 1;
    for (const std::string& column : table.columns) hash = HashCombine(hash, HashBytes(column));
    for (const TableRow& row : table.rows) {
      for (const std::string& part : row.key) hash = HashCombine(hash, HashBytes(part));
      hash = HashCombine(hash, HashValues(row.samples, row.weight, 0));
    }
    if (hash != std::exchange(tables_[name], hash)) RowsOf(name, table, out);
  }
}

void Encoder::RowsOf(const std::string& name, const Table& table, LogFile& out) {
  ByteWriter head;
  Text(head, name);
  for (const std::string& column : table.columns) Text(head, column);
  out.Append(format::kTable, head.bytes());
  Chunk chunk(format::kTableRows, out);
  for (const TableRow& row : table.rows) {
    if (chunk.payload().size() == 0) Text(chunk.payload(), name);
    for (size_t i = 0; i < table.columns.size(); ++i) {
      chunk.payload().Varint(String(i < row.key.size() ? row.key[i] : std::string()));
    }
    chunk.payload().Varint(row.samples);
    Number(chunk.payload(), row.weight);
    if (chunk.Full()) {
      FlushStrings(out);
      chunk.Close();
    }
  }
  FlushStrings(out);
  chunk.Close();
}

}  // namespace assay::profile
