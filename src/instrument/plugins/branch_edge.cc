// Counts both ways of every conditional jump and every case of a switch. `to` is the bci of the way's
// target.
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Element;

class BranchEdge : public Instrumentation {
 public:
  std::string_view name() const override { return "branch-edge"; }
  std::string_view table() const override { return "branches"; }
  std::vector<std::string> columns() const override { return {"method", "bci", "to"}; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    const auto& blocks = body.flow.blocks();
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      uint32_t last = body.flow.LastInstruction(body.code, b);
      if (last == bytecode::ControlFlow::kNone) continue;
      const Element& element = body.code.elements[last];
      if (!bytecode::IsConditional(element.op) && !bytecode::IsSwitch(element.op)) continue;
      for (uint32_t to : blocks[b].successors) {
        uint32_t id = ids.Id(*this, {body.MethodName(), std::to_string(element.bci),
                                     std::to_string(FirstBci(body, to))});
        points->push_back({.place = Place::kEdge, .from = b, .to = to, .id = id});
      }
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override { emit.Count(point.id); }

 private:
  static int32_t FirstBci(const Body& body, uint32_t block) {
    for (uint32_t i = body.flow.blocks()[block].begin; i < body.flow.blocks()[block].end; ++i) {
      if (body.code.elements[i].IsInstruction()) return body.code.elements[i].bci;
    }
    return -1;
  }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeBranchEdge() { return std::make_unique<BranchEdge>(); }

}  // namespace assay::instrument
