// Counts calls by (caller, call site, callee). The operation is at the call: with a virtual call it
// counts the receiver's class, from which the reader of the counts finds the method that it
// reached.
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Element;
using bytecode::Op;

// The call can only reach the method that it names, which is one of this class.
bool IsExact(const Body& body, const classfile::MemberRef& target) {
  if (target.owner != body.file.Name()) return false;
  for (const classfile::Method& method : body.file.methods) {
    if (body.file.NameOf(method) != target.name ||
        body.file.DescriptorOf(method) != target.descriptor) {
      continue;
    }
    return (body.file.access_flags & classfile::kAccFinal) != 0 ||
           method.Has(classfile::kAccFinal) || method.Has(classfile::kAccPrivate);
  }
  return false;
}

class CallEdge : public Instrumentation {
 public:
  std::string_view name() const override { return "call-edge"; }
  std::string_view table() const override { return "edges"; }
  std::vector<std::string> columns() const override { return {}; }  // the profile's own edges

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    for (uint32_t i = 0; i < body.code.elements.size(); ++i) {
      const Element& element = body.code.elements[i];
      if (!element.IsInstruction() || !bytecode::IsInvoke(element.op)) continue;
      classfile::MemberRef target;
      if (element.op != Op::kInvokedynamic) target = body.file.pool.Member(element.index);
      uint32_t id =
          ids.Id(*this, {std::string(body.file.Name()), std::string(body.file.NameOf(body.method)),
                         std::string(body.file.DescriptorOf(body.method)),
                         std::to_string(element.bci), std::string(target.owner),
                         std::string(target.name), std::string(target.descriptor)});
      bool dispatched = element.op == Op::kInvokevirtual || element.op == Op::kInvokeinterface;
      // Method handles reach whatever they were made of.
      bool handle = target.owner.starts_with("java/lang/invoke/");
      if (handle || (dispatched && IsExact(body, target))) dispatched = false;
      points->push_back({.place = Place::kBefore,
                         .element = i,
                         .id = id,
                         .value = element.index,
                         .kind = dispatched,
                         .plain = !dispatched});
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override {
    if (!point.kind) return emit.Count(point.id);
    uint16_t index = static_cast<uint16_t>(point.value);
    emit.CopyReceiver(emit.code().file().pool.Member(index).descriptor);
    emit.CountClass(point.id);
  }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeCallEdge() { return std::make_unique<CallEdge>(); }

}  // namespace assay::instrument
