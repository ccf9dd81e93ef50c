// speedscope's file format (its JSON schema): shared frames and one sampled profile per value kind.
#include "src/base/json.h"
#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/export/symbols.h"
#include "src/profile/names.h"

namespace assay::exporting {
namespace {

using profile::Profile;

void Frames(const Profile& profile, JsonWriter& json) {
  std::vector<std::string> names = profile::FrameNames(profile);
  json.Key("shared").BeginObject().Key("frames").BeginArray();
  for (profile::MethodId id = 0; id < names.size(); ++id) {
    const profile::Method& method = profile.method(id);
    json.BeginObject().Field("name", names[id]);
    if (std::string file = SourcePath(method); !file.empty()) json.Field("file", file);
    if (int line = FirstLine(method)) json.Field("line", line);
    json.EndObject();
  }
  json.EndArray().EndObject();
}

void OneKind(const Profile& profile, const ValueKind& kind, size_t index, JsonWriter& json) {
  int64_t total = 0;
  std::vector<int64_t> weights;
  json.BeginObject().Field("type", "sampled").Field("name", kind.name);
  json.Field("unit", kind.unit == "nanoseconds" ? "nanoseconds" : "none");
  json.Key("samples").BeginArray();
  ForEachStack(profile, [&](const StackView& stack) {
    if (stack.values[index] == 0) return;
    json.BeginArray();
    for (const Frame& frame : stack.frames) json.Number(frame.method);
    json.EndArray();
    weights.push_back(stack.values[index]);
    total = Plus(total, stack.values[index]);
  });
  json.EndArray().Key("weights").BeginArray();
  for (int64_t weight : weights) json.Number(weight);
  json.EndArray().Field("startValue", 0).Field("endValue", total).EndObject();
}

}  // namespace

Result<std::string> WriteSpeedscope(const Profile& profile) {
  JsonWriter json;
  json.BeginObject().Field("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.Field("exporter", "assay").Field("activeProfileIndex", 0);
  auto command = profile.metadata.find("command");
  json.Field("name", command == profile.metadata.end() ? "assay" : command->second);
  Frames(profile, json);
  json.Key("profiles").BeginArray();
  std::vector<ValueKind> kinds = ValueKinds(profile);
  for (size_t i = 0; i < kinds.size(); ++i) OneKind(profile, kinds[i], i, json);
  return json.EndArray().EndObject().Take();
}

}  // namespace assay::exporting
