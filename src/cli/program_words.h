// The words of a command line before CLI11 sees them. What follows `--`, or the first word that is
// no option, is the program of a command that runs one: it is taken out here, because CLI11 takes
// words like "[1,2]" apart and knows nothing of where a program's own options begin.
#pragma once

#include <string>
#include <vector>

#include "src/cli/commands.h"

namespace assay::cli {

// Declares that the rest of `command` is a program, whose words go to `words`. With `or_pid` a
// number as the first word is left to CLI11, and options may follow it.
void AddProgram(Cli& cli, CLI::App* command, std::vector<std::string>* words,
                const std::string& help, bool or_pid = false);

// Takes the program out of `arguments` (without the name of ours). Throws CommandError for a
// command that does not exist and for an option whose value is empty.
void PrepareWords(Cli& cli, std::vector<std::string>* arguments);

}  // namespace assay::cli
