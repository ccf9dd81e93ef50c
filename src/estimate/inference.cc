#include "src/estimate/inference.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "src/estimate/flow_table.h"

namespace assay::estimate {
namespace {

// Observed over expected spread above which a group contradicts its equality: beyond chance.
constexpr double kContradiction = 4;

// Calls that are made equally often come in the same bursts, so what one burst adds (variance over count) is of one size too. A
// count from a few long runs of calls and one from single calls differ, however uncertain the first is: intrinsics such as System.arraycopy,
// which compiled code neither calls nor inlines, are only left over where code was not compiled yet.
constexpr double kMostClusterRatio = 4;

struct GroupSums {
  double size = 0, mean = 0, variance = 0, squares = 0;
  double least_cluster = 0, most_cluster = 0;

  // 1 in the mean when all counts are equal.
  double Ratio() const { return squares / ((size - 1) * variance); }
  bool StaysApart() const { return Ratio() > kContradiction || most_cluster > kMostClusterRatio * least_cluster; }
};

GroupSums SumsOf(const FlowProblem& problem, const std::vector<uint32_t>& group) {
  GroupSums sums;
  sums.size = static_cast<double>(group.size());
  for (uint32_t i : group) {
    const auto& [value, variance] = problem.counts[i];
    sums.mean += value / sums.size;
    sums.variance += variance / sums.size;
    const double cluster = value > 0 ? variance / value : 0;
    sums.most_cluster = std::max(sums.most_cluster, cluster);
    if (sums.least_cluster == 0 || cluster < sums.least_cluster) sums.least_cluster = cluster;
  }
  for (uint32_t i : group) sums.squares += std::pow(problem.counts[i].value - sums.mean, 2);
  return sums;
}

bool IsUsable(const GroupSums& sums) { return sums.size >= 2 && sums.mean > 0 && sums.variance > 0; }

}  // namespace

FlowSolution SolveFlow(const FlowProblem& problem) {
  FlowSolution solution{.counts = problem.counts};
  std::vector<GroupSums> all;
  double excess = 0, scale = 0;
  for (const auto& group : problem.groups) {
    all.push_back(SumsOf(problem, group));
    const GroupSums& sums = all.back();
    if (!IsUsable(sums) || sums.StaysApart()) continue;
    // Groups count by what they know: those with large variance say nothing about the spread.
    double weight = std::pow(sums.mean, 2) / (sums.variance + 1e-4 * std::pow(sums.mean, 2));
    double relative = (sums.squares - (sums.size - 1) * sums.variance) / std::pow(sums.mean, 2);
    excess += weight * relative;
    scale += weight * (sums.size - 1);
  }
  double spread = scale > 0 ? std::max(0.0, excess / scale) : 0;
  solution.spread = std::sqrt(spread);

  size_t usable = 0;
  for (const GroupSums& sums : all) {
    usable += IsUsable(sums);
    solution.left += IsUsable(sums) && sums.Ratio() > kContradiction;
  }
  if (static_cast<double>(solution.left) > std::max(1.0, kMostContradictions * usable)) return solution;

  for (size_t g = 0; g < all.size(); g++) {
    const GroupSums& sums = all[g];
    if (!IsUsable(sums) || sums.StaysApart()) continue;
    solution.joined++;
    double part = sums.variance / (sums.variance + spread * sums.mean * sums.mean);
    double own = (1 - part) * (1 - part);
    for (uint32_t i : problem.groups[g]) {
      FlowProblem::Count& count = solution.counts[i];
      count.value = sums.mean + (1 - part) * (count.value - sums.mean);
      count.variance *= own + (1 - own) / sums.size;
    }
  }
  return solution;
}

FlowSolution InferFlow(profile::Profile& profile) {
  auto key = [](profile::MethodId method, uint32_t bci) { return static_cast<uint64_t>(method) << 32 | bci; };
  std::unordered_map<uint64_t, uint32_t> sites;
  FlowProblem problem;
  std::vector<uint32_t> site_of(profile.edges().size());
  for (size_t e = 0; e < profile.edges().size(); e++) {
    const profile::Edge& edge = profile.edges()[e];
    auto [it, added] = sites.try_emplace(key(edge.caller, static_cast<uint32_t>(edge.bci)),
                                         static_cast<uint32_t>(problem.counts.size()));
    if (added) problem.counts.emplace_back();
    problem.counts[it->second].value += edge.weight;
    problem.counts[it->second].variance += edge.variance;
    site_of[e] = it->second;
  }
  std::vector<bool> taken(problem.counts.size());
  for (const FlowGroup& group : FlowGroupsOf(profile)) {
    std::vector<uint32_t> members;
    for (uint32_t bci : group.sites) {
      auto it = sites.find(key(group.method, bci));
      if (it == sites.end() || taken[it->second]) continue;
      taken[it->second] = true;
      members.push_back(it->second);
    }
    if (members.size() >= 2) problem.groups.push_back(std::move(members));
  }
  FlowSolution solution = SolveFlow(problem);
  for (size_t e = 0; e < site_of.size(); e++) {
    const FlowProblem::Count& before = problem.counts[site_of[e]];
    const FlowProblem::Count& after = solution.counts[site_of[e]];
    profile::Edge& edge = profile.edge(static_cast<profile::EdgeId>(e));
    if (before.value > 0) edge.weight *= after.value / before.value;
    if (before.variance > 0) edge.variance *= after.variance / before.variance;
  }
  return solution;
}

}  // namespace assay::estimate
