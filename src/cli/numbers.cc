#include "src/cli/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

#include "src/agent/options.h"
#include "src/cli/terminal.h"

namespace assay::cli {

CLI::Validator WholeNumber(uint64_t least, uint64_t most) {
  return {[least, most](std::string& text) -> std::string {
            Result<uint64_t> value = agent::ParseCount(text);
            if (!value.ok() || *value < least || *value > most) {
              return fmt::format("{} is not a whole number between {} and {}", Printable(text),
                                 least, most);
            }
            text = std::to_string(*value);
            return {};
          },
          ""};
}

CLI::Validator Percentage() {
  return {[](std::string& text) -> std::string {
            std::string number = text;
            if (number.ends_with('%')) number.pop_back();
            double value = -1;
            const char* last = number.data() + number.size();
            const auto [end, error] = std::from_chars(number.data(), last, value);
            if (error != std::errc() || end != last || !std::isfinite(value) || value < 0) {
              return Printable(text) + " is not a percentage such as 5 or 2.5%";
            }
            text = number;
            return {};
          },
          ""};
}

}  // namespace assay::cli
