#include "src/cli/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "src/cli/commands.h"
#include "src/cli/signal_relay.h"

namespace assay::cli {
namespace {

// JAVA_TOOL_OPTIONS with these flags behind those that are there already.
std::string ToolOptions(const std::vector<std::string>& flags) {
  const char* before = getenv("JAVA_TOOL_OPTIONS");
  std::string joined = before == nullptr ? "" : before;
  for (const std::string& flag : flags) joined += (joined.empty() ? "" : " ") + ToolOption(flag);
  return joined;
}

[[noreturn]] void BecomeProgram(const std::vector<std::string>& command,
                                const std::string& tool_options, bool silent, int failure) {
  if (!tool_options.empty()) setenv("JAVA_TOOL_OPTIONS", tool_options.c_str(), 1);
  if (silent) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  int code = errno;
  ssize_t ignored = write(failure, &code, sizeof code);
  static_cast<void>(ignored);
  _exit(127);
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

constexpr char kBlanks[] = " \t\n\v\f\r";

}  // namespace

std::string ToolOption(const std::string& flag) {
  std::string word;
  for (char c : flag) {
    bool special = c == '\'' || std::strchr(kBlanks, c) != nullptr;
    if (c == '"') {
      word += "'\"'";
    } else if (special) {
      (word += '"') += c;
      word += '"';
    } else {
      word += c;
    }
  }
  return word;
}

std::string ArgumentFileLine(const std::string& flag) {
  if (flag.find_first_of(std::string(kBlanks) + "'\"\\#") == std::string::npos) return flag + "\n";
  std::string line = "\"";
  for (char c : flag) {
    if (c == '"' || c == '\\') line += '\\';
    line += c;
  }
  return line + "\"\n";
}

bool IsJava(const std::vector<std::string>& command) {
  return std::filesystem::path(command[0]).filename() == "java";
}

Outcome RunProgram(std::vector<std::string> command, const std::vector<std::string>& jvm_flags,
                   bool silent, const std::function<void()>& started) {
  std::string tool_options;
  if (IsJava(command)) {
    command.insert(command.begin() + 1, jvm_flags.begin(), jvm_flags.end());
  } else if (!jvm_flags.empty()) {
    tool_options = ToolOptions(jvm_flags);
  }
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) throw CommandError(std::strerror(errno), kRefused);
  SignalRelay relay;
  auto start = std::chrono::steady_clock::now();
  pid_t child = relay.Fork();
  int code = errno;
  if (child == 0) BecomeProgram(command, tool_options, silent, failure[1]);
  close(failure[1]);
  bool failed = child < 0 || read(failure[0], &code, sizeof code) == sizeof code;
  close(failure[0]);
  if (!failed && started) started();
  int status = 0;
  rusage usage = {};
  if (child > 0) {
    relay.AwaitEnd();
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
  }
  if (failed) throw CommandError("cannot run " + command[0] + ": " + std::strerror(code));
  Outcome outcome;
  outcome.pid = child;
  outcome.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace assay::cli
