// The numbers that options take, checked before CLI11 converts them: it takes -1 for the largest
// number there is, and nan for one that is not negative. To be given to CLI::Option::transform().
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace assay::cli {

// "20", and "10k", "1.5M" or "2G" as in the agent's options.
CLI::Validator WholeNumber(uint64_t least = 0, uint64_t most = 1'000'000'000);
// "5", "2.5" or "5%", as the number of percent.
CLI::Validator Percentage();

}  // namespace assay::cli
