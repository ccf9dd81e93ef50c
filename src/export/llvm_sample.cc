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
#include <span>
#include <tuple>

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

// The offset has 16 bits; a call without a place in the code gets the last one.
int32_t Offset(const Edge& edge) { return edge.bci < 0 ? 0xffff : edge.bci & 0xffff; }

// The body of one function from its edges, which are sorted by offset; returns the samples in it.
int64_t Body(std::span<const Edge> edges, const std::vector<std::string>& names, std::string& out) {
  int64_t total = 0;
  for (size_t i = 0; i < edges.size();) {
    int32_t offset = Offset(edges[i]);
    int64_t samples = 0;
    std::string targets;
    for (; i < edges.size() && Offset(edges[i]) == offset; ++i) {
      int64_t calls = Rounded(edges[i].weight);
      samples = Plus(samples, calls);
      targets += " " + names[edges[i].callee] + ":" + std::to_string(calls);
    }
    out += " " + std::to_string(offset) + ": " + std::to_string(samples) + targets + "\n";
    total = Plus(total, samples);
  }
  return total;
}

}  // namespace

Result<std::string> WriteLlvmSample(const Profile& profile) {
  std::vector<Edge> edges = profile::CallEdges(profile);
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.caller, Offset(a), a.callee) < std::tuple(b.caller, Offset(b), b.callee);
  });
  std::vector<std::string> names(profile.methods().size());
  std::vector<double> heads(names.size());
  std::vector<bool> used(names.size());
  for (const Edge& edge : edges) {
    heads[edge.callee] += edge.weight;
    used[edge.callee] = used[edge.caller] = true;
  }
  for (MethodId id = 0; id < names.size(); ++id) {
    if (used[id]) names[id] = Name(profile, id);
  }
  std::string out, body;
  for (size_t first = 0, id = 0; id < names.size(); ++id) {
    size_t last = first;
    while (last < edges.size() && edges[last].caller == id) ++last;
    body.clear();
    int64_t total = Body(std::span(edges).subspan(first, last - first), names, body);
    first = last;
    if (!used[id]) continue;
    out +=
        names[id] + ":" + std::to_string(total) + ":" + std::to_string(Rounded(heads[id])) + "\n";
    out += body;
  }
  if (out.empty())
    return Error{"this profile has no calls, and LLVM's tools refuse a sample profile without any"};
  return out;
}

}  // namespace assay::exporting
