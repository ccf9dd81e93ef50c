// Profiles for tests: one with something of everything, random ones, and a way to compare.
#pragma once

#include <random>
#include <string>

#include "src/profile/profile.h"

namespace assay::profile {

// A small profile in which every kind of content occurs.
inline Profile FullProfile() {
  Profile profile;
  MethodId native = profile.InternMethod("", kNativeCaller, "");
  MethodId main = profile.InternMethod("Known", "main", "([Ljava/lang/String;)V");
  MethodId f = profile.InternMethod("Known", "f", "(I)I");
  profile.method(main).source_file = "Known.java";
  profile.method(main).code_bytes = 40;
  profile.method(main).lines = {{0, 10}, {8, 12}, {20, 11}};
  profile.AddEdge(native, kNoBci, main, 1, 1);
  profile.AddEdge(main, 12, f, 1000, 123456.75, 17.5);
  profile.AddEdge(f, 3, f, 3, 9007199254740992.0, 1e-300);
  NodeId top = profile.InternNode(kRootNode, kNoBci, main);
  NodeId inner = profile.InternNode(top, 12, f);
  profile.node(top).calls = 1;
  profile.node(inner).calls = 1000;
  profile.node(inner).samples = 7;
  profile.node(inner).self = 2.5;
  profile.self_unit = "bytecodes";
  profile.metadata = {{"collect", "exact"}, {"command", "java Known"}, {"empty", ""}};
  profile.threads = {"main", "worker \xff"};
  profile.ticks = {{0, 1000, 20, 4000000, 12.5, 32}, {1, 900, 0, 1, -1, 0}};
  profile.tables["fields"] = {{"class", "field"},
                              {{{"Known", "x"}, 5, 5}, {{"Known", "y"}, 1, 1.5}}};
  profile.tables["nothing"] = {{"value"}, {}};
  profile.lost = {{"buffer full", 3}, {"no frame", 0}};
  profile.skipped_methods = {{"Known.g()V", "too large"}};
  return profile;
}

// Random edges and contexts over `methods` methods.
inline Profile RandomProfile(uint32_t seed, int methods, int edges, int nodes) {
  std::mt19937 random(seed);
  Profile profile;
  auto method = [&] {
    return profile.InternMethod("p.C" + std::to_string(random() % (methods / 4 + 1)),
                                "m" + std::to_string(random() % methods), "()V");
  };
  for (int i = 0; i < edges; ++i) {
    profile.AddEdge(method(), static_cast<int>(random() % 20), method(), random() % 50,
                    random() % 100000 / 8.0, random() % 1000 / 4.0);
  }
  for (int i = 0; i < nodes; ++i) {
    NodeId parent = static_cast<NodeId>(random() % profile.nodes().size());
    ContextNode& node =
        profile.node(profile.InternNode(parent, static_cast<int>(random() % 5), method()));
    node.calls += random() % 1000;
    node.self += random() % 1000 / 4.0;
    node.samples += 1;
  }
  profile.self_unit = "bytecodes";
  return profile;
}

// Everything in the profile as text, in the order in which it is stored.
inline std::string Dump(const Profile& profile) {
  std::string out;
  auto line = [&](auto... parts) {
    ((out += parts, out += '|'), ...);
    out += '\n';
  };
  auto text = [](auto value) { return std::to_string(value); };
  for (const auto& [key, value] : profile.metadata) line("meta", key, value);
  line("unit", profile.self_unit);
  for (const Method& m : profile.methods()) {
    line("method", m.ToString(), m.source_file, text(m.code_bytes));
    for (const LineEntry& entry : m.lines) line(" ", text(entry.start_bci), text(entry.line));
  }
  for (const Edge& e : profile.edges()) {
    line("edge", text(e.caller), text(e.bci), text(e.callee), text(e.samples), text(e.weight),
         text(e.variance));
  }
  for (const ContextNode& n : profile.nodes()) {
    line("node", text(n.parent), text(n.bci), text(n.method), text(n.samples), text(n.calls),
         text(n.self));
  }
  for (const std::string& thread : profile.threads) line("thread", thread);
  for (const TickPoint& t : profile.ticks) {
    line("tick", text(t.thread), text(t.time_ns), text(t.latency_ns), text(t.interval_ns),
         text(t.density), text(t.samples));
  }
  for (const auto& [name, table] : profile.tables) {
    line("table", name);
    for (const std::string& column : table.columns) line(" column", column);
    for (const TableRow& row : table.rows) {
      for (const std::string& part : row.key) line(" key", part);
      line(" values", text(row.samples), text(row.weight));
    }
  }
  for (const auto& [reason, count] : profile.lost) line("lost", reason, text(count));
  for (const SkippedMethod& s : profile.skipped_methods) line("skipped", s.method, s.reason);
  return out;
}

}  // namespace assay::profile
