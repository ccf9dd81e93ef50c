// OpenTelemetry profiles, opentelemetry.proto.profiles.v1development as of release 1.9.0 of the
// protocol, as a binary ProfilesData message: one Profile per value kind over a shared dictionary.
// Entry 0 of every table is the zero value, as the protocol demands.
#include <map>

#include "src/export/export.h"
#include "src/export/proto.h"
#include "src/export/stacks.h"
#include "src/export/symbols.h"
#include "src/profile/names.h"

namespace assay::exporting {
namespace {

using profile::Profile;

// KeyValue { string key = 1; AnyValue value = 2 { string string_value = 1 } }
ProtoWriter KeyValue(std::string_view key, std::string_view text) {
  ProtoWriter value, out;
  value.Text(1, text);
  out.Text(1, key);
  out.Message(2, value);
  return out;
}

ProtoWriter Dictionary(const Profile& profile, const LocationTable& locations,
                       const std::vector<std::vector<int64_t>>& stacks, StringTable& strings) {
  ProtoWriter out, zero;
  out.Message(1, zero);  // mapping
  out.Message(2, zero);
  for (const LocationTable::Location& location : locations.locations()) {
    ProtoWriter line, message;
    line.Int(1, location.function);
    line.Int(2, location.line);
    if (location.bci >= 0) message.Int(2, location.bci);  // the address within the bytecode
    message.Message(3, line);
    out.Message(2, message);
  }
  std::vector<std::string> names = profile::FrameNames(profile);
  out.Message(3, zero);
  for (profile::MethodId id : locations.functions()) {
    const profile::Method& method = profile.method(id);
    ProtoWriter message;
    message.Int(1, strings.Id(names[id]));
    message.Int(2, strings.Id(method.ToString()));
    message.Int(3, strings.Id(SourcePath(method)));
    message.Int(4, FirstLine(method));
    out.Message(3, message);
  }
  out.Message(4, zero);  // link
  for (const std::string& text : strings.strings()) out.Text(5, text);
  out.Message(6, zero);  // attribute
  out.Message(7, zero);
  for (const std::vector<int64_t>& stack : stacks) {
    ProtoWriter message;
    message.Packed(1, stack);
    out.Message(7, message);
  }
  return out;
}

}  // namespace

Result<std::string> WriteOtlp(const Profile& profile) {
  StringTable strings;
  LocationTable locations(profile);
  std::vector<ValueKind> kinds = ValueKinds(profile);
  std::vector<std::vector<int64_t>> stacks;
  std::vector<ProtoWriter> samples(kinds.size());  // the repeated field of each Profile
  ForEachStack(profile, [&](const StackView& stack) {
    std::vector<int64_t>& ids = stacks.emplace_back();
    for (size_t i = stack.frames.size(); i-- > 0;) ids.push_back(locations.Id(stack.frames[i]));
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      if (stack.values[kind] == 0) continue;
      ProtoWriter sample;
      sample.Int(1, static_cast<int64_t>(stacks.size()));
      sample.Packed(4, std::vector<int64_t>{stack.values[kind]});
      samples[kind].Message(2, sample);
    }
  });
  ProtoWriter scope_profiles, scope;
  scope.Text(1, "assay");
  scope_profiles.Message(1, scope);
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    ProtoWriter type, head;
    type.Int(1, strings.Id(kinds[kind].name));
    type.Int(2, strings.Id(kinds[kind].unit));
    head.Message(1, type);
    ProtoWriter tail;
    tail.Fixed64(3, static_cast<uint64_t>(StartUnixNs(profile)));
    tail.Int(4, DurationNs(profile));
    scope_profiles.Bytes(2, head.bytes() + samples[kind].bytes() + tail.bytes());
  }
  ProtoWriter resource, resource_profiles, out;
  resource.Message(1, KeyValue("telemetry.sdk.name", "assay"));
  for (const auto& [key, value] : profile.metadata) {
    resource.Message(1, KeyValue("assay." + key, value));
  }
  resource_profiles.Message(1, resource);
  resource_profiles.Message(2, scope_profiles);
  out.Message(1, resource_profiles);
  out.Message(2, Dictionary(profile, locations, stacks, strings));
  return out.Take();
}

}  // namespace assay::exporting
