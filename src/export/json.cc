// Everything in a profile as JSON, in columns: edges, nodes and ticks are objects of equally long
// arrays, so that a large profile stays small and loads fast. Methods are referred to by their
// index.
#include "src/base/json.h"

#include "src/export/export.h"
#include "src/profile/aggregate.h"

namespace assay::exporting {
namespace {

using profile::ContextNode;
using profile::Edge;
using profile::Profile;
using profile::TickPoint;

template <typename Row, typename Value>
void Column(JsonWriter& json, const char* name, const std::vector<Row>& rows, Value value) {
  json.Key(name).BeginArray();
  for (const Row& row : rows) json.Number(value(row));
  json.EndArray();
}

void Methods(const Profile& profile, JsonWriter& json) {
  json.Key("methods").BeginArray();
  for (profile::MethodId id = 0; id < profile.methods().size(); ++id) {
    const profile::Method& method = profile.method(id);
    json.BeginObject().Field("method", MethodName(profile, id)).Field("class", method.class_name);
    json.Field("name", method.name).Field("descriptor", method.descriptor);
    if (!method.source_file.empty()) json.Field("source", method.source_file);
    if (method.code_bytes > 0) json.Field("code_bytes", method.code_bytes);
    if (!method.lines.empty()) {
      json.Key("lines").BeginArray();
      for (const profile::LineEntry& entry : method.lines) {
        json.BeginArray().Number(uint32_t{entry.start_bci}).Number(uint32_t{entry.line}).EndArray();
      }
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndArray();
}

void Series(const Profile& profile, JsonWriter& json) {
  json.Key("threads").BeginArray();
  for (const std::string& thread : profile.threads) json.String(thread);
  json.EndArray().Key("ticks").BeginObject();
  const std::vector<TickPoint>& ticks = profile.ticks;
  Column(json, "thread", ticks, [](const TickPoint& t) { return t.thread; });
  Column(json, "time_ns", ticks, [](const TickPoint& t) { return t.time_ns; });
  Column(json, "latency_ns", ticks, [](const TickPoint& t) { return t.latency_ns; });
  Column(json, "interval_ns", ticks, [](const TickPoint& t) { return t.interval_ns; });
  Column(json, "density", ticks, [](const TickPoint& t) { return t.density; });
  Column(json, "samples", ticks, [](const TickPoint& t) { return t.samples; });
  json.EndObject();
}

void Tables(const Profile& profile, JsonWriter& json) {
  json.Key("tables").BeginObject();
  for (const auto& [name, table] : profile.tables) {
    json.Key(name).BeginObject().Key("columns").BeginArray();
    for (const std::string& column : table.columns) json.String(column);
    json.EndArray().Key("rows").BeginArray();
    for (const profile::TableRow& row : table.rows) {
      json.BeginArray();
      for (const std::string& key : row.key) json.String(key);
      json.Number(row.samples).Number(row.weight).EndArray();
    }
    json.EndArray().EndObject();
  }
  json.EndObject();
}

}  // namespace

Result<std::string> WriteJson(const Profile& profile) {
  JsonWriter json(1);
  json.BeginObject().Field("version", 1).Key("metadata").BeginObject();
  for (const auto& [key, value] : profile.metadata) json.Field(key, value);
  json.EndObject();
  Methods(profile, json);
  const std::vector<Edge>& edges = profile.edges();
  json.Key("edges").BeginObject();
  Column(json, "caller", edges, [](const Edge& e) { return e.caller; });
  Column(json, "bci", edges, [](const Edge& e) { return e.bci; });
  Column(json, "callee", edges, [](const Edge& e) { return e.callee; });
  Column(json, "samples", edges, [](const Edge& e) { return e.samples; });
  Column(json, "weight", edges, [](const Edge& e) { return e.weight; });
  Column(json, "variance", edges, [](const Edge& e) { return e.variance; });
  json.EndObject().Field("self_unit", profile.self_unit).Key("contexts").BeginObject();
  const std::vector<ContextNode>& nodes = profile.nodes();
  Column(json, "parent", nodes, [](const ContextNode& n) { return n.parent; });
  Column(json, "bci", nodes, [](const ContextNode& n) { return n.bci; });
  Column(json, "method", nodes, [](const ContextNode& n) { return n.method; });
  Column(json, "samples", nodes, [](const ContextNode& n) { return n.samples; });
  Column(json, "calls", nodes, [](const ContextNode& n) { return n.calls; });
  Column(json, "self", nodes, [](const ContextNode& n) { return n.self; });
  json.EndObject();
  Series(profile, json);
  Tables(profile, json);
  json.Key("lost").BeginObject();
  for (const auto& [reason, count] : profile.lost) json.Field(reason, count);
  json.EndObject().Key("skipped").BeginArray();
  for (const profile::SkippedMethod& skipped : profile.skipped_methods) {
    json.BeginArray().String(skipped.method).String(skipped.reason).EndArray();
  }
  return json.EndArray().EndObject().Take() + "\n";
}

}  // namespace assay::exporting
