// A table for the terminal: columns as wide as their content, the flexible ones (names) share what
// the width leaves and shorten themselves.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace assay::cli {

class Table {
 public:
  enum Kind { kLeft, kRight, kName };
  // A cell of a kName column offers itself in any width.
  using Shorten = std::function<std::string(int width)>;

  void AddColumn(std::string title, Kind kind) { columns_.push_back({std::move(title), kind}); }
  void BeginRow() { rows_.emplace_back(); }
  void Cell(std::string text);
  void Name(Shorten shorten);
  // The whole table; every line at most `width` columns as far as the fixed columns allow.
  std::string Render(int width) const;

 private:
  struct Column {
    std::string title;
    Kind kind;
  };
  struct Entry {
    std::string text;
    Shorten shorten;
  };
  std::vector<int> Widths(int width) const;
  // What a name column really takes when limited to `width`.
  int Shortened(size_t column, int width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Entry>> rows_;
};

}  // namespace assay::cli
