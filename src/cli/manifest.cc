#include "src/cli/manifest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace assay::cli {
namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

// Takes one line with its end (CR LF, LF or CR) off the front.
std::string_view TakeLine(std::string_view& text) {
  size_t end = text.find_first_of("\r\n");
  size_t next = end == std::string_view::npos ? text.size() : end + 1;
  if (next < text.size() && text[next - 1] == '\r' && text[next] == '\n') ++next;
  std::string_view line = text.substr(0, next);
  text.remove_prefix(next);
  return line;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of("\r\n") == std::string_view::npos;
}

// "SHA-256-Digest", "SHA1-Digest-Manifest", "Digest-Algorithms", "Magic"
bool IsDigest(std::string_view line) {
  std::string name = Upper(line.substr(0, line.find(':')));
  return name.find("-DIGEST") != std::string::npos || name == "DIGEST-ALGORITHMS" ||
         name == "MAGIC";
}

struct Section {
  std::string text;
  int attributes = 0;  // but for Name
};

Section TakeSection(std::string_view& text) {
  Section section;
  bool dropping = false;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (IsBlank(line)) {
      section.text += line;
      if (!text.empty() && IsBlank(text.substr(0, 1))) continue;
      break;
    }
    bool continues = line[0] == ' ';
    if (!continues) {
      dropping = IsDigest(line);
      bool named = Upper(line).starts_with("NAME:");
      section.attributes += dropping || named ? 0 : 1;
    }
    if (!dropping) section.text += line;
  }
  return section;
}

}  // namespace

bool IsSignatureFile(std::string_view name) {
  std::string upper = Upper(name);
  if (!upper.starts_with("META-INF/") || upper.find('/', 9) != std::string::npos) return false;
  return upper.ends_with(".SF") || upper.ends_with(".RSA") || upper.ends_with(".DSA") ||
         upper.ends_with(".EC") || upper.starts_with("META-INF/SIG-");
}

std::string WithoutDigests(std::string_view manifest) {
  std::string result = TakeSection(manifest).text;
  while (!manifest.empty()) {
    Section section = TakeSection(manifest);
    if (section.attributes > 0) result += section.text;
  }
  return result;
}

}  // namespace assay::cli
