// assay doctor: which mechanisms work on this JVM and machine, and why not.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "src/base/json.h"
#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/cli/hotspot_attach.h"
#include "src/cli/program.h"
#include "src/cli/program_words.h"
#include "src/cli/scratch_folder.h"

namespace assay::cli {
namespace {

struct DoctorOptions {
  pid_t pid = 0;
  bool json = false;
  std::vector<std::string> command;
};

struct Finding {
  std::string name;
  bool works;
  std::string why;
};

std::vector<Finding> Parse(const std::string& text) {
  std::vector<Finding> findings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find('\t');
    size_t second = line.find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    findings.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1) == "yes",
                        line.substr(second + 1)});
  }
  return findings;
}

std::string DefaultJava() {
  const char* home = getenv("JAVA_HOME");
  return home != nullptr ? std::string(home) + "/bin/java" : "java";
}

// Options of the launcher that are two words.
bool HasValue(const std::string& option) {
  for (const char* name : {"-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path",
                           "--add-modules", "--limit-modules", "--add-reads", "--add-exports", "--add-opens",
                           "--patch-module", "--enable-native-access", "--source", "-d", "--describe-module"}) {
    if (option == name) return true;
  }
  return false;
}

// The flags of the JVM that change the VM; behind the program's name come arguments of its own.
std::vector<std::string> VmFlags(const std::vector<std::string>& java) {
  std::vector<std::string> flags;
  for (size_t i = 1; i < java.size(); i++) {
    const std::string& word = java[i];
    if (word == "-jar" || word == "-m" || word == "--module") break;
    if (word.starts_with("-X")) flags.push_back(word);
    if (HasValue(word)) ++i;
    else if (!word.starts_with('-') && !word.starts_with('@')) break;
  }
  return flags;
}

// The program itself is not run: only its JVM, with the flags that change the VM (-X...), long enough
// to compile something. -Xcomp compiles what it runs at once.
std::vector<std::string> ProbeCommand(const std::vector<std::string>& given, const std::string& reply) {
  std::vector<std::string> command = {given.empty() ? DefaultJava() : given[0]};
  for (const std::string& flag : VmFlags(given)) command.push_back(flag);
  command.push_back("-agentpath:" + AgentPath() + "=command=doctor,reply=" + reply);
  bool interpreted = std::find(command.begin(), command.end(), "-Xint") != command.end();
  if (!interpreted) command.push_back("-Xcomp");
  command.push_back("-version");
  return command;
}

std::string RunProbe(const std::vector<std::string>& given) {
  if (!given.empty() && !IsJava(given)) {
    throw CommandError(given[0] + " is not java, and doctor runs no programs; write: assay doctor -- java, "
                                  "or assay doctor --pid PID");
  }
  const ScratchFolder folder("doctor");
  const std::string path = folder.File("reply");
  std::vector<std::string> command = ProbeCommand(given, path);
  pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
    if (freopen("/dev/null", "w", stderr) == nullptr) _exit(126);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string reply = text.str();
  if (reply.starts_with("ok ")) return reply.substr(3);
  if (reply.starts_with("error ")) throw CommandError(reply.substr(6), kRefused);
  throw CommandError("cannot examine " + command[0] + ": it did not run as a HotSpot JVM here (status " +
                         std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)) +
                         ")",
                     kRefused);
}

int Doctor(const DoctorOptions& options) {
  std::string text;
  if (options.pid != 0) {
    auto answer = CallAgent(options.pid, AgentPath(), "command=doctor");
    if (!answer.ok()) throw CommandError(answer.error().message, kRefused);
    text = *answer;
  } else {
    text = RunProbe(options.command);
  }
  std::vector<Finding> findings = Parse(text);
  if (options.json) {
    JsonWriter json(2);
    json.BeginObject().Key("mechanisms").BeginArray();
    for (const Finding& finding : findings) {
      json.BeginObject();
      json.Key("name").String(finding.name);
      json.Key("works").Bool(finding.works);
      json.Key("why").String(finding.why);
      json.EndObject();
    }
    json.EndArray().EndObject();
    printf("%s\n", json.Take().c_str());
    return kDone;
  }
  for (const Finding& finding : findings) {
    printf("%-14s %-4s %s\n", finding.name.c_str(), finding.works ? "yes" : "no", finding.why.c_str());
  }
  return kDone;
}

}  // namespace

void RegisterDoctor(Cli& cli) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = cli.app.add_subcommand(
      "doctor", "Say which mechanisms work on this JVM and machine, and why not");
  command->add_option("--pid", options->pid, "examine a running JVM instead");
  command->add_flag("--json", options->json, "for programs");
  AddProgram(cli, command, &options->command,
             "-- java ...: the JVM to examine, with its -X flags; the program is not run");
  command->callback([&cli, options] { cli.run = [options] { return Doctor(*options); }; });
}

}  // namespace assay::cli
