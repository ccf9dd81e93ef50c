#include "src/report/data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "src/report/join.h"
#include "src/report/json.h"
#include "src/report/series.h"
#include "src/report/sources.h"

namespace assay::report {

using profile::Edge;
using profile::EdgeId;
using profile::Method;
using profile::MethodId;
using profile::Profile;
using profile::Table;

namespace {

constexpr int kWeightDigits = 6;
constexpr int kErrorDigits = 3;
constexpr double kNormal95 = 1.959964;

// Every text once; indices in order of first use.
class Strings {
 public:
  uint32_t Add(const std::string& text) {
    auto [it, added] = ids_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(&it->first);
    return it->second;
  }
  void Append(std::string* out) const {
    AppendJsonColumn("strings", texts_.size(), out,
                     [&](size_t i, std::string* to) { AppendJsonString(*texts_[i], to); });
  }

 private:
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<const std::string*> texts_;
};

class Builder {
 public:
  Builder(const std::vector<Input>& inputs, const std::vector<std::string>& sources,
          const Limits& limits)
      : inputs_(inputs), limits_(limits), join_(Profiles(inputs)), sources_(sources) {}

  std::string Build() {
    edges_ = join_.HottestEdges(limits_.edges);
    tree_ = HottestContexts(join_, limits_.nodes);
    NumberMethods();
    for (size_t i = 0; i < std::min(edges_.size(), limits_.sites); ++i) WantLine(edges_[i]);
    sources_.Load(4, limits_.source_bytes);
    out_ = "{\"version\":1,";
    Methods();
    Edges();
    if (!tree_.node.empty()) Nodes();
    Key("profiles");
    out_ += '[';
    for (size_t p = 0; p < inputs_.size(); ++p) {
      if (p) out_ += ',';
      OneProfile(p);
    }
    out_ += "],";
    SourceFiles();
    strings_.Append(&out_);
    out_ += '}';
    return std::move(out_);
  }

 private:
  static std::vector<const Profile*> Profiles(const std::vector<Input>& inputs) {
    std::vector<const Profile*> profiles;
    for (const Input& input : inputs) profiles.push_back(input.profile);
    return profiles;
  }

  void Key(std::string_view key) {
    AppendJsonString(key, &out_);
    out_ += ':';
  }
  void Number(std::string_view key, double value) {
    Key(key);
    AppendJsonNumber(value, kWeightDigits, &out_);
    out_ += ',';
  }
  template <typename Value>  // Value: i -> integer
  void Column(std::string_view key, size_t count, Value value) {
    AppendJsonColumn(key, count, &out_,
                     [&](size_t i, std::string* to) { AppendJsonInteger(value(i), to); });
    out_ += ',';
  }
  template <typename Value>  // Value: i -> double
  void Reals(std::string_view key, size_t count, int digits, Value value) {
    AppendJsonColumn(key, count, &out_,
                     [&](size_t i, std::string* to) { AppendJsonNumber(value(i), digits, to); });
    out_ += ',';
  }
  // Ends an object or array that wrote a comma after each member.
  void Close(char bracket) {
    if (out_.back() == ',') out_.pop_back();
    out_ += bracket;
    out_ += ',';
  }

  void NumberMethods() {
    number_.assign(join_.frame().methods().size(), 0);
    used_.push_back(0);
    auto use = [&](MethodId id) {
      if (id != 0 && number_[id] == 0) {
        number_[id] = static_cast<uint32_t>(used_.size());
        used_.push_back(id);
      }
    };
    for (EdgeId id : edges_) {
      use(join_.frame().edges()[id].caller);
      use(join_.frame().edges()[id].callee);
    }
    for (profile::NodeId id : tree_.node) use(join_.frame().nodes()[id].method);
  }

  void WantLine(EdgeId id) {
    const Edge& edge = join_.frame().edges()[id];
    const Method& caller = join_.frame().method(edge.caller);
    const Method& callee = join_.frame().method(edge.callee);
    sources_.Want(caller, LineOf(caller, edge.bci));
    sources_.Want(callee, LineOf(callee, 0));
  }

  const Method& Used(size_t i) const { return join_.frame().method(used_[i]); }

