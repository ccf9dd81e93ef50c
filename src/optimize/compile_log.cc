// A compilation is logged as <task> with a tree of <parse method='N'>, one per method inlined;
// numbers are introduced by <klass> and <method> lines and are valid within their task; <bc> says
// at which instruction the parser is. A call that stays a call is <call method='N'> followed by
// <inline_fail reason='...'>, or by <virtual_call> when no receiver was predicted. A call that is
// inlined after the rest is <late_inline>, the chain of its callers as <jvms>, and then <parse>.
#include "src/optimize/compile_log.h"

#include <cstdlib>
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
    } else if (line.starts_with("<bc ")) {
      bci_ = std::atoi(Attribute(line, "bci").c_str());
    } else if (line.starts_with("<late_inline ")) {
      late_caller_.clear();
      late_ = true;
    } else if (line.starts_with("<jvms ") && late_ && late_caller_.empty()) {
      late_caller_ = methods_[Attribute(line, "method")];
      bci_ = std::atoi(Attribute(line, "bci").c_str());
    } else if (line.starts_with("<parse ")) {
      Parse(methods_[Attribute(line, "method")]);
    } else if (line.starts_with("</parse>")) {
      if (parsing_.empty()) return;
      bci_ = parsing_.back().called_at;
      parsing_.pop_back();
    } else if (line.starts_with("<call ")) {
      call_ = methods_[Attribute(line, "method")];
    } else if (line.starts_with("<inline_fail ")) {
      Refuse(Attribute(line, "reason"));
    } else if (line.starts_with("<virtual_call ")) {
      Refuse("no receiver is predicted");
    }
  }

  void Parse(std::string method) {
    const std::string& caller = late_ || parsing_.empty() ? late_caller_ : parsing_.back().method;
    if (!caller.empty()) ++outcomes_[{caller, method, bci_}].inlined;
    parsing_.push_back({std::move(method), bci_});
    call_.clear();
    late_ = false;
    late_caller_.clear();
  }

  void Refuse(const std::string& reason) {
    if (parsing_.empty() || call_.empty()) return;
    InlineOutcome& outcome = outcomes_[{parsing_.back().method, call_, bci_}];
    ++outcome.refused;
    ++outcome.reasons[reason];
    call_.clear();
  }

  void Begin(const std::string& line) {
    std::string level = Attribute(line, "level");
    c2_ = level.empty() || level == "4";
    classes_.clear();
    methods_.clear();
    parsing_.clear();
    call_.clear();
    late_caller_.clear();
    late_ = false;
    bci_ = -1;
  }

  std::map<InlineKey, InlineOutcome> outcomes_;
  std::map<std::string, std::string> classes_;
  std::map<std::string, std::string> methods_;
  struct Parsed {
    std::string method;
    int32_t called_at;
  };
  std::vector<Parsed> parsing_;
  std::string call_;
  std::string late_caller_;
  bool late_ = false;
  int32_t bci_ = -1;
  bool c2_ = false;
};

}  // namespace

std::map<InlineKey, InlineOutcome> ReadCompileLog(std::istream& log) {
  return LogReader().Read(log);
}

}  // namespace assay::optimize
