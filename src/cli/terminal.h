// What is known about where output goes, and what is safe to print there. Colour only on a terminal
// and never with NO_COLOR set.
#pragma once

#include <string>
#include <string_view>

namespace assay::cli {

// Columns of the terminal on stdout: its size, else $COLUMNS, else 100 (a pipe or file).
int OutputWidth();
bool ColourOutput();

// `text` in bold / dim / a colour, or as it is when there is no colour.
std::string Bold(std::string_view text);
std::string Dim(std::string_view text);
std::string Cyan(std::string_view text);
std::string Red(std::string_view text);
std::string Green(std::string_view text);

// Names come from a foreign program: control characters and broken UTF-8 become U+FFFD, so that a
// name cannot move the cursor or change colours.
std::string Printable(std::string_view text);
// Columns that printable text takes: its code points.
int DisplayWidth(std::string_view text);
// The last `width` columns of `text`, with an ellipsis for what was left out.
std::string ElideLeft(std::string_view text, int width);

// Shows on a terminal (stderr) what long work is at; gone when it ends.
class Activity {
 public:
  explicit Activity(const std::string& what) { Say(what); }
  ~Activity() { Say(""); }
  void Say(const std::string& what);
};

}  // namespace assay::cli
