// Starting a Java program with more JVM flags, and what its run cost.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct Outcome {
  int status = 0;          // exit status, 128 + signal
  double cpu_seconds = 0;  // user and system time of the process and its children
  double wall_seconds = 0;
};

// Puts the flags behind "java"; for any other program (a script) into JAVA_TOOL_OPTIONS, which
// changes our own environment.
std::vector<std::string> WithJvmFlags(std::vector<std::string> command,
                                      const std::vector<std::string>& flags);

// Runs it to its end. With `silent` its standard streams are /dev/null. Throws CommandError when it
// cannot be started. The terminal's interrupt goes to the program; it decides, and we report.
Outcome RunProgram(const std::vector<std::string>& command, bool silent = false);

}  // namespace assay::cli
