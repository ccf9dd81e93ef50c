// The commands of `assay`. Each cmd_<name>.cc declares its options in one registration function and
// sets Cli::run when it is the one the user chose; main.cc runs it and turns what it throws into a
// message and an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::cli {

enum ExitStatus {
  kDone = 0,
  kCheckFailed = 1,  // diff over its limit, tune found no gain
  kUsage = 2,        // wrong arguments, or input that cannot be read
  kRefused = 3,      // unsafe or unsupported here
};

// Ends the command with a message on stderr ("assay: ...") and a status.
class CommandError : public std::runtime_error {
 public:
  explicit CommandError(const std::string& message, int status = kUsage)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Where the words of a command's program go (program_words.h).
struct Program {
  std::vector<std::string>* words = nullptr;
  bool or_pid = false;
};

struct Cli {
  CLI::App app;
  std::map<const CLI::App*, Program> programs;
  std::function<int()> run;  // of the chosen command; returns the exit status
};

void RegisterRun(Cli& cli);
void RegisterAttach(Cli& cli);
void RegisterDetach(Cli& cli);
void RegisterLive(Cli& cli);
void RegisterShow(Cli& cli);
void RegisterCompare(Cli& cli);
void RegisterDiff(Cli& cli);
void RegisterMerge(Cli& cli);
void RegisterInfer(Cli& cli);
void RegisterReport(Cli& cli);
void RegisterExport(Cli& cli);
void RegisterRewrite(Cli& cli);
void RegisterCalibrate(Cli& cli);
void RegisterPlan(Cli& cli);
void RegisterTune(Cli& cli);
void RegisterDoctor(Cli& cli);
void RegisterDump(Cli& cli);
void RegisterCompletion(Cli& cli);
void RegisterManual(Cli& cli);

// In the order in which --help lists them.
// clang-format off
inline constexpr void (*kCommands[])(Cli&) = {
    RegisterRun,
    RegisterAttach,
    RegisterDetach,
    RegisterLive,
    RegisterShow,
    RegisterCompare,
    RegisterDiff,
    RegisterMerge,
    RegisterInfer,
    RegisterReport,
    RegisterExport,
    RegisterRewrite,
    RegisterCalibrate,
    RegisterPlan,
    RegisterTune,
    RegisterDoctor,
    RegisterDump,
    RegisterCompletion,
    RegisterManual,
};
// clang-format on

// Builds everything and runs; what main() does.
int Main(int argc, char** argv);

}  // namespace assay::cli
