// Makes profiles that look like those of a large program, for tests and measurements of the report
// where no JVM is wanted: make_profile [options] OUT. The same options give the same profile.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <queue>
#include <string>
#include <vector>

#include "src/base/hash.h"
#include "src/profile/profile.h"
#include "src/profile/writer.h"

namespace {

using assay::Mix64;
using assay::profile::MethodId;
using assay::profile::NodeId;
using assay::profile::Profile;

struct Arguments {
  size_t edges = 4000;
  size_t nodes = 6000;  // 0: a profile of call edges only
  size_t ticks = 3000;
  uint64_t seed = 1;
  bool after = false;    // the same program after a change
  bool hostile = false;  // names that try to become markup
  bool exact = false;
  std::string output;
};

constexpr const char* kPackages[] = {"com.acme.shop.web",
                                     "com.acme.shop.order",
                                     "com.acme.shop.catalog",
                                     "com.acme.shop.pricing",
                                     "org.eclipse.jetty.http",
                                     "org.eclipse.jetty.server",
                                     "com.fasterxml.jackson",
                                     "org.h2.command",
                                     "org.h2.index",
                                     "org.h2.mvstore",
                                     "org.h2.value",
                                     "org.slf4j.impl",
                                     "java.util",
                                     "java.util.stream",
                                     "java.util.concurrent",
                                     "java.lang",
                                     "java.io",
                                     "java.nio.charset"};
constexpr const char* kNouns[] = {"Order",  "Price",   "Session", "Cursor", "Page",   "Value",
                                  "Buffer", "Request", "Node",    "Token",  "Query",  "Entry",
                                  "Index",  "Result",  "Stream",  "Column", "Filter", "Basket"};
constexpr const char* kKinds[] = {"Handler", "Service", "Map",   "Reader",  "Factory", "Visitor",
                                  "Cache",   "Parser",  "Store", "Builder", "Table",   "Impl"};
constexpr const char* kVerbs[] = {"get",   "put",     "find", "resolve", "next", "read",  "compare",
                                  "apply", "compute", "hash", "encode",  "add",  "lookup"};
constexpr const char* kObjects[] = {"", "Key", "Row", "All", "Internal", "Value", "Node", "Fast"};
constexpr const char* kDescriptors[] = {
    "()V",     "(I)I", "(Ljava/lang/Object;)Ljava/lang/Object;", "(Ljava/lang/String;I)Z",
    "([BII)I", "()J"};
constexpr const char* kHostile[] = {"<script>window.hostile=1</script>",
                                    "</script><script>window.hostile=2</script>",
                                    "<img src=x onerror=window.hostile=3>",
                                    "\"><svg onload=window.hostile=4>",
                                    "&lt;b&gt;&amp;",
                                    "\xE2\x80\xA8\xE2\x80\xA9",
                                    "\xED\xA0\xBD\xED\xB8\x80\xC0\x80",
                                    "\xFF\xFE<!--",
                                    "constructor",
                                    "__proto__"};

template <size_t n>
const char* Pick(const char* const (&list)[n], uint64_t hash) {
  return list[hash % n];
}

double Unit(uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

// The invented program: which method calls which from where is a function of the seed alone.
class Program {
 public:
  explicit Program(const Arguments& arguments) : arguments_(arguments) {
    universe_ = std::max<size_t>(60, arguments.edges / 3);
  }

  // Method `index` of the universe; low indices are high in the program.
  MethodId Method(Profile* profile, size_t index) const {
    const uint64_t hash = Mix64(arguments_.seed * 1000003 + index);
    const size_t layer =
        std::min(std::size(kPackages) - 1, index * std::size(kPackages) / universe_ + hash % 2);
    const uint64_t of_class = Mix64(index / 6 + 77);
    std::string simple = std::string(Pick(kNouns, of_class)) + Pick(kKinds, of_class >> 20);
    if (universe_ > 2000) simple += std::to_string(index / 600);
    if (of_class % 7 == 0) simple += "$Inner";
    std::string name = std::string(Pick(kVerbs, index + of_class)) + Pick(kObjects, hash >> 18);
    if (universe_ > 2000) name += std::to_string(index % 6);
    if (hash % 23 == 0) name = "<init>";
    if (arguments_.hostile && index % 3 == 0) name = Pick(kHostile, index / 3);
    std::string package = kPackages[layer];
    if (arguments_.hostile && index % 5 == 0) package = "<script>window.hostile=5</script>";
    const MethodId id =
        profile->InternMethod(package + "." + simple, name, Pick(kDescriptors, hash >> 30));
    auto& method = profile->method(id);
    if (method.code_bytes == 0) {
      method.code_bytes = 20 + hash % 300;
      method.source_file = simple.substr(0, simple.find('$')) + ".java";
      const uint16_t line = 20 + hash % 500;
      for (uint16_t i = 0; i < 6; ++i)
        method.lines.push_back({uint16_t(i * 9), uint16_t(line + i)});
    }
    return id;
  }

  struct Call {
    size_t callee;
    int32_t bci;
    double per_call;
  };

  std::vector<Call> CallsOf(size_t index) const {
    std::vector<Call> calls;
    const uint64_t hash = Mix64(arguments_.seed ^ (index * 2654435761u));
    const size_t sites = 1 + hash % 5;
    for (size_t s = 0; s < sites; ++s) {
      const uint64_t at = Mix64(hash + s);
      double rate = 0.05 + 1.3 * std::pow(Unit(at), 3);
      if (arguments_.after && at % 11 == 0) rate *= 2.5;
      if (arguments_.after && at % 13 == 0) continue;
      const size_t targets = at % 8 == 0 ? 2 + (at >> 8) % 5 : 1;
      double left = 1;
      for (size_t t = 0; t < targets; ++t) {
        const uint64_t to = Mix64(at + 31 * t);
        const size_t reach = universe_ - index;
        const size_t callee = std::min(
            universe_ - 1, index + 1 + static_cast<size_t>(reach * 0.35 * std::pow(Unit(to), 2)));
        const double share = t + 1 == targets ? left : left * (0.4 + 0.4 * Unit(to >> 3));
        left -= t + 1 == targets ? 0 : share;
        calls.push_back({to % 40 == 0 ? index : callee, static_cast<int32_t>(3 + s * 9),
                         rate * share * (to % 40 == 0 ? 0.3 : 1)});
      }
    }
    return calls;
  }

  double CostOf(size_t index) const { return 20 + 400 * std::pow(Unit(Mix64(index + 5)), 4); }

 private:
  const Arguments& arguments_;
  size_t universe_;
};

struct Pending {
  double calls;
  size_t index;
  MethodId method;
  NodeId node;
  bool operator<(const Pending& other) const { return calls < other.calls; }
};

// Expands the hottest context first until there are enough contexts, then adds the cold rest of the
// program until there are enough edges.
void Run(const Arguments& arguments, Profile* profile) {
  const Program program(arguments);
  const MethodId outside = profile->InternMethod("", assay::profile::kNativeCaller, "");
  std::priority_queue<Pending> pending;
  auto enter = [&](NodeId parent, MethodId caller, int32_t bci, size_t index, double calls) {
    const MethodId method = program.Method(profile, index);
    const double rounded = std::max(1.0, std::round(calls));
    const double factor = arguments.exact ? 1 : 1 + 0.2 * (Unit(Mix64(index * 7 + bci)) - 0.5);
    const uint64_t samples = static_cast<uint64_t>(arguments.exact ? rounded : rounded / 1000 + 1);
    const double weight = arguments.exact ? rounded : rounded * factor;
    const double deviation = weight * 0.5 / std::sqrt(static_cast<double>(samples));
    profile->AddEdge(caller, bci, method, samples, weight,
                     arguments.exact ? 0 : deviation * deviation);
    NodeId node = assay::profile::kRootNode;
    if (profile->nodes().size() <= arguments.nodes) {
      node = profile->InternNode(parent, bci, method);
      profile->node(node).calls += weight;
      profile->node(node).samples += samples;
      profile->node(node).self += std::round(weight * program.CostOf(index));
    }
    pending.push({rounded, index, method, node});
  };
  for (size_t root = 0; root < 4; ++root) {
    enter(assay::profile::kRootNode, outside, assay::profile::kNoBci, root * 3, 4e6 / (root + 1));
  }
  const size_t contexts = std::max<size_t>(arguments.nodes, arguments.edges / 2);
  for (size_t made = 0; !pending.empty() && made < contexts;) {
    const Pending top = pending.top();
    pending.pop();
    for (const auto& call : program.CallsOf(top.index)) {
      enter(top.node, top.method, call.bci, call.callee, top.calls * call.per_call);
      ++made;
    }
  }
  for (size_t index = 0; profile->edges().size() < arguments.edges; ++index) {
    const MethodId caller = program.Method(profile, index);
    for (const auto& call : program.CallsOf(index)) {
      const MethodId callee = program.Method(profile, call.callee);
      profile->AddEdge(caller, call.bci, callee, 1, 1 + std::floor(9 * call.per_call));
    }
  }
  profile->self_unit = arguments.nodes ? "ns" : "";
}

void AddSeries(const Arguments& arguments, Profile* profile) {
  profile->threads = {"main", "qtp-http-1", "qtp-http-2", "qtp-http-3", "MVStore writer"};
  if (arguments.hostile) profile->threads[1] = kHostile[0];
  for (size_t i = 0; i < arguments.ticks; ++i) {
    const uint64_t hash = Mix64(i + arguments.seed * 7919);
    const uint32_t thread = hash % 5;
    const double time = static_cast<double>(i) / static_cast<double>(arguments.ticks);
    if (thread == 0 && time > 0.2 && time < 0.8) continue;  // main waits for the others
    const double phase = 1 + 0.9 * std::sin(6.28 * time * (1 + thread)) + (time > 0.5 ? 0.8 : 0);
    const double density = (2 + 9 * thread) * phase * std::exp(0.5 * (Unit(Mix64(hash)) - 0.5));
    const double latency =
        std::exp(7 + 2.2 * Unit(Mix64(hash + 1)) + (thread == 4 ? 4 * Unit(Mix64(hash + 2)) : 0));
    profile->ticks.push_back({.thread = thread,
                              .time_ns = static_cast<uint64_t>(time * 24e9),
                              .latency_ns = static_cast<uint64_t>(latency),
                              .interval_ns = 4'000'000 + hash % 200'000,
                              .density = hash % 50 == 0 ? -1 : density,
                              .samples = 32});
  }
}

void AddTables(const Arguments& arguments, Profile* profile) {
  auto& fields = profile->tables["fields"];
  fields.columns = {"class", "field", "access"};
  for (uint64_t i = 0; i < 80; ++i) {
    const uint64_t hash = Mix64(i);
    const double weight =
        std::round(1e6 / static_cast<double>(i + 1) * (arguments.after ? 1.2 : 1));
    fields.rows.push_back({{std::string(Pick(kPackages, hash)) + "." + Pick(kNouns, hash >> 8),
                            arguments.hostile ? Pick(kHostile, i) : Pick(kVerbs, hash >> 16),
                            hash % 3 ? "read" : "write"},
                           static_cast<uint64_t>(weight / 100),
                           weight});
  }
}

void Describe(const Arguments& arguments, Profile* profile) {
  profile->metadata = {{"command", "java -Xmx2g -jar acme-shop.jar --port 8080 --users 40"},
                       {"collect", arguments.exact ? "exact" : "calls"},
                       {"jvm", "OpenJDK 64-Bit Server VM 17.0.19+10 (Debian)"},
                       {"duration", "24.018331s"},
                       {"start", "2026-03-02 10:14:07 UTC"},
                       {"seed", std::to_string(arguments.seed)}};
  if (!arguments.exact) {
    profile->metadata.insert({{"tick", "4ms"},
                              {"samples", "32"},
                              {"stride", "7"},
                              {"correct", "full"},
                              {"accuracy", "93.4"},
                              {"accuracy-error", "1.1"}});
  }
  if (arguments.hostile) profile->metadata["command"] = kHostile[1];
  profile->lost = {{"burst interrupted by a safepoint", 412}, {"unknown caller frame", 87}};
  for (int i = 0; i < 30; ++i) {
    profile->skipped_methods.push_back(
        {"com.acme.shop.Generated" + std::to_string(i) + ".parse(Ljava/lang/String;)V",
         i % 3 ? "code would exceed 65535 bytes" : "uses jsr"});
  }
  if (arguments.hostile) {
    profile->lost[kHostile[2]] = 3;
    profile->lost["__proto__"] = 5;
    profile->metadata["constructor"] = "hostile key";
    profile->metadata["__proto__"] = "hostile prototype";
    profile->metadata["collect"] = "toString";
  }
}

bool Parse(int count, char** values, Arguments* arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string option = values[i];
    auto number = [&] { return i + 1 < count ? std::strtoull(values[++i], nullptr, 10) : 0; };
    if (option == "--edges")
      arguments->edges = number();
    else if (option == "--nodes")
      arguments->nodes = number();
    else if (option == "--ticks")
      arguments->ticks = number();
    else if (option == "--seed")
      arguments->seed = number();
    else if (option == "--after")
      arguments->after = true;
    else if (option == "--hostile")
      arguments->hostile = true;
    else if (option == "--exact")
      arguments->exact = true;
    else if (option[0] == '-' || !arguments->output.empty())
      return false;
    else
      arguments->output = option;
  }
  return !arguments->output.empty();
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  if (!Parse(count, values, &arguments)) {
    std::fprintf(stderr,
                 "usage: %s [--edges N] [--nodes N] [--ticks N] [--seed N] [--after] "
                 "[--hostile] [--exact] OUT\n",
                 values[0]);
    return 2;
  }
  Profile profile;
  Run(arguments, &profile);
  AddSeries(arguments, &profile);
  AddTables(arguments, &profile);
  Describe(arguments, &profile);
  if (auto status = assay::profile::WriteProfile(profile, arguments.output); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
    return 1;
  }
  std::printf("%zu edges, %zu contexts, %zu methods, %zu ticks\n", profile.edges().size(),
              profile.nodes().size() - 1, profile.methods().size() - 1, profile.ticks.size());
}
