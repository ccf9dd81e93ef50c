// Callgrind's profile format (valgrind manual, "Callgrind Format Specification"): for each method
// its own cost and, per call site line and callee, the number of calls and their inclusive cost.
//
// calls= is the number of calls of the edge in every case. With a context tree that has own work,
// the event is that work (Bytecodes, Nanoseconds...), exact per edge from the tree. Without one the
// only event is Calls: a method costs one per call into it, and nothing is claimed about what lies
// below.
#include <algorithm>
#include <map>
#include <tuple>

#include "src/base/utf8.h"
#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/export/symbols.h"
#include "src/profile/aggregate.h"
#include "src/profile/names.h"

namespace assay::exporting {
namespace {

using profile::Edge;
using profile::MethodId;
using profile::NodeId;
using profile::Profile;

struct Call {
  double calls = 0;
  double cost = 0;
};
// Per caller, (line, callee) in order.
using CallsOfMethod = std::map<std::pair<int, MethodId>, Call>;

struct Costs {
  std::string event;
  std::vector<double> self;  // by method
  std::vector<CallsOfMethod> calls;
};

Costs Collect(const Profile& profile) {
  Costs costs;
  costs.self.resize(profile.methods().size());
  costs.calls.resize(profile.methods().size());
  bool work = ValueKinds(profile)[0].name != "calls";
  costs.event = work ? ValueKinds(profile)[0].name : "calls";
  costs.event[0] = static_cast<char>(std::toupper(costs.event[0]));
  auto call = [&](MethodId caller, int32_t bci, MethodId callee) -> Call& {
    return costs.calls[caller][{LineOf(profile.method(caller), bci), callee}];
  };
  for (const Edge& edge : profile::CallEdges(profile)) {
    Call& total = call(edge.caller, edge.bci, edge.callee);
    total.calls += edge.weight;
    if (!work) {
      total.cost += edge.weight;
      costs.self[edge.callee] += edge.weight;
    }
  }
  if (!work) return costs;
  std::vector<double> inclusive = profile::InclusiveSelf(profile);
  MethodId outside = profile::Outside(profile);
  for (NodeId id = 1; id < profile.nodes().size(); ++id) {
    const profile::ContextNode& node = profile.nodes()[id];
    costs.self[node.method] += node.self;
    bool outermost = node.parent == profile::kRootNode;
    MethodId caller = outermost ? outside : profile.nodes()[node.parent].method;
    call(caller, node.bci, node.method).cost += inclusive[id];
  }
  return costs;
}

// Names are written once and by number after that.
class Names {
 public:
  std::string operator()(const std::string& name) {
    auto [it, added] = ids_.try_emplace(name, ids_.size() + 1);
    std::string id = "(" + std::to_string(it->second) + ")";
    return added ? id + " " + name : id;
  }

 private:
  std::map<std::string, size_t> ids_;
};

std::string FileOf(const profile::Method& method) {
  std::string path = ValidUtf8(SourcePath(method));
  std::replace_if(
      path.begin(), path.end(), [](unsigned char c) { return c < 0x20; }, '_');
  return path.empty() ? "???" : path;
}

}  // namespace

Result<std::string> WriteCallgrind(const Profile& profile) {
  Costs costs = Collect(profile);
  std::vector<std::string> names = profile::FrameNames(profile);
  Names files, functions;
  int64_t total = 0;
  for (double self : costs.self) total += Rounded(self);
  std::string out = "# callgrind format\nversion: 1\ncreator: assay\npositions: line\n";
  out += "events: " + costs.event + "\nsummary: " + std::to_string(total) + "\n";
  for (MethodId id = 0; id < profile.methods().size(); ++id) {
    if (costs.self[id] == 0 && costs.calls[id].empty()) continue;
    const profile::Method& method = profile.method(id);
    out += "\nfl=" + files(FileOf(method)) + "\nfn=" + functions(names[id]) + "\n";
    out += std::to_string(FirstLine(method)) + " " + std::to_string(Rounded(costs.self[id])) + "\n";
    for (const auto& [place, call] : costs.calls[id]) {
      const profile::Method& callee = profile.method(place.second);
      out += "cfi=" + files(FileOf(callee)) + "\ncfn=" + functions(names[place.second]) + "\n";
      out += "calls=" + std::to_string(Rounded(call.calls)) + " " +
             std::to_string(FirstLine(callee)) + "\n";
      out += std::to_string(place.first) + " " + std::to_string(Rounded(call.cost)) + "\n";
    }
  }
  return out + "\ntotals: " + std::to_string(total) + "\n";
}

}  // namespace assay::exporting
