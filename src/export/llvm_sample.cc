// LLVM's sample profile in its text form (llvm/ProfileData/SampleProfReader.h):
//
//   function:total_samples:head_samples
//    offset: samples callee:calls callee:calls
//
// A flat profile of call edges: the head is the number of calls into the method, and each call site
// is a body line whose offset is the bytecode index, with the calls per callee. So each call-site
// edge keeps an identity, and `llvm-profdata overlap` compares what `assay compare` compares.
// Methods are written with their descriptor; a blank or ':' in a name becomes '_'.
#include <algorithm>
#include <map>

#include "src/base/utf8.h"
#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/profile/aggregate.h"

namespace assay::exporting {
namespace {

using profile::Edge;
using profile::MethodId;
using profile::Profile;

std::string Name(const Profile& profile, MethodId id) {
  std::string name = ValidUtf8(MethodName(profile, id));
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return c <= 0x20 || c == 0x7f || c == ':' || c == '@' || c == '#'; },
      '_');
  return name;
}

struct Function {
  double head = 0;
  std::map<int32_t, std::vector<std::pair<MethodId, double>>> body;
};

}  // namespace

Result<std::string> WriteLlvmSample(const Profile& profile) {
  std::map<std::string, Function> functions;
  for (const Edge& edge : profile::CallEdges(profile)) {
    // The offset has 16 bits; a call without a place in the code gets the last one.
    int32_t offset = edge.bci < 0 ? 0xffff : edge.bci & 0xffff;
    functions[Name(profile, edge.caller)].body[offset].emplace_back(edge.callee, edge.weight);
    functions[Name(profile, edge.callee)].head += edge.weight;
  }
  std::string out;
  for (const auto& [name, function] : functions) {
    int64_t total = 0;
    std::string lines;
    for (const auto& [offset, callees] : function.body) {
      int64_t samples = 0;
      std::string targets;
      for (const auto& [callee, weight] : callees) {
        samples += Rounded(weight);
        targets += " " + Name(profile, callee) + ":" + std::to_string(Rounded(weight));
      }
      lines += " " + std::to_string(offset) + ": " + std::to_string(samples) + targets + "\n";
      total += samples;
    }
    out += name + ":" + std::to_string(total) + ":" + std::to_string(Rounded(function.head)) + "\n";
    out += lines;
  }
  return out;
}

}  // namespace assay::exporting
