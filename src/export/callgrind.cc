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
  MethodId caller;
  int line;
  MethodId callee;
  double calls;
  double cost;
  auto Place() const { return std::tuple(caller, line, callee); }
};

struct Costs {
  std::string event;
  std::vector<double> self;  // by method
  std::vector<Call> calls;   // one per caller, line and callee, in that order
};

void SortAndSum(std::vector<Call>& calls) {
  std::sort(calls.begin(), calls.end(),
            [](const Call& a, const Call& b) { return a.Place() < b.Place(); });
  size_t kept = 0;
  for (const Call& call : calls) {
    if (kept > 0 && calls[kept - 1].Place() == call.Place()) {
      calls[kept - 1].calls += call.calls;
      calls[kept - 1].cost += call.cost;
    } else {
      calls[kept++] = call;
    }
  }
  calls.resize(kept);
}

Costs Collect(const Profile& profile) {
  Costs costs;
  costs.self.resize(profile.methods().size());
  costs.event = ValueKinds(profile)[0].name;
  bool work = costs.event != "calls";
  costs.event[0] = static_cast<char>(std::toupper(costs.event[0]));
  auto add = [&](MethodId caller, int32_t bci, MethodId callee, double calls, double cost) {
    costs.calls.push_back({caller, LineOf(profile.method(caller), bci), callee, calls, cost});
  };
  for (const Edge& edge : profile::CallEdges(profile)) {
    add(edge.caller, edge.bci, edge.callee, edge.weight, work ? 0 : edge.weight);
    if (!work) costs.self[edge.callee] += edge.weight;
  }
  if (work) {
    std::vector<double> inclusive = profile::InclusiveSelf(profile);
    MethodId outside = profile::Outside(profile);
    for (NodeId id = 1; id < profile.nodes().size(); ++id) {
      const profile::ContextNode& node = profile.nodes()[id];
      bool outermost = node.parent == profile::kRootNode;
      MethodId caller = outermost ? outside : profile.nodes()[node.parent].method;
      costs.self[node.method] += node.self;
      add(caller, node.bci, node.method, 0, inclusive[id]);
    }
  }
  SortAndSum(costs.calls);
  return costs;
}

std::string FileOf(const profile::Method& method) {
  std::string path = ValidUtf8(SourcePath(method));
  std::replace_if(
      path.begin(), path.end(), [](unsigned char c) { return c < 0x20; }, '_');
  return path.empty() ? "???" : path;
}

// Names are written once and by number after that: "(3) java/util/HashMap.java", then "(3)".
class Names {
 public:
  Names(const Profile& profile) : names_(profile::FrameNames(profile)), files_(names_.size(), 0) {
    std::map<std::string, size_t> ids;
    for (MethodId id = 0; id < names_.size(); ++id) {
      auto [it, added] = ids.try_emplace(FileOf(profile.method(id)), ids.size() + 1);
      files_[id] = it->second;
    }
    file_names_.resize(ids.size() + 1);
    for (const auto& [name, id] : ids) file_names_[id] = name;
  }
  std::string File(MethodId id) { return Once(files_[id], file_names_[files_[id]]); }
  std::string Function(MethodId id) { return Once(id + 1, names_[id]); }

 private:
  // The name is forgotten when it has been written.
  static std::string Once(size_t id, std::string& name) {
    std::string out = "(" + std::to_string(id) + ")";
    if (!name.empty()) out += " " + name;
    name.clear();
    return out;
  }

  std::vector<std::string> names_;
  std::vector<size_t> files_;  // by method
  std::vector<std::string> file_names_;
};

}  // namespace

Result<std::string> WriteCallgrind(const Profile& profile) {
  Costs costs = Collect(profile);
  Names names(profile);
  int64_t total = 0;
  for (double self : costs.self) total = Plus(total, Rounded(self));
  std::string out = "# callgrind format\nversion: 1\ncreator: assay\npositions: line\n";
  out += "events: " + costs.event + "\nsummary: " + std::to_string(total) + "\n";
  size_t next = 0;
  for (MethodId id = 0; id < profile.methods().size(); ++id) {
    bool calls = next < costs.calls.size() && costs.calls[next].caller == id;
    if (costs.self[id] == 0 && !calls) continue;
    out += "\nfl=" + names.File(id) + "\nfn=" + names.Function(id) + "\n";
    out += std::to_string(FirstLine(profile.method(id))) + " ";
    out += std::to_string(Rounded(costs.self[id])) + "\n";
    for (; next < costs.calls.size() && costs.calls[next].caller == id; ++next) {
      const Call& call = costs.calls[next];
      out += "cfi=" + names.File(call.callee) + "\ncfn=" + names.Function(call.callee) + "\n";
      out += "calls=" + std::to_string(Rounded(call.calls)) + " ";
      out += std::to_string(FirstLine(profile.method(call.callee))) + "\n";
      out += std::to_string(call.line) + " " + std::to_string(Rounded(call.cost)) + "\n";
    }
  }
  return out + "\ntotals: " + std::to_string(total) + "\n";
}

}  // namespace assay::exporting
