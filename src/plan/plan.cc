#include "src/plan/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

#include "src/classfile/descriptor.h"

namespace assay::plan {
namespace {

constexpr std::string_view kFirstLine = "assay-plan 1";
constexpr std::pair<Action, std::string_view> kActions[] = {
    {Action::kDevirtualize, "devirtualize"},
    {Action::kInline, "inline"},
    {Action::kNoInline, "no-inline"},
    {Action::kSkip, "skip"},
};
constexpr int32_t kLargestBci = 65534;

std::string_view TakeWord(std::string_view* text) {
  size_t begin = std::min(text->find_first_not_of(" \t\r"), text->size());
  size_t end = std::min(text->find_first_of(" \t\r", begin), text->size());
  std::string_view word = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return word;
}

bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n#,;[") == std::string_view::npos;
}

bool IsMethodDescriptor(std::string_view text) {
  return text.starts_with('(') && classfile::CountWords(text).parameters >= 0;
}

Result<uint32_t> ParseNumber(std::string_view key, std::string_view text, uint32_t largest) {
  uint32_t value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value > largest) {
    return Error{std::string(key) + "'" + std::string(text) + "' is not a number up to " +
                 std::to_string(largest)};
  }
  return value;
}

Result<double> ParsePercent(std::string_view key, std::string_view text) {
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool percent = end + 1 == text.data() + text.size() && *end == '%';
  if (code != std::errc() || !percent || !std::isfinite(value) || value < 0) {
    return Error{std::string(key) + "'" + std::string(text) + "' is not a percentage like 1.5%"};
  }
  return value / 100;
}

Status ParseSite(std::string_view word, Decision* decision) {
  size_t at = word.rfind('@');
  if (at == std::string_view::npos) {
    return Error{"'" + std::string(word) + "' is not a call site; write pkg.Class.name()V@12"};
  }
  ASSAY_ASSIGN(decision->caller, ParseMethod(word.substr(0, at)));
  ASSAY_ASSIGN(uint32_t bci, ParseNumber("bci ", word.substr(at + 1), kLargestBci));
  decision->bci = static_cast<int32_t>(bci);
  return {};
}

Status ParseGuards(std::string_view list, std::vector<std::string>* guards) {
  while (true) {
    size_t comma = list.find(',');
    std::string guard(list.substr(0, comma));
    if (!IsName(guard) || guard.find('/') != std::string::npos) {
      return Error{"guard '" + guard + "' is not a class name like pkg.Class"};
    }
    if (std::find(guards->begin(), guards->end(), guard) != guards->end()) {
      return Error{"guard " + guard + " is given twice"};
    }
    guards->push_back(std::move(guard));
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

Status ParseCall(std::string_view text, MethodName* callee) {
  size_t open = text.find('(');
  if (open == 0 || open == std::string_view::npos || !IsName(text.substr(0, open)) ||
      !IsMethodDescriptor(text.substr(open))) {
    return Error{"call '" + std::string(text) + "' is not a method like name(I)V"};
  }
  callee->name = text.substr(0, open);
  callee->descriptor = text.substr(open);
  return {};
}

Status ParseField(std::string_view word, Decision* decision) {
  size_t equals = word.find('=');
  std::string_view key = word.substr(0, equals);
  std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
  bool devirtualize = decision->action == Action::kDevirtualize;
  if (key == "code") {
    ASSAY_ASSIGN(decision->caller_bytes, ParseNumber("code ", value, 65535));
  } else if (key == "size") {
    ASSAY_ASSIGN(decision->callee_bytes, ParseNumber("size ", value, 65535));
  } else if (key == "weight") {
    ASSAY_ASSIGN(decision->weight, ParsePercent("weight ", value));
  } else if (key == "error") {
    ASSAY_ASSIGN(decision->error, ParsePercent("error ", value));
  } else if (key == "callee" && !devirtualize) {
    ASSAY_ASSIGN(decision->callee, ParseMethod(value));
  } else if (key == "call" && devirtualize) {
    ASSAY_TRY(ParseCall(value, &decision->callee));
  } else if (key == "guard" && devirtualize) {
    ASSAY_TRY(ParseGuards(value, &decision->guards));
  } else {
    return Error{"'" + std::string(word) + "' means nothing in a line of " +
                 std::string(NameOf(decision->action))};
  }
  return {};
}

Result<Decision> ParseDecision(Action action, std::string_view rest) {
  Decision decision;
  decision.action = action;
  size_t hash = rest.find(" #");
  if (hash != std::string_view::npos) {
    std::string_view reason = rest.substr(hash + 2);
    size_t begin = std::min(reason.find_first_not_of(' '), reason.size());
    size_t end = reason.find_last_not_of(" \r") + 1;
    if (end > begin) decision.reason = reason.substr(begin, end - begin);
    rest = rest.substr(0, hash);
  }
  ASSAY_TRY(ParseSite(TakeWord(&rest), &decision));
  for (std::string_view word; !(word = TakeWord(&rest)).empty();) {
    ASSAY_TRY(ParseField(word, &decision));
  }
  if (decision.callee.name.empty()) {
    return Error{action == Action::kDevirtualize ? "call= is missing" : "callee= is missing"};
  }
  if (action == Action::kDevirtualize && decision.guards.empty()) return Error{"guard= is missing"};
  if (decision.guards.size() > kMaxGuards) return Error{"more than two guards at one site"};
  return decision;
}

Status ParseLine(std::string_view line, Plan* plan) {
  std::string_view rest = line;
  std::string_view word = TakeWord(&rest);
  if (word.empty() || word[0] == '#') return {};
  if (word == "policy") {
    plan->policy = TakeWord(&rest);
    return {};
  }
  if (word == "flag") {
    std::string_view flag = TakeWord(&rest);
    if (!flag.starts_with("-XX:")) {
      return Error{"'" + std::string(flag) + "' is not a JVM flag (-XX:...)"};
    }
    plan->flags.emplace_back(flag);
    return {};
  }
  for (const auto& [action, name] : kActions) {
    if (word != name) continue;
    ASSAY_ASSIGN(Decision decision, ParseDecision(action, rest));
    plan->decisions.push_back(std::move(decision));
    return {};
  }
  return Error{"'" + std::string(word) +
               "' is not known; lines begin with policy, flag, devirtualize, inline, no-inline, "
               "skip or #"};
}

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g%%", share * 100);
  return text;
}

std::string DecisionText(const Decision& decision) {
  std::string line(NameOf(decision.action));
  line += " " + decision.Site();
  if (decision.caller_bytes != 0) line += " code=" + std::to_string(decision.caller_bytes);
  if (decision.action == Action::kDevirtualize) {
    line += " call=" + decision.callee.name + decision.callee.descriptor + " guard=";
    for (size_t i = 0; i < decision.guards.size(); ++i) {
      line += (i == 0 ? "" : ",") + decision.guards[i];
    }
  } else {
    line += " callee=" + decision.callee.ToString();
  }
  if (decision.callee_bytes != 0) line += " size=" + std::to_string(decision.callee_bytes);
  line += " weight=" + PercentText(decision.weight) + " error=" + PercentText(decision.error);
  if (!decision.reason.empty()) line += " # " + decision.reason;
  return line + "\n";
}

}  // namespace

