// Starting a Java program with more JVM flags, and what its run cost.
#pragma once

#include <functional>
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
// cannot be started; `started` is called when it was. Signals go to the program (signal_relay.h); it
// decides, and we report.
Outcome RunProgram(std::vector<std::string> command, const std::vector<std::string>& jvm_flags,
                   bool silent = false, const std::function<void()>& started = {});

// A flag as a word of JAVA_TOOL_OPTIONS, where blanks separate flags and quotes hold one together.
std::string ToolOption(const std::string& flag);
// A flag as a line of a file for java @FILE, where a backslash in quotes protects as well.
std::string ArgumentFileLine(const std::string& flag);

}  // namespace assay::cli
