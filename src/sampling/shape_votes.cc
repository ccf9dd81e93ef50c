#include "src/sampling/shape_votes.h"

#include <string>

namespace assay::sampling {
namespace {

// Native wrappers and method-handle intrinsics have no check: a third without a match is normal, but
// where the mechanism exists most methods show it.
constexpr uint32_t kMinSharePercent = 40;
// With this many methods compiled and no quorum, waiting is pointless.
constexpr uint32_t kEnoughMethods = 64;

template <typename Layout>
Result<Layout> Decide(const std::map<Layout, uint32_t>& votes, uint32_t matches, uint32_t methods,
                      const char* what, bool* undecided) {
  *undecided = methods < kEnoughMethods;
  std::string seen = std::to_string(matches) + " of " + std::to_string(methods) + " compiled methods";
  if (votes.size() > 1) {
    *undecided = false;
    return Error{std::string(what) + ": compiled methods disagree (" +
                 std::to_string(votes.size()) + " variants)"};
  }
  if (matches < ShapeVotes::kQuorum || uint64_t{matches} * 100 < uint64_t{methods} * kMinSharePercent) {
    return Error{std::string(what) + " found in only " + seen +
                 (*undecided ? "; too few to prove anything yet" : "")};
  }
  *undecided = false;
  return votes.begin()->first;
}

}  // namespace

void ShapeVotes::Observe(std::span<const uint8_t> code, uint64_t address) {
  methods_++;
  if (auto check = FindEntryCheck(code, address)) {
    entry_matches_++;
    entry_[{check->displacement, check->stub}]++;
  }
  if (auto poll = FindReturnPoll(code, address)) {
    return_matches_++;
    return_[{poll->word_displacement, poll->saved_displacement, poll->handler}]++;
  }
}

Result<EntryLayout> ShapeVotes::Entry(bool* undecided) const {
  auto layout = Decide(entry_, entry_matches_, methods_, "entry check", undecided);
  // Every method with a return poll would have the entry check too, if this VM had it.
  if (entry_matches_ == 0 && return_matches_ >= kQuorum) *undecided = false;
  return layout;
}

Result<ReturnLayout> ShapeVotes::Return(bool* undecided) const {
  return Decide(return_, return_matches_, methods_, "return poll", undecided);
}

}  // namespace assay::sampling
