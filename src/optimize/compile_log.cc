// A compilation is logged as <task> with a tree of <parse method='N'>, one per method inlined;
// numbers are introduced by <klass> and <method> lines and are valid within their task. A call that
// stays a call is <call method='N'> followed by <inline_fail reason='...'>.
#include "src/optimize/compile_log.h"

#include <string_view>

namespace assay::optimize {
namespace {

std::string Unescape(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [entity, character] : kEntities) {
      if (!text.starts_with(entity)) continue;
      out += character;
      text.remove_prefix(entity.size());
      found = true;
      break;
    }
    if (found) continue;
    out += text[0];
    text.remove_prefix(1);
  }
  return out;
}

// The value of an attribute of an element on one line; "" when it has none.
std::string Attribute(std::string_view line, std::string_view name) {
  std::string key = " " + std::string(name) + "='";
  size_t begin = line.find(key);
  if (begin == std::string_view::npos) return "";
  begin += key.size();
  size_t end = line.find('\'', begin);
  if (end == std::string_view::npos) return "";
  return Unescape(line.substr(begin, end - begin));
}

class LogReader {
 public:
  std::map<InlineKey, InlineOutcome> Read(std::istream& log) {
    for (std::string line; std::getline(log, line);) Line(line);
    return std::move(outcomes_);
  }

 private:
  void Line(const std::string& line) {
    if (line.starts_with("<task ")) return Begin(line);
    if (!c2_) return;
    if (line.starts_with("<klass ")) {
      classes_[Attribute(line, "id")] = Attribute(line, "name");
    } else if (line.starts_with("<method ")) {
      methods_[Attribute(line, "id")] =
          classes_[Attribute(line, "holder")] + "." + Attribute(line, "name");
    } else if (line.starts_with("<parse ")) {
      std::string method = methods_[Attribute(line, "method")];
      if (!parsing_.empty()) ++outcomes_[{parsing_.back(), method}].inlined;
      parsing_.push_back(std::move(method));
      call_.clear();
    } else if (line.starts_with("</parse>")) {
      if (!parsing_.empty()) parsing_.pop_back();
    } else if (line.starts_with("<call ")) {
      call_ = methods_[Attribute(line, "method")];
    } else if (line.starts_with("<inline_fail ") && !parsing_.empty() && !call_.empty()) {
      InlineOutcome& outcome = outcomes_[{parsing_.back(), call_}];
      ++outcome.refused;
      ++outcome.reasons[Attribute(line, "reason")];
    }
  }

  void Begin(const std::string& line) {
    std::string level = Attribute(line, "level");
    c2_ = level.empty() || level == "4";
    classes_.clear();
    methods_.clear();
    parsing_.clear();
    call_.clear();
  }

  std::map<InlineKey, InlineOutcome> outcomes_;
  std::map<std::string, std::string> classes_;
  std::map<std::string, std::string> methods_;
  std::vector<std::string> parsing_;
  std::string call_;
  bool c2_ = false;
};

}  // namespace

std::map<InlineKey, InlineOutcome> ReadCompileLog(std::istream& log) {
  return LogReader().Read(log);
}

}  // namespace assay::optimize
