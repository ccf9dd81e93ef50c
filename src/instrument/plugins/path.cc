// Ball and Larus, Efficient path profiling (MICRO 1996): every path without a jump backwards, from
// the method's entry or the target of such a jump to an exit or the next such jump, has a number.
// The numbers of the ways out of a block are given so that the sum along a path is unique: a block has as many
// paths as its successors together, and way k adds the number of paths through the ways before it.
//
// Starting points other than the entry get ranges of their own: a path from block h begins with the
// sum of the path counts of all starting points before h. Exception handlers are starting points, and
// a path that leads into one is not counted. A method with more than 2^20 paths is refused.
#include <map>

#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Op;

enum Kind { kStart, kAdd, kEnd };

class Path : public Instrumentation {
 public:
  static constexpr int64_t kMaxPaths = 1 << 20;

  std::string_view name() const override { return "path"; }
  std::string_view table() const override { return "paths"; }
  std::vector<std::string> columns() const override { return {"method", "path"}; }
  bool needs_whole_region() const override { return true; }
  bool wants_local() const override { return true; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    const auto& blocks = body.flow.blocks();
    const uint32_t size = static_cast<uint32_t>(blocks.size());
    uint32_t id = ids.Id(*this, {body.MethodName()});
    // Paths from each block; the graph without jumps backwards is ordered by number.
    std::vector<int64_t> paths(size);
    std::map<uint32_t, int64_t> starts{{0, 0}};
    for (uint32_t b = size; b-- > 0;) {
      if (!body.flow.Reachable(b)) continue;
      int64_t sum = 0;
      for (uint32_t to : blocks[b].successors) {
        bool back = to <= b;
        if (back) starts[to] = 0;
        int32_t before = static_cast<int32_t>(sum);
        sum += back ? 1 : paths[to];
        if (sum > kMaxPaths) return Error{"too many paths"};
        if (back || before != 0) {
          points->push_back({.place = Place::kEdge, .from = b, .to = to, .id = id,
                             .value = before, .kind = back ? kEnd : kAdd});
        }
      }
      paths[b] = sum == 0 ? 1 : sum;
      if (sum != 0) continue;
      uint32_t last = body.flow.LastInstruction(body.code, b);
      points->push_back({.place = Place::kBefore, .element = last, .id = id, .kind = kEnd});
    }
    std::vector<bool> is_handler(size);
    for (const auto& range : body.code.tries) {
      uint32_t handler = body.flow.BlockOf(range.handler);
      if (handler >= size || !body.flow.Reachable(handler)) continue;
      is_handler[handler] = true;
      starts[handler] = 0;
    }
    int64_t next = 0;
    for (auto& [block, first] : starts) {
      first = next;
      next += paths[block];
      if (next > kMaxPaths) return Error{"too many paths"};
      points->push_back({.place = Place::kRegion, .to = block, .id = id,
                         .value = static_cast<int32_t>(first), .kind = kStart});
      if (!is_handler[block]) continue;
      // Before an operation that ends the path in the same block.
      points->insert(points->begin(), {.place = Place::kBefore,
                                       .element = FirstInstruction(body, block), .id = id,
                                       .value = static_cast<int32_t>(first), .kind = kStart});
    }
    return {};
  }

  static uint32_t FirstInstruction(const Body& body, uint32_t block) {
    uint32_t i = body.flow.blocks()[block].begin;
    while (!body.code.elements[i].IsInstruction()) ++i;
    return i;
  }

  void Emit(const Point& point, Emitter& emit) const override {
    auto& code = emit.code();
    if (point.kind == kStart) {
      code.PushInt(point.value);
      return code.Store(Op::kIstore, emit.local());
    }
    code.Load(Op::kIload, emit.local());
    if (point.value != 0) {
      code.PushInt(point.value);
      code.Emit(Op::kIadd);
    }
    if (point.kind == kAdd) return code.Store(Op::kIstore, emit.local());
    emit.CountValue(point.id, "I");
  }
};

}  // namespace

std::unique_ptr<Instrumentation> MakePath() { return std::make_unique<Path>(); }

}  // namespace assay::instrument
