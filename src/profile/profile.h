// A profile in memory: methods, call edges, a context tree, per-tick series, free tables, and what
// was lost. Plain data with indices instead of pointers; every collector fills it and every command
// reads it. Not synchronized: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/profile/flat_index.h"

namespace assay::profile {

using MethodId = uint32_t;
using EdgeId = uint32_t;
using NodeId = uint32_t;

constexpr int32_t kNoBci = -1;
constexpr NodeId kRootNode = 0;

// Callers that are not Java methods. They are ordinary methods with an empty class and descriptor.
constexpr std::string_view kNativeCaller = "<native>";
constexpr std::string_view kVmCaller = "<vm>";

struct LineEntry {
  uint16_t start_bci;
  uint16_t line;
  bool operator==(const LineEntry&) const = default;
};

struct Method {
  std::string class_name;  // as in source, for example "java.util.Map$Entry"; "" for <native>, <vm>
  std::string name;
  std::string descriptor;
  std::string source_file;       // "" when unknown
  uint32_t code_bytes = 0;       // length of the bytecode, 0 when unknown or native
  std::vector<LineEntry> lines;  // by start_bci

  // "pkg.Class.name(descriptor)", or the bare name of a caller outside Java.
  std::string ToString() const {
    return class_name.empty() ? name : class_name + "." + name + descriptor;
  }
};

// (caller, call site, callee) with an estimated number of calls.
struct Edge {
  MethodId caller;
  int32_t bci;  // in the original bytecode of the caller; kNoBci when there is none
  MethodId callee;
  uint64_t samples = 0;
  double weight = 0;    // estimated calls; exact counts in `exact`
  double variance = 0;  // of `weight`, from the variance between bursts
};

// A node of the calling context tree. The root has method 0 and stands for no method at all.
struct ContextNode {
  NodeId parent;
  int32_t bci;  // call site in the parent's method
  MethodId method;
  uint64_t samples = 0;
  double calls = 0;  // invocations, or newly seen activations
  double self = 0;   // own share, in Profile::self_unit: bytecodes, nanoseconds, samples
};

// One point of a per-thread series: what a tick of the sampler saw.
struct TickPoint {
  uint32_t thread;       // index into Profile::threads
  uint64_t time_ns;      // since the start of the profile
  uint64_t latency_ns;   // from the tick to its first sample
  uint64_t interval_ns;  // thread time since the previous tick
  double density;        // calls per microsecond of thread time; negative when not known
  uint32_t samples;
};

// A result of an instrumentation: rows of text columns with a count, for example fields or values.
struct TableRow {
  std::vector<std::string> key;
  uint64_t samples = 0;
  double weight = 0;
};
struct Table {
  std::vector<std::string> columns;  // names of the key columns
  std::vector<TableRow> rows;
};

// A method that a rewriting collector left as it is.
struct SkippedMethod {
  std::string method;
  std::string reason;
};

class Profile {
 public:
  Profile();

  // Finds or adds; the first call for a method may leave details empty and a later one fill them.
  MethodId InternMethod(std::string_view class_name, std::string_view name,
                        std::string_view descriptor);
  // The id, or 0 when there is no such method.
  MethodId FindMethod(std::string_view class_name, std::string_view name,
                      std::string_view descriptor) const;
  EdgeId InternEdge(MethodId caller, int32_t bci, MethodId callee);
  NodeId InternNode(NodeId parent, int32_t bci, MethodId method);

  void AddEdge(MethodId caller, int32_t bci, MethodId callee, uint64_t samples, double weight,
               double variance = 0);

  const std::vector<Method>& methods() const { return methods_; }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<ContextNode>& nodes() const { return nodes_; }
  Method& method(MethodId id) { return methods_[id]; }
  Edge& edge(EdgeId id) { return edges_[id]; }
  ContextNode& node(NodeId id) { return nodes_[id]; }
  const Method& method(MethodId id) const { return methods_[id]; }

  // Prepares memory for this many more of each.
  void Reserve(size_t methods, size_t edges, size_t nodes);

  // Drops all methods, edges and contexts, for a collector that fills in what is left of them: ids
  // given before mean nothing afterwards. `edition` counts how often that was.
  void ForgetGraph();
  // Drops everything, which is an edition too.
  void Restart();
  uint64_t edition() const { return edition_; }

  double TotalEdgeWeight() const;

  // Names as in INTERFACE: collect, command, jvm, tick, samples, stride, seed, start, duration...
  std::map<std::string, std::string> metadata;
  std::string self_unit;  // of ContextNode::self: "bytecodes", "ns", "samples"; "" without contexts
  std::vector<std::string> threads;
  std::vector<TickPoint> ticks;
  std::map<std::string, Table> tables;   // by name: fields, receivers, values, branches...
  std::map<std::string, uint64_t> lost;  // events lost or not seen, by reason
  std::vector<SkippedMethod> skipped_methods;

 private:
  void AddRoots();
  uint32_t Lookup(uint64_t hash, std::string_view class_name, std::string_view name,
                  std::string_view descriptor) const;

  std::vector<Method> methods_;
  std::vector<Edge> edges_;
  std::vector<ContextNode> nodes_;
  FlatIndex method_index_;
  FlatIndex edge_index_;
  FlatIndex node_index_;
  uint64_t edition_ = 0;
};

}  // namespace assay::profile
