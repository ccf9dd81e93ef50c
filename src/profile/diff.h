// What grew and what shrank from one profile to another: differences of edges, methods and contexts
// in calls, and in own work where both profiles have it.
//
// An element's change counts against the whole: growth = (after - before) / total before. A limit
// is exceeded when a total grew by more than it, or when a single element did, even if others
// shrank by as much. For sampled profiles a change within its own 95 % interval does not count.
#pragma once

#include <string>
#include <vector>

#include "src/profile/pairing.h"
#include "src/profile/profile.h"

namespace assay::profile {

struct Change {
  uint32_t id;  // edge, method or node of Difference::paired.common
  double before;
  double after;
  bool significant;
  double Delta() const { return after - before; }
};

// One kind of element by one measure.
struct Difference {
  std::string elements;  // "edges", "methods", "contexts"
  std::string measure;   // "calls", or the unit of own work
  Paired paired;
  double total_before = 0;
  double total_after = 0;
  std::vector<Change> changes;  // everything that is not equal, largest difference first

  // Growth of the total, and of one element, relative to the total before.
  double Growth() const { return Relative(total_after - total_before); }
  double Growth(const Change& change) const { return Relative(change.Delta()); }
  double Relative(double delta) const;
};

struct DiffOptions {
  bool shares = false;  // scale the second profile to the total of the first
};

std::vector<Difference> Diff(const Profile& before, const Profile& after,
                             const DiffOptions& options);

// Elements, or totals (id = kTotal), that grew by more than `limit` (0.05 = 5 %).
struct Culprit {
  static constexpr uint32_t kTotal = ~0u;
  const Difference* difference;
  uint32_t id;
  double before;
  double after;
  double growth;
};
std::vector<Culprit> OverLimit(const std::vector<Difference>& differences, double limit);

}  // namespace assay::profile