  void Methods() {
    Key("methods");
    out_ += '{';
    const size_t n = used_.size();
    Column("class", n, [&](size_t i) { return strings_.Add(Used(i).class_name); });
    Column("name", n, [&](size_t i) { return strings_.Add(Used(i).name); });
    Column("descriptor", n, [&](size_t i) { return strings_.Add(Used(i).descriptor); });
    Column("file", n, [&](size_t i) { return strings_.Add(Used(i).source_file); });
    Column("code", n, [&](size_t i) { return Used(i).code_bytes; });
    Column("line", n, [&](size_t i) { return LineOf(Used(i), 0); });
    if (!sources_.files().empty()) {
      Column("source", n, [&](size_t i) { return sources_.FileOf(Used(i)); });
    }
    Close('}');
  }

  void Edges() {
    const auto& all = join_.frame().edges();
    const size_t n = edges_.size();
    Key("edges");
    out_ += '{';
    Column("caller", n, [&](size_t i) { return number_[all[edges_[i]].caller]; });
    Column("bci", n, [&](size_t i) { return all[edges_[i]].bci; });
    Column("line", n, [&](size_t i) {
      return LineOf(join_.frame().method(all[edges_[i]].caller), all[edges_[i]].bci);
    });
    Column("callee", n, [&](size_t i) { return number_[all[edges_[i]].callee]; });
    Key("values");
    out_ += '[';
    for (size_t p = 0; p < join_.count(); ++p) {
      auto edge = [&](size_t i) { return join_.EdgeIn(p, edges_[i]); };
      out_ += '{';
      Column("samples", n, [&](size_t i) { return edge(i) ? edge(i)->samples : 0; });
      Reals("weight", n, kWeightDigits, [&](size_t i) { return edge(i) ? edge(i)->weight : 0; });
      auto error = [&](size_t i) {
        const Edge* e = edge(i);
        return e && e->weight > 0 && e->variance > 0
                   ? kNormal95 * std::sqrt(e->variance) / e->weight
                   : 0;
      };
      Reals("error", n, kErrorDigits, error);
      Close('}');
    }
    Close(']');
    Close('}');
  }

  void Nodes() {
    const auto& all = join_.frame().nodes();
    const size_t n = tree_.node.size();
    Key("nodes");
    out_ += '{';
    Column("depth", n, [&](size_t i) { return tree_.depth[i]; });
    Column("bci", n, [&](size_t i) { return all[tree_.node[i]].bci; });
    Column("line", n, [&](size_t i) {
      const auto& node = all[tree_.node[i]];
      return LineOf(join_.frame().method(all[node.parent].method), node.bci);
    });
    Column("method", n, [&](size_t i) { return number_[all[tree_.node[i]].method]; });
    Key("values");
    out_ += '[';
    for (const auto& value : tree_.values) {
      out_ += '{';
      Reals("self", n, kWeightDigits, [&](size_t i) { return value[i].self; });
      Reals("calls", n, kWeightDigits, [&](size_t i) { return value[i].calls; });
      Column("samples", n, [&](size_t i) { return value[i].samples; });
      if (tree_.cut) {
        Reals("totalSelf", n, kWeightDigits, [&](size_t i) { return value[i].total_self; });
        Reals("totalCalls", n, kWeightDigits, [&](size_t i) { return value[i].total_calls; });
      }
      Close('}');
    }
    Close(']');
    Close('}');
  }

  void OneProfile(size_t p) {
    const Profile& from = join_.profile(p);
    out_ += '{';
    Key("name");
    AppendJsonString(inputs_[p].name, &out_);
    out_ += ',';
    Key("metadata");
    out_ += '{';
    for (const auto& [key, value] : from.metadata) {
      Key(key);
      AppendJsonString(value, &out_);
      out_ += ',';
    }
    Close('}');
    Key("selfUnit");
    AppendJsonString(from.self_unit, &out_);
    out_ += ',';
    Totals(p);
    Key("lost");
    out_ += '{';
    for (const auto& [reason, count] : from.lost) Number(reason, static_cast<double>(count));
    Close('}');
    Skipped(from);
    Series(from);
    Key("tables");
    out_ += '[';
    for (const auto& [name, table] : from.tables) OneTable(name, table);
    Close(']');
    out_.pop_back();
    out_ += '}';
  }

  // What the whole profile holds, and what of it is not on the page.
  void Totals(size_t p) {
    const Profile& from = join_.profile(p);
    double samples = 0, shown = 0;
    for (const Edge& edge : from.edges()) samples += static_cast<double>(edge.samples);
    for (EdgeId id : edges_) {
      if (const Edge* edge = join_.EdgeIn(p, id)) shown += edge->weight;
    }
    double node_samples = 0;
    for (const auto& node : from.nodes()) node_samples += static_cast<double>(node.samples);
    const double weight = from.TotalEdgeWeight();
    Key("totals");
    out_ += '{';
    Number("edges", static_cast<double>(from.edges().size()));
    Number("methods", static_cast<double>(from.methods().size() - 1));
    Number("nodes", static_cast<double>(from.nodes().size() - 1));
    Number("weight", weight);
    Number("samples", samples);
    Number("nodeSamples", node_samples);
    Number("cutEdges", static_cast<double>(join_.frame().edges().size() - edges_.size()));
    Number("cutWeight", edges_.size() < join_.frame().edges().size() ? weight - shown : 0);
    Number("cutNodes", static_cast<double>(tree_.cut));
    Number("cutSources", sources_.truncated());
    Close('}');
  }

