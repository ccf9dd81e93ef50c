#include "src/profile/hidden_classes.h"

#include <map>
#include <tuple>
#include <vector>

#include "src/profile/aggregate.h"

namespace assay::profile {
namespace {

bool IsHidden(const Method& method) {
  for (const char* mark : {"$$Lambda", "$$StringConcat", "$$TypeSwitch", "LambdaForm$MH", "LambdaForm$DMH", "LambdaForm$BMH"}) {
    if (method.class_name.find(mark) != std::string::npos) return true;
  }
  return false;
}

// Call edges from which one method after the other is taken out.
class Graph {
 public:
  Graph(const Profile& profile, const std::vector<bool>& hidden) : hidden_(hidden) {
    for (const Edge& edge : CallEdges(profile)) Add({edge.caller, edge.bci, edge.callee}, edge.weight);
  }

  void TakeOut(MethodId method) {
    const std::vector<Key> in = Live(into_[method]), out = Live(out_of_[method]);
    double calls = 0;
    for (const Key& key : in) calls += weights_[key];
    if (calls <= 0 || out.empty()) return;
    for (const Key& from : in) {
      const double part = weights_[from] / calls;
      for (const Key& to : out) Add({std::get<0>(from), std::get<1>(from), std::get<2>(to)}, part * weights_[to]);
    }
    for (const Key& key : into_[method]) weights_.erase(key);
    for (const Key& key : out_of_[method]) weights_.erase(key);
  }

  void AddTo(Profile& profile) const {
    for (const auto& [key, weight] : weights_) profile.AddEdge(std::get<0>(key), std::get<1>(key), std::get<2>(key), 0, weight);
  }

 private:
  using Key = std::tuple<MethodId, int32_t, MethodId>;

  void Add(const Key& key, double weight) {
    auto [it, is_new] = weights_.try_emplace(key, 0);
    it->second += weight;
    if (!is_new) return;
    if (hidden_[std::get<2>(key)]) into_[std::get<2>(key)].push_back(key);
    if (hidden_[std::get<0>(key)]) out_of_[std::get<0>(key)].push_back(key);
  }

  // Those of `keys` that are still there, but for calls of itself.
  std::vector<Key> Live(const std::vector<Key>& keys) const {
    std::vector<Key> live;
    for (const Key& key : keys) {
      if (std::get<0>(key) != std::get<2>(key) && weights_.contains(key)) live.push_back(key);
    }
    return live;
  }

  const std::vector<bool>& hidden_;
  std::map<Key, double> weights_;
  std::map<MethodId, std::vector<Key>> into_, out_of_;  // of hidden methods; may name edges that are gone
};

void AddContexts(const Profile& profile, const std::vector<bool>& hidden, Profile& result) {
  struct Place {
    NodeId node;
    int32_t bci;  // of calls made from there
    bool is_hidden;
  };
  std::vector<Place> places{{kRootNode, kNoBci, false}};
  for (NodeId id = 1; id < profile.nodes().size(); id++) {
    const ContextNode& node = profile.nodes()[id];
    const Place parent = places[node.parent];
    const int32_t bci = parent.is_hidden ? parent.bci : node.bci;
    if (hidden[node.method]) {
      places.push_back({parent.node, bci, true});
      result.node(parent.node).self += node.self;
      continue;
    }
    const NodeId added = result.InternNode(parent.node, bci, node.method);
    places.push_back({added, kNoBci, false});
    ContextNode& same = result.node(added);
    same.samples += node.samples;
    same.calls += node.calls;
    same.self += node.self;
  }
}

}  // namespace

bool IsFromRewriting(const Profile& profile) {
  auto collect = profile.metadata.find("collect");
  return collect != profile.metadata.end() && (collect->second == "exact" || collect->second == "sampled" || collect->second == "bytecodes");
}

Profile WithoutHiddenClasses(const Profile& profile) {
  Profile result;
  result.metadata = profile.metadata;
  result.self_unit = profile.self_unit;
  std::vector<bool> hidden(profile.methods().size(), false);
  for (MethodId id = 1; id < profile.methods().size(); id++) {
    const Method& method = profile.method(id);
    result.method(result.InternMethod(method.class_name, method.name, method.descriptor)) = method;
    hidden[id] = IsHidden(method);
  }
  if (!profile.edges().empty()) {
    Graph graph(profile, hidden);
    for (MethodId id = 1; id < hidden.size(); id++) {
      if (hidden[id]) graph.TakeOut(id);
    }
    graph.AddTo(result);
  }
  AddContexts(profile, hidden, result);
  return result;
}

}  // namespace assay::profile
