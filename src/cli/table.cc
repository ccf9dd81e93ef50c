#include "src/cli/table.h"

#include <algorithm>

#include "src/cli/terminal.h"

namespace assay::cli {
namespace {

constexpr int kUnlimited = 1 << 20;
constexpr int kGap = 2;
constexpr int kNarrowestName = 12;

}  // namespace

void Table::Cell(std::string text) { rows_.back().push_back({std::move(text), nullptr}); }

void Table::Name(Shorten shorten) {
  std::string full = shorten(kUnlimited);
  rows_.back().push_back({std::move(full), std::move(shorten)});
}

// Name columns get what they want when it fits; otherwise the room is shared, and what a narrow one
// does not need goes to the others.
std::vector<int> Table::Widths(int width) const {
  std::vector<int> widths(columns_.size());
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths[c] = DisplayWidth(columns_[c].title);
    for (const auto& row : rows_) {
      if (c < row.size()) widths[c] = std::max(widths[c], DisplayWidth(row[c].text));
    }
  }
  int room = width - kGap * static_cast<int>(columns_.size() - 1);
  std::vector<size_t> names;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].kind == kName) {
      names.push_back(c);
    } else {
      room -= widths[c];
    }
  }
  std::sort(names.begin(), names.end(), [&](size_t a, size_t b) { return widths[a] < widths[b]; });
  for (size_t i = 0; i < names.size(); ++i) {
    int share = room / static_cast<int>(names.size() - i);
    widths[names[i]] =
        Shortened(names[i], std::min(widths[names[i]], std::max(kNarrowestName, share)));
    room -= widths[names[i]];
  }
  return widths;
}

int Table::Shortened(size_t column, int width) const {
  int widest = DisplayWidth(columns_[column].title);
  for (const auto& row : rows_) {
    if (column >= row.size()) continue;
    const Entry& entry = row[column];
    int needed = DisplayWidth(entry.shorten ? entry.shorten(width) : entry.text);
    widest = std::max(widest, needed);
  }
  return std::min(widest, width);
}

std::string Table::Render(int width) const {
  std::vector<int> widths = Widths(width);
  std::string out;
  auto line = [&](auto text_of) {
    std::string line;
    for (size_t c = 0; c < columns_.size(); ++c) {
      std::string text = text_of(c);
      std::string padding(std::max(0, widths[c] - DisplayWidth(text)), ' ');
      if (c > 0) line.append(kGap, ' ');
      line += columns_[c].kind == kRight ? padding + text : text + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  out += Bold(line([&](size_t c) { return columns_[c].title; })) + "\n";
  for (const auto& row : rows_) {
    out += line([&](size_t c) {
      if (c >= row.size()) return std::string();
      return row[c].shorten ? row[c].shorten(widths[c]) : row[c].text;
    });
    out += "\n";
  }
  return out;
}

}  // namespace assay::cli
