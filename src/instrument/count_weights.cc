#include "src/instrument/count_weights.h"

#include <charconv>
#include <optional>
#include <string>

namespace assay::instrument {
namespace {

struct Range {
  uint8_t last;  // opcode
  std::string_view name;
};

// By the numbers of JVMS 6.5; the first range whose end is not below the opcode.
constexpr Range kRanges[] = {
    {20, "constant"},    {45, "load"},          {53, "array-load"},      {78, "store"},
    {86, "array-store"}, {95, "stack"},         {97, "arithmetic"},      {99, "float"},
    {101, "arithmetic"}, {103, "float"},        {105, "multiply"},       {107, "float"},
    {109, "divide"},     {111, "float-divide"}, {113, "divide"},         {115, "float-divide"},
    {117, "arithmetic"}, {119, "float"},        {132, "arithmetic"},     {147, "convert"},
    {169, "branch"},     {171, "switch"},       {177, "return"},         {179, "static"},
    {181, "field"},      {184, "call"},         {186, "interface-call"}, {187, "new"},
    {189, "new-array"},  {190, "array-load"},   {191, "throw"},          {193, "cast"},
    {195, "monitor"},    {196, "load"},         {197, "new-array"},      {255, "branch"},
};

std::optional<size_t> FindClass(std::string_view name) {
  for (size_t i = 0; i < std::size(kOpcodeClasses); ++i) {
    if (kOpcodeClasses[i].name == name) return i;
  }
  return {};
}

std::string_view TakeWord(std::string_view& line) {
  size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
  std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

size_t ClassOfOpcode(uint8_t opcode) {
  for (const Range& range : kRanges) {
    if (opcode <= range.last) return *FindClass(range.name);
  }
  return 0;
}

Result<OpcodeWeights> ParseWeights(std::string_view text) {
  OpcodeWeights weights;
  for (int number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    line = line.substr(0, line.find('#'));
    std::string_view name = TakeWord(line), value = TakeWord(line);
    if (name.empty()) continue;
    std::string where = "line " + std::to_string(number) + ": ";
    auto found = FindClass(name);
    if (!found) {
      std::string known;
      for (const OpcodeClass& each : kOpcodeClasses) known += " " + std::string(each.name);
      return Error{where + "no class of instructions '" + std::string(name) + "'; known:" + known};
    }
    uint32_t weight = 0;
    auto [rest, code] = std::from_chars(value.data(), value.data() + value.size(), weight);
    if (code != std::errc() || rest != value.data() + value.size() || weight > kMostWeight ||
        !TakeWord(line).empty()) {
      return Error{where + "expected one whole number from 0 to 1000 after " + std::string(name)};
    }
    for (int opcode = 0; opcode < 256; ++opcode) {
      if (ClassOfOpcode(static_cast<uint8_t>(opcode)) == *found) {
        weights.of[opcode] = static_cast<uint16_t>(weight);
      }
    }
  }
  return weights;
}

}  // namespace assay::instrument
