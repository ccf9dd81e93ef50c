// Counts the classes of receivers at each virtual and interface call.
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Element;
using bytecode::Op;

class ReceiverType : public Instrumentation {
 public:
  std::string_view name() const override { return "receiver-type"; }
  std::string_view table() const override { return "receivers"; }
  std::vector<std::string> columns() const override { return {"method", "bci", "call", "class"}; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    for (uint32_t i = 0; i < body.code.elements.size(); ++i) {
      const Element& element = body.code.elements[i];
      if (!element.Is(Op::kInvokevirtual) && !element.Is(Op::kInvokeinterface)) continue;
      classfile::MemberRef target = body.file.pool.Member(element.index);
      uint32_t id = ids.Id(*this, {body.MethodName(), std::to_string(element.bci),
                                   DottedName(target.owner) + "." + std::string(target.name) +
                                       std::string(target.descriptor)});
      points->push_back({.place = Place::kBefore, .element = i, .id = id, .value = element.index});
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override {
    uint16_t index = static_cast<uint16_t>(point.value);
    emit.CopyReceiver(emit.code().file().pool.Member(index).descriptor);
    emit.CountClass(point.id);
  }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeReceiverType() { return std::make_unique<ReceiverType>(); }

}  // namespace assay::instrument
