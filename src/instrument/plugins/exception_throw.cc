// Counts exceptions by the throw instruction and their class. Those that the VM makes itself (a null
// receiver, a division by zero) have no such instruction.
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Element;
using bytecode::Op;

class ExceptionThrow : public Instrumentation {
 public:
  std::string_view name() const override { return "exception-throw"; }
  std::string_view table() const override { return "throws"; }
  std::vector<std::string> columns() const override { return {"method", "bci", "class"}; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    for (uint32_t i = 0; i < body.code.elements.size(); ++i) {
      const Element& element = body.code.elements[i];
      if (!element.Is(Op::kAthrow)) continue;
      uint32_t id = ids.Id(*this, {body.MethodName(), std::to_string(element.bci)});
      points->push_back({.place = Place::kBefore, .element = i, .id = id});
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override {
    emit.code().Emit(Op::kDup);
    emit.CountClass(point.id);
  }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeExceptionThrow() { return std::make_unique<ExceptionThrow>(); }

}  // namespace assay::instrument
