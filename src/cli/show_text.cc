#include <fmt/format.h>

#include <cstdlib>

#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/ranking.h"
#include "src/cli/show.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"

namespace assay::cli {

using profile::ContextNode;
using profile::Edge;
using profile::MethodId;
using profile::MethodTotals;
using profile::NodeId;
using profile::Profile;
using profile::RelativeError;
using profile::Site;

namespace {

// Totals that shares are taken of.
double CallTotal(const Profile& profile) {
  double total = 0;
  for (const Edge& edge : profile::CallEdges(profile)) total += edge.weight;
  return total;
}

double SelfTotal(const Profile& profile) {
  double total = 0;
  for (const ContextNode& node : profile.nodes()) total += node.self;
  return total;
}

std::string OwnTitle(const Profile& profile) {
  return "own " + (profile.self_unit == "ns" ? "time" : profile.self_unit.empty() ? "self" : profile.self_unit);
}

std::string Share(double part, double whole) { return whole > 0 ? Percent(part / whole) : ""; }

Table::Shorten MethodCell(const Profile& profile, MethodId id) {
  return [&profile, id](int width) { return ShortMethod(profile, id, width); };
}

Table::Shorten SiteCell(const Profile& profile, MethodId caller, int32_t bci) {
  return [&profile, caller, bci](int width) { return ShortSite(profile, caller, bci, width); };
}

std::string EdgesText(const Profile& profile, size_t top, int width) {
  std::vector<Edge> edges = TopEdges(profile, top);
  double total = CallTotal(profile);
  Table table;
  for (const std::string& title : {CallWord(profile), std::string("share"), std::string("error"), std::string("samples")}) {
    table.AddColumn(title, Table::kRight);
  }
  table.AddColumn("caller", Table::kName);
  table.AddColumn("callee", Table::kName);
  for (const Edge& edge : edges) {
    table.BeginRow();
    table.Cell(Count(edge.weight));
    table.Cell(Share(edge.weight, total));
    table.Cell(Error95(RelativeError(edge.weight, edge.variance)));
    table.Cell(Count(static_cast<double>(edge.samples)));
    table.Name(SiteCell(profile, edge.caller, edge.bci));
    table.Name(MethodCell(profile, edge.callee));
  }
  return table.Render(width);
}

std::string MethodsText(const Profile& profile, size_t top, int width) {
  const double calls = CallTotal(profile), self = SelfTotal(profile);
  Table table;
  if (self > 0) {
    table.AddColumn(OwnTitle(profile), Table::kRight);
    table.AddColumn("share", Table::kRight);
    table.AddColumn("with callees", Table::kRight);
  }
  if (calls > 0) table.AddColumn(CallWord(profile), Table::kRight);
  if (self == 0) table.AddColumn("share", Table::kRight);
  const bool has_error = calls > 0 && !MeasuresWork(profile);  // it would be read as that of the work
  if (has_error) table.AddColumn("error", Table::kRight);
  table.AddColumn("method", Table::kName);
  for (const MethodTotals& totals : TopMethods(profile, top)) {
    table.BeginRow();
    if (self > 0) {
      table.Cell(WorkText(profile, totals.self));
      table.Cell(Share(totals.self, self));
      table.Cell(Share(totals.total, self));
    }
    if (calls > 0) table.Cell(Count(totals.calls));
    if (self == 0) table.Cell(Share(totals.calls, calls));
    if (has_error) table.Cell(Error95(RelativeError(totals.calls, totals.calls_variance)));
    table.Name(MethodCell(profile, totals.method));
  }
  return table.Render(width);
}

// The innermost frame, then its callers as far as they fit: "f(int) < g() < ...".
std::string ShortStack(const Profile& profile, NodeId id, int width) {
  std::vector<MethodId> stack = profile::StackOf(profile, id);
  std::string out = ShortMethod(profile, stack.back(), std::min(width, 60));
  for (size_t i = stack.size() - 1; i-- > 0;) {
    std::string next = " < " + ShortMethod(profile, stack[i], 40);
    int room = width - DisplayWidth(out) - (i > 0 ? 4 : 0);
    if (DisplayWidth(next) > room) return out + (DisplayWidth(out) + 4 <= width ? " < …" : "");
    out += next;
  }
  return out;
}

std::string ContextsText(const Profile& profile, size_t top, int width) {
  double total = 0;
  Measure measure = ContextMeasure(profile);
  for (const ContextNode& node : profile.nodes()) total += ValueOf(node, measure);
  const bool self = measure == Measure::kSelf, has_calls = CallTotal(profile) > 0;
  Table table;
  if (self) table.AddColumn(OwnTitle(profile), Table::kRight);
  if (has_calls) table.AddColumn(CallWord(profile), Table::kRight);
  table.AddColumn("share", Table::kRight);
  table.AddColumn("context, innermost first", Table::kName);
  for (NodeId id : TopContexts(profile, top)) {
    const ContextNode& node = profile.nodes()[id];
    table.BeginRow();
    if (self) table.Cell(WorkText(profile, node.self));
    if (has_calls) table.Cell(Count(node.calls));
    table.Cell(Share(ValueOf(node, measure), total));
    table.Name([&profile, id](int width) { return ShortStack(profile, id, width); });
  }
  return table.Render(width);
}

// "Circle.area() 72 %, Square.area() 28 %", as many as fit.
std::string Callees(const Profile& profile, const Site& site, int width) {
  std::string out;
  for (size_t i = 0; i < site.callees.size(); ++i) {
    const Edge& edge = site.callees[i];
    std::string share =
        site.weight > 0 ? fmt::format(" {:.0f} %", 100 * edge.weight / site.weight) : std::string();
    int name = i == 0 ? std::max(8, width - DisplayWidth(share)) : 36;
    std::string next = (i > 0 ? ", " : "") + ShortMethod(profile, edge.callee, name) + share;
    if (i > 0 && DisplayWidth(out) + DisplayWidth(next) > width - 6) {
      return out + fmt::format(", +{}", site.callees.size() - i);
    }
    out += next;
  }
  return out;
}

std::string SitesText(const Profile& profile, size_t top, int width) {
  std::vector<Site> sites = TopSites(profile, top);
  double total = CallTotal(profile);
  Table table;
  for (const char* title : {"calls", "share", "error"}) table.AddColumn(title, Table::kRight);
  table.AddColumn("call site", Table::kName);
  table.AddColumn("receivers", Table::kName);
  for (const Site& site : sites) {
    table.BeginRow();
    table.Cell(Count(site.weight));
    table.Cell(Share(site.weight, total));
    table.Cell(Error95(RelativeError(site.weight, site.variance)));
    table.Name(SiteCell(profile, site.caller, site.bci));
    table.Name([&profile, &site](int width) { return Callees(profile, site, width); });
  }
  return table.Render(width);
}

std::string TableText(const profile::Table& rows, size_t top, int width) {
  double total = 0;
  std::vector<const profile::TableRow*> sorted;
  for (const profile::TableRow& row : rows.rows) {
    total += row.weight;
    sorted.push_back(&row);
  }
  KeepTop(sorted, top, [](const auto* a, const auto* b) {
    return a->weight != b->weight ? a->weight > b->weight : a->key < b->key;
  });
  Table table;
  for (const char* title : {"count", "share", "samples"}) table.AddColumn(title, Table::kRight);
  for (const std::string& column : rows.columns) table.AddColumn(Printable(column), Table::kName);
  for (const profile::TableRow* row : sorted) {
    table.BeginRow();
    table.Cell(Count(row->weight));
    table.Cell(Share(row->weight, total));
    table.Cell(Count(static_cast<double>(row->samples)));
    for (const std::string& key : row->key) {
      table.Name([text = Printable(key)](int width) { return ElideLeft(text, width); });
    }
  }
  return table.Render(width);
}

std::string PairsText(const char* left, const char* right,
                      const std::vector<std::pair<std::string, std::string>>& pairs, int width) {
  Table table;
  table.AddColumn(left, Table::kName);
  table.AddColumn(right, Table::kName);
  for (const auto& [key, value] : pairs) {
    table.BeginRow();
    for (const std::string* text : {&key, &value}) {
      table.Name([text = Printable(*text)](int width) { return ElideLeft(text, width); });
    }
  }
  return table.Render(width);
}

std::string Metadata(const Profile& profile, const char* key) {
  auto it = profile.metadata.find(key);
  return it == profile.metadata.end() ? std::string() : Printable(it->second);
}

std::string HeadText(const Profile& profile, const std::string& path) {
  std::string name = Printable(path), collect = Metadata(profile, "collect"), command = Metadata(profile, "command");
  std::string out = Bold(name) + (collect.empty() ? "" : "  " + collect);
  int room = OutputWidth() - DisplayWidth(name + collect) - 4;
  return !command.empty() && room > 12 ? out + "  " + ElideLeft(command, room) : out;
}

std::string SeenText(const Profile& profile) {
  double calls = 0;
  uint64_t samples = 0;
  std::vector<Edge> edges = profile::CallEdges(profile);
  for (const Edge& edge : edges) {
    calls += edge.weight;
    samples += edge.samples;
  }
  const std::string methods = Grouped(profile.methods().size() - 1), contexts = Grouped(profile.nodes().size() - 1);
  std::string out;
  if (MeasuresWork(profile)) {
    out = NamedWorkText(profile, SelfTotal(profile)) + " in " + contexts + " contexts of " + methods + " methods";
    if (calls > 0) out += ", " + CallsText(profile, calls) + " seen";
    samples = 0;
    for (const ContextNode& node : profile.nodes()) samples += node.samples;
  } else {
    out = CallsText(profile, calls) + " over " + Grouped(edges.size()) + " edges of " + methods + " methods";
    if (profile::HasContexts(profile)) out += ", " + contexts + " contexts";
  }
  return samples > 0 ? out + ", " + Grouped(samples) + " samples" : out;
}

std::string NotSeenText(const Profile& profile) {
  std::string lost;
  auto add = [&lost](const std::string& part) { lost += (lost.empty() ? "" : ", ") + part; };
  for (const auto& [reason, count] : profile.lost) {
    if (count > 0) add(Grouped(count) + " " + Printable(reason));
  }
  if (Metadata(profile, "via") == "probe") return lost;  // probes are in interpreted and inlined code too
  if (std::string inlined = Metadata(profile, "inlined-call-sites"); !inlined.empty()) {
    const bool counted = inlined.find_first_not_of("0123456789") == std::string::npos;
    add(counted ? "calls of " + inlined + " inlined call sites" : "inlined calls (" + inlined + ")");
  }
  if (std::string time = Metadata(profile, "interpreted-time"); !time.empty()) {
    add("interpreted code (" + time + " at threads in Java)");
  }
  return lost;
}

}  // namespace

ViewSpec ParseView(const Profile& profile, const std::string& name) {
  static const std::pair<const char*, View> kViews[] = {
      {"edges", View::kEdges},     {"methods", View::kMethods},   {"contexts", View::kContexts},
      {"sites", View::kSites},     {"metadata", View::kMetadata}, {"lost", View::kLost},
      {"skipped", View::kSkipped},
  };
  for (const auto& [view_name, view] : kViews) {
    if (name == view_name) return {view, name};
  }
  if (profile.tables.contains(name)) return {View::kTable, name};
  std::string known = "edges, methods, contexts, sites, metadata, lost, skipped";
  for (const auto& [table, unused] : profile.tables) known += ", " + table;
  throw CommandError("--by " + name + ": this profile has " + known);
}

ViewSpec DefaultView(const Profile& profile) {
  return ParseView(profile, MeasuresWork(profile) ? "methods" : "edges");
}

std::string ShowText(const Profile& profile, const ViewSpec& view, size_t top, int width) {
  std::vector<std::pair<std::string, std::string>> pairs;
  switch (view.view) {
    case View::kEdges:
      return EdgesText(profile, top, width);
    case View::kMethods:
      return MethodsText(profile, top, width);
    case View::kContexts:
      return ContextsText(profile, top, width);
    case View::kSites:
      return SitesText(profile, top, width);
    case View::kTable:
      return TableText(profile.tables.at(view.name), top, width);
    case View::kMetadata:
      for (const auto& pair : profile.metadata) pairs.push_back(pair);
      return PairsText("name", "value", pairs, width);
    case View::kLost:
      for (const auto& [reason, count] : profile.lost) pairs.emplace_back(reason, Grouped(count));
      return PairsText("lost because", "events", pairs, width);
    case View::kSkipped:
      for (const auto& skipped : profile.skipped_methods) {
        pairs.emplace_back(skipped.method, skipped.reason);
      }
      return PairsText("method left as it is", "reason", pairs, width);
  }
  return "";
}

std::string Summary(const Profile& profile, const std::string& path) {
  std::string out = HeadText(profile, path) + "\n" + SeenText(profile) + "\n";
  double target = std::strtod(Metadata(profile, "until-accuracy").c_str(), nullptr);
  if (std::string accuracy = AccuracyText(profile, target); !accuracy.empty()) out += accuracy + "\n";
  if (std::string lost = NotSeenText(profile); !lost.empty()) out += "not seen: " + lost + "\n";
  if (std::string taken = Metadata(profile, "overhead-taken"); !taken.empty()) out += "sampling took about " + taken + " of CPU time\n";
  if (!profile.skipped_methods.empty()) {
    out += Grouped(profile.skipped_methods.size()) + " methods left as they are (--by skipped)\n";
  }
  if (Metadata(profile, "ended") == "unfinished") {
    out += "the program was killed or is still running: this is the state of the last flush\n";
  }
  return out;
}

}  // namespace assay::cli
