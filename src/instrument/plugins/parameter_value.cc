// Counts the values of parameters at each method's entry: numbers as they are, objects by class.
#include "src/classfile/descriptor.h"
#include "src/instrument/plugins/plugins.h"

namespace assay::instrument {
namespace {

using bytecode::Op;

class ParameterValue : public Instrumentation {
 public:
  std::string_view name() const override { return "parameter-value"; }
  std::string_view table() const override { return "values"; }
  std::vector<std::string> columns() const override { return {"method", "parameter", "value"}; }

  Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const override {
    int32_t slot = body.method.Has(classfile::kAccStatic) ? 0 : 1;
    int number = 0;
    classfile::DescriptorReader types(body.file.DescriptorOf(body.method));
    for (std::string_view type; types.NextParameter(&type); ++number) {
      uint32_t id = ids.Id(*this, {body.MethodName(), std::to_string(number)});
      char letter = type[0] == '[' ? 'L' : type[0];
      points->push_back({.place = Place::kEntry, .id = id, .value = slot, .kind = letter});
      slot += classfile::TypeWords(type);
    }
    return {};
  }

  void Emit(const Point& point, Emitter& emit) const override {
    char letter = static_cast<char>(point.kind);
    Op load = letter == 'L'   ? Op::kAload
              : letter == 'J' ? Op::kLload
              : letter == 'F' ? Op::kFload
              : letter == 'D' ? Op::kDload
                              : Op::kIload;
    emit.code().Load(load, static_cast<uint16_t>(point.value));
    emit.CountValue(point.id, std::string_view(&letter, 1));
  }
};

}  // namespace

std::unique_ptr<Instrumentation> MakeParameterValue() { return std::make_unique<ParameterValue>(); }

}  // namespace assay::instrument
