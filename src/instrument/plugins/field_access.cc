// Counts reads and writes by field.
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Element;
using bytecode::Op;

class FieldAccess : public Instrumentation {
 public:
  std::string_view name() const override { return "field-access"; }
  std::string_view table() const override { return "fields"; }
  std::vector<std::string> columns() const override { return {"field", "access"}; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    for (uint32_t i = 0; i < body.code.elements.size(); ++i) {
      const Element& element = body.code.elements[i];
      if (!element.IsInstruction()) continue;
      bool read = element.op == Op::kGetfield || element.op == Op::kGetstatic;
      bool write = element.op == Op::kPutfield || element.op == Op::kPutstatic;
      if (!read && !write) continue;
      classfile::MemberRef field = body.file.pool.Member(element.index);
      uint32_t id = ids.Id(*this, {DottedName(field.owner) + "." + std::string(field.name),
                                   read ? "read" : "write"});
      points->push_back({.place = Place::kBefore, .element = i, .id = id, .plain = true});
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override { emit.Count(point.id); }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeFieldAccess() { return std::make_unique<FieldAccess>(); }

}  // namespace assay::instrument
