// Counts allocations by site and type.
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Element;
using bytecode::Op;

std::string TypeOf(const Body& body, const Element& element) {
  if (element.op == Op::kNewarray) {
    constexpr const char* kNames[] = {"boolean[]", "char[]",  "float[]", "double[]",
                                      "byte[]",    "short[]", "int[]",   "long[]"};
    return element.value >= 4 && element.value <= 11 ? kNames[element.value - 4] : "?";
  }
  std::string name = DottedName(body.file.pool.ClassName(element.index));
  return element.op == Op::kAnewarray ? name + "[]" : name;
}

class AllocationSite : public Instrumentation {
 public:
  std::string_view name() const override { return "allocation-site"; }
  std::string_view table() const override { return "allocations"; }
  std::vector<std::string> columns() const override { return {"method", "bci", "type"}; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    for (uint32_t i = 0; i < body.code.elements.size(); ++i) {
      const Element& element = body.code.elements[i];
      if (!element.Is(Op::kNew) && !element.Is(Op::kNewarray) && !element.Is(Op::kAnewarray) &&
          !element.Is(Op::kMultianewarray)) {
        continue;
      }
      uint32_t id = ids.Id(*this, {body.MethodName(), std::to_string(element.bci),
                                   TypeOf(body, element)});
      points->push_back({.place = Place::kBefore, .element = i, .id = id, .plain = true});
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override { emit.Count(point.id); }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeAllocationSite() { return std::make_unique<AllocationSite>(); }

}  // namespace assay::instrument
