#include "src/agent/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace assay::agent {
namespace {

using enum OptionKind;

constexpr OptionSpec kOptions[] = {
    {"collect", kChoice, "calls", "calls|contexts|sampled|bytecodes|exact", "", "what to collect"},
    {"output", kText, "assay.profile", "", "", "the profile to write"},
    {"for", kDuration, "", "", "", "stop by itself after this time"},
    {"until-accuracy", kPercent, "", "", "calls",
     "stop profiling by itself at this estimated accuracy in percent, or when it is out of reach; the program goes on"},
    {"flush", kDuration, "1s", "", "", "how often the profile on disk is brought up to date"},
    {"include", kList, "", "", "sampled,bytecodes,exact,calls",
     "rewrite only classes that match one of these patterns (com.acme.*)"},
    {"exclude", kList, "", "", "sampled,bytecodes,exact,calls",
     "leave classes that match alone (calls: with via=probe)"},
    {"apply", kText, "", "", "",
     "a plan (assay plan) to apply; without --collect nothing is profiled meanwhile"},
    {"apply-report", kText, "", "", "", "file for what became of each line of the plan"},
    {"seed", kCount, "1", "", "", "seed of every random choice"},

    {"tick", kDuration, "500us", "", "calls,contexts,sampled",
     "time between two bursts (calls: follows from --overhead unless given), between samples (contexts: 4ms), or of the timer trigger"},
    {"overhead", kPercent, "1%", "", "calls",
     "CPU time that sampling may take of the program's; the tick follows from it (1ms to 64ms, at least 16, 32, 64ms after 2000, 2500, 3000 bursts)"},
    {"samples", kCountAll, "16", "", "calls",
     "calls sampled per burst; all = every call (at the default tick 192, half of them 320 calls after the others; before JDK 20 with ticker=cpu 64)"},
    {"stride", kCount, "3", "", "calls", "take every N-th call within a burst (before JDK 20 with ticker=cpu every one)"},
    {"depth", kCount, "2", "", "calls", "methods kept per sample; 2 = callee and caller"},
    {"correct", kChoice, "full", "off|density|full", "calls",
     "correction of sampling bias (before JDK 20 with ticker=cpu off unless given)"},
    {"density", kChoice, "bursts", "bursts|counter", "calls",
     "how dense calls are: from the calls of a burst, or by the processor's counter of calls (assay doctor says whether there is one)"},
    {"infer", kFlag, "false", "", "calls",
     "record which calls the code makes equally often; assay run applies it, else assay infer"},
    {"via", kChoice, "auto", "auto|entry|return|probe", "calls", "how calls are seen"},
    {"clock", kChoice, "cpu", "cpu|wall", "contexts",
     "time by each thread's CPU clock, or by the wall clock, waiting included"},
    {"max-frames", kCount, "10k", "", "contexts",
     "frames walked at most per sample; what lies deeper is kept apart"},
    {"half-life", kDuration, "", "", "contexts", "let weights halve in this time"},
    {"segment", kDuration, "", "", "contexts",
     "begin a new profile every so often; the ones before go to OUTPUT.1, OUTPUT.2, ..."},
    {"keep-segments", kCount, "100", "", "contexts", "segments kept; older files are removed"},
    {"watermark", kFlag, "true", "", "contexts",
     "walk only down to the newest frame seen before; false = whole stacks"},
    {"verify-walks", kFlag, "false", "", "contexts",
     "compare every sample with the VM's own stack walker, frame by frame"},
    {"probe-read", kChoice, "plain", "plain|volatile", "calls",
     "with via=probe: how the check at method entry reads its word"},
    {"ticker", kChoice, "auto", "auto|cpu|remote", "calls,contexts",
     "ticks by a thread of Assay's (auto, remote), or by a CPU timer per thread: cheaper, but in step with the kernel's clock, and blind for work that is too"},

    {"granularity", kCount, "10k", "", "bytecodes", "bytecodes from one sample to the next"},
    {"max-path", kCount, "0", "", "bytecodes",
     "bytecodes executed at most between two checks of the counter; 0 = any"},
    {"leaf-methods", kFlag, "true", "", "bytecodes",
     "methods without calls are named only when they are sampled"},
    {"fewer-checks", kFlag, "true", "", "bytecodes",
     "check the counter at entries and in loops that call, not in every block and at every call"},

    {"weights", kText, "", "", "bytecodes",
     "file that says what instructions count for (CLASS WEIGHT), instead of 1 each"},

    {"agent", kText, "", "", "bytecodes",
     "class of yours (assay.runtime.ProfilingAgent) that gets the samples instead of the profile"},
    {"agent-jar", kText, "", "", "bytecodes", "jar with that class, when the program has not got it"},

    {"max-contexts", kCount, "20M", "", "exact,contexts",
     "contexts kept; later ones are counted by call edge only, or the lightest go [500k]"},

    {"instrument", kList, "call-edge", "", "sampled",
     "what to count: call-edge, field-access, receiver-type, parameter-value, branch-edge, path, "
     "allocation-site, exception-throw"},
    {"interval", kCount, "1000", "", "sampled", "checks per sample; 1 = everything, 0 = off"},
    {"trigger", kChoice, "counter", "counter|thread|timer", "sampled",
     "who counts the checks: groups of threads, each thread, or nobody but a timer (--tick)"},
    {"jitter", kCount, "", "", "sampled,bytecodes",
     "random change of each interval: up or down with sampled [0], up with bytecodes [100]"},
    {"duplication", kChoice, "full", "full|partial|none|auto", "sampled",
     "how much of a method is copied for its samples"},
    {"iterations", kCount, "1", "", "sampled", "loop iterations that a sample may last"},
    {"by-calls", kFlag, "true", "", "sampled",
     "sample small methods with the calls that reach them instead of by checks of their own (needs "
     "call-edge and all classes)"},
    {"huge-methods", kFlag, "false", "", "sampled",
     "let methods grow past 8,000 bytes (assay run tells the JVM to compile them)"},
    {"count-checks", kFlag, "false", "", "sampled",
     "also count entries, back edges and checks executed (table: checks)"},
    {"checks-only", kChoice, "no", "no|all|entries|back-edges", "sampled",
     "no counting at all: the cost of checks alone, or of those on entry or on jumps backwards"},

    // Between the command line and an attached agent.
    {"command", kChoice, "start", "start|stop|unapply|status|doctor", "", "what the agent should do"},
    {"directives", kCount, "", "", "", "compiler directives that belong to the plan"},
    {"reply", kText, "", "", "", "file for the answer of an attached agent"},
};

Error Bad(const OptionSpec& spec, std::string_view value, std::string_view expected) {
  return Error{"option " + std::string(spec.name) + ": '" + std::string(value) + "' is not " +
               std::string(expected)};
}

bool IsChoice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
  return false;
}

