// Lays one or two profiles over each other, so that the page sees one set of methods, call edges
// and contexts with a value from each profile, and keeps the part that matters when they are too
// large for a page. The profiles must outlive the join.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "src/profile/profile.h"

namespace assay::report {

class Join {
 public:
  explicit Join(std::vector<const profile::Profile*> profiles);

  size_t count() const { return profiles_.size(); }
  const profile::Profile& profile(size_t p) const { return *profiles_[p]; }

  // Methods, edges and nodes of all profiles; values in it mean nothing.
  const profile::Profile& frame() const { return *frame_; }

  // The edge or node of profile `p`, null when only the other profile has it.
  const profile::Edge* EdgeIn(size_t p, profile::EdgeId frame_edge) const;
  const profile::ContextNode* NodeIn(size_t p, profile::NodeId frame_node) const;

  // At most `limit` edges, those with the largest share of the calls in either profile, hottest
  // first.
  std::vector<profile::EdgeId> HottestEdges(size_t limit) const;

 private:
  static constexpr uint32_t kNone = ~0u;
  void Add(size_t p, profile::Profile* frame);

  std::vector<const profile::Profile*> profiles_;
  std::unique_ptr<profile::Profile> own_frame_;
  const profile::Profile* frame_;
  // By frame id, per profile; empty where the frame is the profile itself.
  std::vector<std::vector<uint32_t>> edge_of_;
  std::vector<std::vector<uint32_t>> node_of_;
};

// The contexts of a join in depth-first order, hottest child first; without the root.
struct ContextTree {
  struct Value {
    double self = 0;        // own
    double calls = 0;       // of this node
    double total_self = 0;  // with everything below, also what was cut
    double total_calls = 0;
    uint64_t samples = 0;
  };
  std::vector<profile::NodeId> node;       // frame id
  std::vector<uint32_t> depth;             // 0: called from nowhere
  std::vector<std::vector<Value>> values;  // per profile, by position in `node`
  size_t cut = 0;                          // nodes left out; their weight stays in the totals above
};

// At most `limit` nodes; a node is kept only when its parent is.
ContextTree HottestContexts(const Join& join, size_t limit);

}  // namespace assay::report
