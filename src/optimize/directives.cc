#include "src/optimize/directives.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

namespace assay::optimize {
namespace {

using plan::Action;
using plan::MethodName;

struct Root {
  std::set<std::string> inlines;  // "+callee", "-callee"
  double weight = 0;
};

void Include(const plan::Decision& decision, const MethodName& root,
             std::map<MethodName, Root>* roots) {
  Root& entry = (*roots)[root];
  bool wanted = decision.action == Action::kInline;
  entry.inlines.insert((wanted ? "+" : "-") + DirectiveName(decision.callee));
  entry.weight += decision.weight;
}

// Methods into which the plan inlines this one, itself first.
std::vector<MethodName> RootsAbove(const plan::Plan& plan, const MethodName& method) {
  std::vector<MethodName> roots = {method};
  for (size_t i = 0; i < roots.size(); ++i) {
    for (const plan::Decision& decision : plan.decisions) {
      if (decision.action != Action::kInline || decision.callee != roots[i]) continue;
      if (std::find(roots.begin(), roots.end(), decision.caller) == roots.end()) {
        roots.push_back(decision.caller);
      }
    }
  }
  return roots;
}

// A method with the name of a compile command or of the type of its value is taken for one
// (compiler/methodMatcher.cpp, parse_method_pattern; the names of JDK 17 to 28).
bool IsCommandWord(std::string name) {
  constexpr std::string_view kWords =
      " intx uintx bool ccstr ccstrlist double help quiet log print inline dontinline blackhole "
      "compileonly exclude break breakatexecute breakatcompile memlimit memstat printassembly "
      "printcompilation printinlining printintrinsics printnmethods printoptoassembly "
      "printdebuginfo printrelocations printdependencies backgroundcompilation repeatcompilation "
      "replayinline dumpreplay dumpinline compilethresholdscaling controlintrinsic "
      "disableintrinsic nortmlockeliding usertmlockeliding blocklayoutbyfrequency "
      "traceoptopipelining traceoptooutput tracespilling traceescapeanalysis printideal "
      "printidealphase phaseprintlevel igvprintlevel traceautovectorization tracemergestores "
      "vectorize vectorizedebug clonemapdebug incrementalinlineforcecleanup maxnodelimit option "
      "delayinline printcompilation2 ";
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return kWords.find(" " + name + " ") != std::string_view::npos;
}

// ["a", "b"]: names need no escapes, see above.
std::string List(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "\"" : ", \"") + item + "\"";
  return "[" + text + "]";
}

// One list may hold "+f" for a hot site and "-f" for a cold one of the same root: hot wins.
void DropContradictions(Root* root) {
  std::erase_if(root->inlines, [root](const std::string& item) {
    return item[0] == '-' && root->inlines.contains("+" + item.substr(1));
  });
}

}  // namespace

// HotSpot refuses to start with a directive that it cannot parse. Its parser knows no escapes and
// reads names into buffers of 256 and 1,024 characters.
bool CanBeNamed(const MethodName& method) {
  std::string name = DirectiveName(method);
  bool special = method.name == "<init>" || method.name == "<clinit>";
  if (!special && name.find_first_of("<>") != std::string::npos) return false;
  if (method.class_name.size() > 255 || method.name.size() > 255) return false;
  if (method.descriptor.size() > 1000 || IsCommandWord(method.name)) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || std::strchr("_$/.;()[<>", c) != nullptr;
  });
}

std::string DirectiveName(const MethodName& method) {
  std::string name = method.class_name;
  std::replace(name.begin(), name.end(), '.', '/');
  return name + "." + method.name + method.descriptor;
}

Directives DirectivesOf(const plan::Plan& plan) {
  std::map<MethodName, Root> roots;
  std::set<std::string> unnameable;
  for (const plan::Decision& decision : plan.decisions) {
    bool wanted = decision.action == Action::kInline;
    if (!wanted && decision.action != Action::kNoInline) continue;
    for (const MethodName* method : {&decision.callee, &decision.caller}) {
      if (!CanBeNamed(*method)) unnameable.insert(method->ToString());
    }
    if (!CanBeNamed(decision.callee)) continue;
    std::vector<MethodName> above = {decision.caller};
    if (wanted) above = RootsAbove(plan, decision.caller);
    for (const MethodName& root : above) {
      if (CanBeNamed(root)) Include(decision, root, &roots);
    }
  }
  struct Group {
    std::vector<MethodName> roots;
    double weight = 0;
    const std::set<std::string>* inlines = nullptr;
  };
  std::map<std::set<std::string>, Group> by_list;
  for (auto& [name, root] : roots) {
    DropContradictions(&root);
    Group& group = by_list[root.inlines];
    group.roots.push_back(name);
    group.weight += root.weight;
  }
  std::vector<Group> groups;
  for (auto& [list, group] : by_list) {
    group.inlines = &list;
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.weight > b.weight; });
  Directives result;
  result.unnameable.assign(unnameable.begin(), unnameable.end());
  while (groups.size() > kMostDirectives) {
    for (const MethodName& root : groups.back().roots) result.dropped.push_back(root.ToString());
    groups.pop_back();
  }
  result.count = groups.size();
  if (groups.empty()) return result;
  for (const Group& group : groups) {
    std::vector<std::string> names;
    for (const MethodName& root : group.roots) names.push_back(DirectiveName(root));
    std::vector<std::string> inlines(group.inlines->begin(), group.inlines->end());
    result.json +=
        (result.json.empty() ? "[\n" : ",\n") +
        ("  {\n    match: " + List(names) + ",\n    c2: { inline: " + List(inlines) + " }\n  }");
  }
  result.json += "\n]\n";
  return result;
}

}  // namespace assay::optimize
