#include "src/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "src/base/utf8.h"

namespace assay::cli {
namespace {

std::string Styled(const char* code, std::string_view text) {
  if (!ColourOutput() || text.empty()) return std::string(text);
  return std::string("\033[") + code + "m" + std::string(text) + "\033[0m";
}

bool Continues(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// Controls, and what reorders or hides text: zero-width and directional marks, byte-order mark.
bool Invisible(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

}  // namespace

int OutputWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = getenv("COLUMNS");
  int width = columns != nullptr ? atoi(columns) : 0;
  return width >= 40 ? width : 100;
}

bool ColourOutput() {
  static const bool colour = [] {
    const char* no_color = getenv("NO_COLOR");
    const char* term = getenv("TERM");
    return isatty(STDOUT_FILENO) && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
           std::string_view(term) != "dumb";
  }();
  return colour;
}

std::string Bold(std::string_view text) { return Styled("1", text); }
std::string Dim(std::string_view text) { return Styled("2", text); }
std::string Cyan(std::string_view text) { return Styled("36", text); }
std::string Red(std::string_view text) { return Styled("31", text); }
std::string Green(std::string_view text) { return Styled("32", text); }

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = FirstCodePoint(text);
    AppendUtf8(Invisible(code) ? kReplacement : code, &out);
    text.remove_prefix(length);
  }
  return out;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (char c : text) width += !Continues(c);
  return width;
}

std::string ElideLeft(std::string_view text, int width) {
  int drop = DisplayWidth(text) - width;
  if (drop <= 0) return std::string(text);
  ++drop;  // for the ellipsis
  size_t at = 0;
  while (drop > 0 && at < text.size()) {
    ++at;
    while (at < text.size() && Continues(text[at])) ++at;
    --drop;
  }
  return "…" + std::string(text.substr(at));
}

void Activity::Say(const std::string& what) {
  static const bool terminal = isatty(STDERR_FILENO);
  if (!terminal) return;
  std::fprintf(stderr, "\r\033[K%s", Printable(what).c_str());
  std::fflush(stderr);
}

}  // namespace assay::cli
