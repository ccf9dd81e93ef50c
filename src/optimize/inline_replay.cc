#include "src/optimize/inline_replay.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace assay::optimize {
namespace {

using plan::Action;

// C2 inlines 8,000 bytes per compilation: more nodes than this have no use.
constexpr size_t kMostNodes = 4096;

class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view Next() {
    size_t begin = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
    size_t end = std::min(rest_.find_first_of(" \t\r", begin), rest_.size());
    std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }
  bool Number(int32_t* value) {
    std::string_view word = Next();
    auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), *value);
    return code == std::errc() && end == word.data() + word.size() && !word.empty();
  }
  bool Method(plan::MethodName* method) {
    method->class_name = Next();
    std::replace(method->class_name.begin(), method->class_name.end(), '/', '.');
    method->name = Next();
    method->descriptor = Next();
    return !method->descriptor.empty();
  }

 private:
  std::string_view rest_;
};

bool ParseTree(std::string_view line, InlineTree* tree) {
  Words words(line);
  int32_t count = 0;
  bool head = words.Next() == "compile" && words.Method(&tree->root) &&
              words.Number(&tree->entry_bci) && words.Number(&tree->level) &&
              words.Next() == "inline" && words.Number(&count) && count >= 0 && count < 1 << 20;
  if (!head) return false;
  for (int32_t i = 0; i < count; ++i) {
    InlineNode node;
    if (!words.Number(&node.depth) || !words.Number(&node.bci) || !words.Number(&node.late) ||
        !words.Method(&node.method)) {
      return false;
    }
    tree->nodes.push_back(std::move(node));
  }
  return !tree->nodes.empty() && tree->nodes[0].depth == 0;
}

// The end of the subtree of a node.
size_t EndOf(const std::vector<InlineNode>& nodes, size_t at) {
  size_t end = at + 1;
  while (end < nodes.size() && nodes[end].depth > nodes[at].depth) ++end;
  return end;
}

bool IsCall(const InlineNode& node, const plan::Decision& decision, int32_t depth) {
  return node.depth == depth && node.bci == decision.bci && node.method == decision.callee;
}

// At every place of the tree where the caller is; from the end, because what is added to a method
// that calls itself is such a place too.
void Change(const plan::Decision& decision, InlineTree* tree, Replay* replay) {
  auto& nodes = tree->nodes;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].method != decision.caller) continue;
    int32_t depth = nodes[i].depth + 1;
    size_t end = EndOf(nodes, i);
    size_t found = i + 1;
    while (found < end && !IsCall(nodes[found], decision, depth)) ++found;
    auto at = nodes.begin() + static_cast<ptrdiff_t>(found);
    if (decision.action == Action::kInline && found == end && nodes.size() < kMostNodes) {
      nodes.insert(at, {depth, decision.bci, 0, decision.callee});
      ++replay->added;
    } else if (decision.action == Action::kNoInline && found < end) {
      nodes.erase(at, nodes.begin() + static_cast<ptrdiff_t>(EndOf(nodes, found)));
      ++replay->removed;
    }
  }
}

std::string Text(const plan::MethodName& method) {
  std::string name = method.class_name;
  std::replace(name.begin(), name.end(), '.', '/');
  return name + " " + method.name + " " + method.descriptor;
}

std::string Text(const InlineTree& tree) {
  std::string line = "compile " + Text(tree.root) + " " + std::to_string(tree.entry_bci) + " " +
                     std::to_string(tree.level) + " inline " + std::to_string(tree.nodes.size());
  for (const InlineNode& node : tree.nodes) {
    line += " " + std::to_string(node.depth) + " " + std::to_string(node.bci) + " " +
            std::to_string(node.late) + " " + Text(node.method);
  }
  return line + "\n";
}

}  // namespace

Result<std::vector<InlineTree>> ParseInlineDump(std::string_view text) {
  std::vector<InlineTree> trees;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with("compile ")) continue;
    InlineTree tree;
    if (!ParseTree(line, &tree)) {
      return Error{"line " + std::to_string(number) + ": not an inlining tree"};
    }
    trees.push_back(std::move(tree));
  }
  return trees;
}

Replay ReplayOf(const plan::Plan& plan, const std::vector<InlineTree>& trees) {
  std::map<std::pair<plan::MethodName, int32_t>, InlineTree> last;
  for (const InlineTree& tree : trees) last[{tree.root, tree.entry_bci}] = tree;
  Replay replay;
  std::set<std::string> roots;
  for (auto& [key, tree] : last) {
    size_t before = replay.added + replay.removed;
    for (const plan::Decision& decision : plan.decisions) Change(decision, &tree, &replay);
    if (replay.added + replay.removed == before) continue;
    replay.data += Text(tree);
    std::string name = tree.root.class_name;
    std::replace(name.begin(), name.end(), '.', '/');
    roots.insert(name + "." + tree.root.name + tree.root.descriptor);
  }
  if (!replay.data.empty()) replay.data = "version 2\n" + replay.data;
  for (const std::string& root : roots) {
    replay.flags.push_back("-XX:CompileCommand=ReplayInline," + root);
  }
  return replay;
}

}  // namespace assay::optimize
