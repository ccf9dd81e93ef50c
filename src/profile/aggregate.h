// Views of a profile that every command and export needs: edges (derived from the context tree when
// a profile has no edges of its own), sums per method and per call site, shares and errors.
#pragma once

#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace assay::profile {

// pkg.Class.name(descriptor); "<native>" for method 0, the caller of the outermost contexts.
std::string MethodName(const Profile& profile, MethodId id);

// The caller of outermost contexts: <native> when the profile has that as a method, else 0.
MethodId Outside(const Profile& profile);

// The call edges. A profile that has only contexts gives those of its tree, with the calls of each
// (parent's method, bci, method) summed; outermost contexts are called by Outside().
std::vector<Edge> CallEdges(const Profile& profile);

// Half-width of the 95 % interval relative to the weight; 0 where the weight is 0.
double RelativeError(double weight, double variance);

struct MethodTotals {
  MethodId method;
  double calls = 0;  // into the method
  double calls_variance = 0;
  uint64_t samples = 0;
  double calls_out = 0;
  double self = 0;   // in Profile::self_unit; over all contexts
  double total = 0;  // self of the method and everything below it, recursion counted once
};
// By method id; methods[0] is the outside.
std::vector<MethodTotals> TotalsByMethod(const Profile& profile);

struct Site {
  MethodId caller;
  int32_t bci;
  double weight = 0;
  double variance = 0;
  uint64_t samples = 0;
  std::vector<Edge> callees;  // heaviest first
};
std::vector<Site> CallSites(const Profile& profile);

// The context tree downwards: the children of node n are list[start[n]] .. list[start[n + 1]].
struct Children {
  std::vector<uint32_t> start;
  std::vector<NodeId> list;
};
Children ChildrenOf(const Profile& profile);

// self of each node and everything below it, by node id.
std::vector<double> InclusiveSelf(const Profile& profile);

// The source line of a bytecode index; 0 when unknown.
int LineOf(const Method& method, int32_t bci);

// The methods from the outermost frame to the node's own.
std::vector<MethodId> StackOf(const Profile& profile, NodeId node);

bool HasContexts(const Profile& profile);

}  // namespace assay::profile