Result<double> ParseNumber(std::string_view text, std::string_view* suffix) {
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || value < 0 || !std::isfinite(value)) return Error{"not a number"};
  *suffix = text.substr(end - text.data());
  return value;
}

Status Validate(const OptionSpec& spec, std::string_view value) {
  std::string_view suffix;
  switch (spec.kind) {
    case kCountAll:
      if (value == "all" || ParseCount(value).ok()) return {};
      return Bad(spec, value, "a number or 'all'");
    case kCount:
      if (ParseCount(value).ok()) return {};
      return Bad(spec, value, "a number");
    case kDuration:
      if (ParseDuration(value).ok()) return {};
      return Bad(spec, value, "a time such as 250us, 4ms or 10s");
    case kPercent:
      if (ParseNumber(value, &suffix).ok() && (suffix == "" || suffix == "%")) return {};
      return Bad(spec, value, "a percentage");
    case kFlag:
      if (value == "true" || value == "false") return {};
      return Bad(spec, value, "true or false");
    case kChoice:
      if (IsChoice(spec.choices, value)) return {};
      return Bad(spec, value, "one of " + std::string(spec.choices));
    case kText:
    case kList:
      if (value.find(',') == std::string_view::npos) return {};
      return Bad(spec, value, "free of commas, which separate options");
  }
  return {};
}

}  // namespace

std::span<const OptionSpec> AllOptions() { return kOptions; }

const OptionSpec* FindOption(std::string_view name) {
  for (const OptionSpec& spec : kOptions) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

Result<uint64_t> ParseCount(std::string_view text) {
  std::string_view suffix;
  ASSAY_ASSIGN(double value, ParseNumber(text, &suffix));
  if (suffix == "k") value *= 1e3;
  if (suffix == "M") value *= 1e6;
  if (suffix == "G") value *= 1e9;
  bool known = suffix == "" || suffix == "k" || suffix == "M" || suffix == "G";
  if (!known || value != std::floor(value) || value > 1e15) return Error{"not a count"};
  return static_cast<uint64_t>(value);
}

Result<uint64_t> ParseDuration(std::string_view text) {
  std::string_view suffix;
  ASSAY_ASSIGN(double value, ParseNumber(text, &suffix));
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
                                                            {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  for (const auto& [name, unit] : kUnits) {
    if (suffix == name && value * unit <= 1e18) {
      return static_cast<uint64_t>(std::llround(value * unit));
    }
  }
  return Error{"not a time"};
}

Result<Options> Options::Parse(std::string_view text) {
  Options options;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    if (item.empty()) continue;
    size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return Error{"option '" + std::string(item) + "' has no value; write name=value"};
    }
    ASSAY_TRY(options.Set(item.substr(0, equals), item.substr(equals + 1)));
  }
  return options;
}

Status Options::Set(std::string_view name, std::string_view value) {
  const OptionSpec* spec = FindOption(name);
  if (spec == nullptr) {
    std::string known;
    for (const OptionSpec& each : kOptions) known += " " + std::string(each.name);
    return Error{"unknown option '" + std::string(name) + "'; known:" + known};
  }
  ASSAY_TRY(Validate(*spec, value));
  values_[std::string(name)] = std::string(value);
  return {};
}

std::string Options::Text(std::string_view name) const {
  auto it = values_.find(std::string(name));
  if (it != values_.end()) return it->second;
  const OptionSpec* spec = FindOption(name);
  return spec ? std::string(spec->default_value) : "";
}

uint64_t Options::Count(std::string_view name) const {
  std::string text = Text(name);
  if (text == "all") return UINT64_MAX;
  auto count = ParseCount(text);
  return count.ok() ? *count : 0;
}

uint64_t Options::Nanoseconds(std::string_view name) const {
  auto duration = ParseDuration(Text(name));
  return duration.ok() ? *duration : 0;
}

double Options::Percent(std::string_view name) const {
  std::string_view suffix;
  std::string text = Text(name);
  auto value = ParseNumber(text, &suffix);
  return value.ok() ? *value : 0;
}

bool Options::Flag(std::string_view name) const { return Text(name) == "true"; }

std::vector<std::string> Options::List(std::string_view name) const {
  std::vector<std::string> items;
  std::string text = Text(name);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::string Options::ToString() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    if (!text.empty()) text += ',';
    text += name + "=" + value;
  }
  return text;
}

Options Options::Without(std::string_view name) const {
  Options rest = *this;
  rest.values_.erase(std::string(name));
  return rest;
}

void Options::Update(const Options& newer) {
  for (const auto& [name, value] : newer.values_) values_[name] = value;
}

}  // namespace assay::agent
