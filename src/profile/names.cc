#include "src/profile/names.h"

#include <unordered_map>
#include <unordered_set>

#include "src/base/utf8.h"

namespace assay::profile {
namespace {

// One type of a descriptor, moving `at` past it; "" when malformed.
std::string TypeAt(std::string_view text, size_t& at) {
  std::string arrays;
  while (at < text.size() && text[at] == '[') arrays += "[]", ++at;
  if (at >= text.size()) return "";
  switch (text[at++]) {
    case 'B':
      return "byte" + arrays;
    case 'C':
      return "char" + arrays;
    case 'D':
      return "double" + arrays;
    case 'F':
      return "float" + arrays;
    case 'I':
      return "int" + arrays;
    case 'J':
      return "long" + arrays;
    case 'S':
      return "short" + arrays;
    case 'Z':
      return "boolean" + arrays;
    case 'L':
      break;
    default:
      return "";
  }
  size_t end = text.find(';', at);
  if (end == std::string_view::npos) return "";
  std::string_view name = text.substr(at, end - at);
  at = end + 1;
  name.remove_prefix(name.rfind('/') + 1);
  return std::string(name.substr(name.rfind('$') + 1)) + arrays;
}

std::string Harmless(std::string_view text) {
  std::string out = ValidUtf8(text);
  for (char& c : out) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f || c == ';') c = '_';
  }
  return out;
}

}  // namespace

std::string Parameters(std::string_view descriptor) {
  if (descriptor.empty() || descriptor[0] != '(') return std::string(descriptor);
  std::string out = "(";
  for (size_t at = 1; at < descriptor.size() && descriptor[at] != ')';) {
    std::string type = TypeAt(descriptor, at);
    if (type.empty()) return std::string(descriptor);
    out += (out.size() > 1 ? ", " : "") + type;
  }
  return out + ")";
}

// JVMTI, Class.getName and the VM's messages set the address off with different marks.
std::string StableClassName(std::string name) {
  for (std::string_view mark : {"/0x", ".0x", "+0x"}) {
    if (size_t at = name.find(mark); at != std::string::npos) name.resize(at);
  }
  return name;
}

std::vector<std::string> FrameNames(const Profile& profile) {
  std::vector<std::string> plain(profile.methods().size());
  std::unordered_map<std::string, uint32_t> uses;
  for (MethodId id = 0; id < plain.size(); ++id) {
    const Method& method = profile.method(id);
    plain[id] = method.class_name.empty() ? method.name : method.class_name + "." + method.name;
    plain[id] = id == 0 ? std::string(kNativeCaller) : Harmless(plain[id]);
    // The outside may be in the profile under its own name as well: they are one.
    if (id != 0) ++uses[plain[id]];
  }
  std::unordered_set<std::string> taken;
  std::vector<std::string> names(plain.size());
  for (MethodId id = 0; id < names.size(); ++id) {
    const Method& method = profile.method(id);
    names[id] = plain[id];
    if (id == 0 || plain[id] == kNativeCaller) continue;
    if (uses[plain[id]] > 1) names[id] += Harmless(Parameters(method.descriptor));
    // Overloads by result or by classes of one simple name.
    if (!taken.insert(names[id]).second) {
      names[id] = plain[id] + Harmless(method.descriptor);
      while (!taken.insert(names[id]).second) names[id] += "#" + std::to_string(id);
    }
  }
  return names;
}

}  // namespace assay::profile