size_t Plan::CountOf(Action action) const {
  return static_cast<size_t>(
      std::count_if(decisions.begin(), decisions.end(),
                    [action](const Decision& decision) { return decision.action == action; }));
}

std::string_view NameOf(Action action) {
  for (const auto& [known, name] : kActions) {
    if (known == action) return name;
  }
  return "";
}

Result<MethodName> ParseMethod(std::string_view text) {
  size_t open = text.find('(');
  size_t dot = open == std::string_view::npos ? open : text.substr(0, open).rfind('.');
  if (dot == std::string_view::npos || !IsName(text.substr(0, dot)) ||
      !IsName(text.substr(dot + 1, open - dot - 1)) || !IsMethodDescriptor(text.substr(open))) {
    return Error{"'" + std::string(text) + "' is not a method like pkg.Class.name(I)V"};
  }
  return MethodName{std::string(text.substr(0, dot)),
                    std::string(text.substr(dot + 1, open - dot - 1)),
                    std::string(text.substr(open))};
}

bool CanBeWritten(const MethodName& method) {
  auto parsed = ParseMethod(method.ToString());
  bool clean = method.descriptor.find_first_of(" \t\r\n#,") == std::string::npos;
  return clean && parsed.ok() && *parsed == method;
}

Result<Plan> ParsePlan(std::string_view text) {
  Plan plan;
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto fail = [number](const std::string& message) {
      return Error{"line " + std::to_string(number) + ": " + message};
    };
    if (number == 1) {
      if (!line.starts_with(kFirstLine))
        return fail("a plan begins with '" + std::string(kFirstLine) + "'");
      continue;
    }
    size_t before = plan.decisions.size();
    if (Status status = ParseLine(line, &plan); !status.ok()) return fail(status.error().message);
    if (plan.decisions.size() == before) continue;
    const Decision& last = plan.decisions.back();
    bool per_site = last.action == Action::kDevirtualize;
    std::string what = per_site ? "" : std::string(NameOf(last.action)) + last.callee.ToString();
    if (!seen.emplace(last.Site(), what).second) return fail("the same decision twice");
  }
  if (plan.policy.empty()) return Error{"not a plan: it names no policy"};
  return plan;
}

std::string PlanText(const Plan& plan) {
  std::string text = std::string(kFirstLine) + "\npolicy " + plan.policy + "\n";
  for (const std::string& flag : plan.flags) text += "flag " + flag + "\n";
  for (const Decision& decision : plan.decisions) text += DecisionText(decision);
  return text;
}

}  // namespace assay::plan