  void Skipped(const Profile& from) {
    const auto& skipped = from.skipped_methods;
    Key("skipped");
    out_ += '{';
    Column("method", skipped.size(), [&](size_t i) { return strings_.Add(skipped[i].method); });
    Column("reason", skipped.size(), [&](size_t i) { return strings_.Add(skipped[i].reason); });
    Close('}');
  }

  void Series(const Profile& from) {
    AppendJsonColumn("threads", from.threads.size(), &out_,
                     [&](size_t i, std::string* to) { AppendJsonString(from.threads[i], to); });
    out_ += ',';
    const std::vector<SeriesPoint> points = ThinSeries(from.ticks, limits_.points);
    const size_t n = points.size();
    Key("ticks");
    out_ += '{';
    Number("count", static_cast<double>(from.ticks.size()));
    Column("thread", n, [&](size_t i) { return points[i].thread; });
    Column("timeUs", n, [&](size_t i) { return points[i].time_ns / 1000; });
    Column("latency", n, [&](size_t i) { return points[i].latency_ns; });
    if (n < from.ticks.size()) {
      Column("maxLatency", n, [&](size_t i) { return points[i].max_latency_ns; });
    }
    Column("intervalUs", n, [&](size_t i) { return points[i].interval_ns / 1000; });
    Reals("density", n, 4, [&](size_t i) { return points[i].density; });
    Column("samples", n, [&](size_t i) { return points[i].samples; });
    Close('}');
  }

  void OneTable(const std::string& name, const Table& table) {
    std::vector<uint32_t> order(table.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return table.rows[a].weight > table.rows[b].weight;
    });
    double weight = 0;
    for (const auto& row : table.rows) weight += row.weight;
    order.resize(std::min(order.size(), limits_.rows));
    auto row = [&](size_t i) -> const profile::TableRow& { return table.rows[order[i]]; };
    out_ += '{';
    Key("name");
    AppendJsonString(name, &out_);
    out_ += ',';
    Number("weightTotal", weight);
    Number("cutRows", static_cast<double>(table.rows.size() - order.size()));
    AppendJsonColumn("columns", table.columns.size(), &out_,
                     [&](size_t i, std::string* to) { AppendJsonString(table.columns[i], to); });
    out_ += ',';
    Key("keys");
    out_ += '[';
    for (size_t column = 0; column < table.columns.size(); ++column) {
      out_ += '[';
      for (size_t i = 0; i < order.size(); ++i) {
        const auto& key = row(i).key;
        AppendJsonInteger(strings_.Add(column < key.size() ? key[column] : std::string()), &out_);
        out_ += ',';
      }
      Close(']');
    }
    Close(']');
    Column("samples", order.size(), [&](size_t i) { return row(i).samples; });
    Reals("weight", order.size(), kWeightDigits, [&](size_t i) { return row(i).weight; });
    Close('}');
  }

  void SourceFiles() {
    Key("sources");
    out_ += '[';
    for (const SourceFile& file : sources_.files()) {
      out_ += '{';
      Key("path");
      AppendJsonString(file.path, &out_);
      out_ += ',';
      Key("lines");
      out_ += '{';
      for (const auto& [number, text] : file.lines) {
        Key(std::to_string(number));
        AppendJsonString(text, &out_);
        out_ += ',';
      }
      Close('}');
      Close('}');
    }
    Close(']');
  }

  const std::vector<Input>& inputs_;
  const Limits& limits_;
  Join join_;
  Sources sources_;
  Strings strings_;
  std::vector<EdgeId> edges_;
  ContextTree tree_;
  std::vector<uint32_t> number_;  // frame method -> method on the page
  std::vector<MethodId> used_;    // and back
  std::string out_;
};

}  // namespace

std::string MakeData(const std::vector<Input>& inputs, const std::vector<std::string>& sources,
                     const Limits& limits) {
  return Builder(inputs, sources, limits).Build();
}

}  // namespace assay::report
