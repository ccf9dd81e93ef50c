#include "src/cli/ranking.h"
#include "src/cli/show.h"

namespace assay::cli {

using profile::ContextNode;
using profile::Edge;
using profile::MethodId;
using profile::MethodName;
using profile::MethodTotals;
using profile::NodeId;
using profile::Profile;
using profile::RelativeError;
using profile::Site;

namespace {

void EdgesJson(const Profile& profile, size_t top, JsonWriter& json) {
  for (const Edge& edge : TopEdges(profile, top)) {
    json.BeginObject();
    json.Field("caller", MethodName(profile, edge.caller)).Field("bci", edge.bci);
    json.Field("callee", MethodName(profile, edge.callee)).Field("weight", edge.weight);
    json.Field("samples", edge.samples).Field("error", RelativeError(edge.weight, edge.variance));
    if (int line = LineOf(profile.method(edge.caller), edge.bci)) json.Field("line", line);
    json.EndObject();
  }
}

void MethodsJson(const Profile& profile, size_t top, JsonWriter& json) {
  for (const MethodTotals& totals : TopMethods(profile, top)) {
    json.BeginObject().Field("method", MethodName(profile, totals.method));
    json.Field("weight", totals.calls).Field("samples", totals.samples);
    json.Field("error", RelativeError(totals.calls, totals.calls_variance));
    json.Field("calls", totals.calls).Field("calls_out", totals.calls_out);
    if (profile::HasContexts(profile)) {
      json.Field("self", totals.self).Field("total", totals.total);
      if (profile.self_unit == "bytecodes") json.Field("bytecodes", totals.self);
    }
    json.EndObject();
  }
}

void ContextsJson(const Profile& profile, size_t top, JsonWriter& json) {
  Measure weight = Measure::kSamples;
  for (const ContextNode& node : profile.nodes()) {
    if (node.calls > 0) weight = Measure::kCalls;
  }
  // What contexts weigh is their time, where it was measured.
  if (weight != Measure::kCalls || profile.self_unit == "ns") weight = ContextMeasure(profile);
  for (NodeId id : TopContexts(profile, top)) {
    const ContextNode& node = profile.nodes()[id];
    json.BeginObject().Key("stack").BeginArray();
    for (MethodId method : profile::StackOf(profile, id)) json.String(MethodName(profile, method));
    json.EndArray().Field("bci", node.bci).Field("weight", ValueOf(node, weight));
    json.Field("samples", node.samples).Field("calls", node.calls).Field("self", node.self);
    if (profile.self_unit == "bytecodes") json.Field("bytecodes", node.self);
    json.EndObject();
  }
}

void SitesJson(const Profile& profile, size_t top, JsonWriter& json) {
  for (const Site& site : TopSites(profile, top)) {
    json.BeginObject().Field("caller", MethodName(profile, site.caller)).Field("bci", site.bci);
    if (int line = LineOf(profile.method(site.caller), site.bci)) json.Field("line", line);
    json.Field("weight", site.weight).Field("samples", site.samples);
    json.Field("error", RelativeError(site.weight, site.variance)).Key("callees").BeginArray();
    for (const Edge& edge : site.callees) {
      json.BeginObject().Field("callee", MethodName(profile, edge.callee));
      json.Field("weight", edge.weight).Field("samples", edge.samples);
      json.Field("share", site.weight > 0 ? edge.weight / site.weight : 0).EndObject();
    }
    json.EndArray().EndObject();
  }
}

void TableJson(const profile::Table& table, size_t top, JsonWriter& json) {
  std::vector<const profile::TableRow*> rows;
  for (const profile::TableRow& row : table.rows) rows.push_back(&row);
  KeepTop(rows, top, [](const auto* a, const auto* b) {
    return a->weight != b->weight ? a->weight > b->weight : a->key < b->key;
  });
  for (const profile::TableRow* row : rows) {
    json.BeginObject();
    for (size_t i = 0; i < table.columns.size() && i < row->key.size(); ++i) {
      json.Field(table.columns[i], row->key[i]);
    }
    json.Field("weight", row->weight).Field("samples", row->samples).EndObject();
  }
}

}  // namespace

void MetadataJson(const Profile& profile, JsonWriter& json) {
  json.Key("metadata").BeginObject();
  for (const auto& [key, value] : profile.metadata) json.Field(key, value);
  json.EndObject();
}

void LostJson(const Profile& profile, JsonWriter& json) {
  json.Key("lost").BeginObject();
  for (const auto& [reason, count] : profile.lost) json.Field(reason, count);
  json.EndObject();
}

void ShowJson(const Profile& profile, const ViewSpec& view, size_t top, JsonWriter& json) {
  if (view.view == View::kMetadata || view.view == View::kLost) return;  // always there
  json.Key(view.name).BeginArray();
  switch (view.view) {
    case View::kEdges:
      EdgesJson(profile, top, json);
      break;
    case View::kMethods:
      MethodsJson(profile, top, json);
      break;
    case View::kContexts:
      ContextsJson(profile, top, json);
      break;
    case View::kSites:
      SitesJson(profile, top, json);
      break;
    case View::kTable:
      TableJson(profile.tables.at(view.name), top, json);
      break;
    case View::kSkipped:
      for (const profile::SkippedMethod& skipped : profile.skipped_methods) {
        json.BeginObject().Field("method", skipped.method).Field("reason", skipped.reason);
        json.EndObject();
      }
      break;
    default:
      break;
  }
  json.EndArray();
}

}  // namespace assay::cli
