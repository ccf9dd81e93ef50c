#include "src/bytecode/handler_entries.h"

#include <algorithm>
#include <utility>

namespace assay::bytecode {
namespace {

class Finder {
 public:
  explicit Finder(const Code& code)
      : code_(code), at_(code.label_count, code.elements.size()), free_from_(code.label_count, 0) {
    found_.place.assign(code.elements.size(), HandlerEntries::kNone);
    found_.silent.assign(code.elements.size(), 0);
  }

  HandlerEntries Run() {
    FindLabels();
    FindCovered();
    for (const TryRange& range : code_.tries) Walk(range.handler);
    return std::move(found_);
  }

 private:
  // Labels stand for the next instruction, in whatever order they are in front of it.
  void FindLabels() {
    size_t next = code_.elements.size();
    for (size_t i = code_.elements.size(); i-- > 0;) {
      const Element& element = code_.elements[i];
      if (element.IsInstruction()) next = i;
      if (element.IsLabel()) at_[element.label().id] = next;
    }
  }

  bool Covers(const TryRange& range, size_t i) const {
    return at_[range.start.id] <= i && i < at_[range.end.id];
  }

  // Ranges of one handler may follow each other.
  void FindCovered() {
    std::vector<const TryRange*> ranges;
    for (const TryRange& range : code_.tries) {
      if (at_[range.end.id] > at_[range.handler.id]) ranges.push_back(&range);
    }
    std::sort(ranges.begin(), ranges.end(), [this](const TryRange* a, const TryRange* b) {
      return at_[a->start.id] < at_[b->start.id];
    });
    for (const TryRange* range : ranges) {
      size_t& free_from = free_from_[range->handler.id];
      if (Covers(*range, std::max(free_from, at_[range->handler.id]))) {
        free_from = at_[range->end.id];
      }
    }
  }

  void Walk(Label handler) {
    const size_t first = at_[handler.id];
    for (size_t i = first; i < code_.elements.size(); ++i) {
      const Element& element = code_.elements[i];
      if (!element.IsInstruction()) continue;
      // What calls there goes in circles by itself.
      if (i >= free_from_[handler.id] || IsInvoke(element.op)) {
        found_.place[i] =
            std::max(found_.place[i], i == first ? HandlerEntries::kFirst : HandlerEntries::kLater);
        return;
      }
      found_.silent[i] = 1;
      if (EndsFlow(element.op)) return;
    }
  }

  const Code& code_;
  std::vector<size_t> at_;         // by label
  std::vector<size_t> free_from_;  // by handler: the first element that it does not cover
  HandlerEntries found_;
};

}  // namespace

HandlerEntries FindHandlerEntries(const Code& code) { return Finder(code).Run(); }

}  // namespace assay::bytecode
