// Starting a Java program with more JVM flags, and what its run cost.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct Outcome {
  int status = 0;          // exit status, 128 + signal
  int pid = 0;             // that it had
  double cpu_seconds = 0;  // user and system time of the process and its children
  double wall_seconds = 0;
};

bool IsJava(const std::vector<std::string>& command);

// Runs it to its end with more JVM flags: behind "java", or in JAVA_TOOL_OPTIONS for any other
// program (a script). With `silent` its standard streams are /dev/null. Throws CommandError when it
// cannot be started. The terminal's interrupt goes to the program; it decides, and we report.
Outcome RunProgram(std::vector<std::string> command, const std::vector<std::string>& jvm_flags,
                   bool silent = false);

}  // namespace assay::cli
