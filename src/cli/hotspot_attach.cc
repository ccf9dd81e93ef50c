// HotSpot listens on /tmp/.java_pid<pid>, seen from inside its own mount and pid namespaces, once
// somebody created .attach_pid<pid> in its working directory (or /tmp) and sent SIGQUIT
// (src/hotspot/os/posix/attachListener_posix.cpp). A request is the protocol version, a command and
// three arguments, each ended by a zero byte; the answer is a status line and text.
#include "src/cli/hotspot_attach.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace assay::cli {
namespace {

struct Target {
  pid_t pid;
  pid_t inner_pid;   // in its own pid namespace
  std::string root;  // its root folder as we see it
};

// By a signal (SIGSTOP, Ctrl-Z): it can answer nothing until it is continued.
bool IsStopped(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find("(stopped)") != std::string::npos;
  }
  return false;
}

Error Stopped(pid_t pid) {
  const std::string number = std::to_string(pid);
  return Error{"process " + number + " is stopped and cannot answer; continue it with: kill -CONT " + number};
}

Result<Target> FindTarget(pid_t pid) {
  std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream status(folder + "/status");
  if (!status) return Error{"there is no process " + std::to_string(pid)};
  Target target{pid, pid, folder + "/root"};
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(6));
    for (pid_t number; numbers >> number;) target.inner_pid = number;
  }
  std::ifstream maps(folder + "/maps");
  if (!maps) {
    return Error{"process " + std::to_string(pid) +
                 " belongs to someone else; use its user or root"};
  }
  std::string text((std::istreambuf_iterator<char>(maps)), {});
  if (text.find("libjvm.so") == std::string::npos) {
    return Error{"process " + std::to_string(pid) + " is not a HotSpot JVM (it has no libjvm.so)"};
  }
  if (IsStopped(pid)) return Stopped(pid);
  return target;
}

// A JVM that has just started, or has -Xrs, would be killed by the signal.
bool CatchesQuit(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return std::strtoull(line.c_str() + 7, nullptr, 16) >> (SIGQUIT - 1) & 1;
  }
  return false;
}

int TryConnect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

// The file that tells the JVM what the signal means, for as long as this lives. Its folder is held open: when the process
// ends, so does its entry in /proc, and the file would stay.
class Wish {
 public:
  explicit Wish(const Target& target) : name_(".attach_pid" + std::to_string(target.inner_pid)) {
    if (!Make("/proc/" + std::to_string(target.pid) + "/cwd")) Make(target.root + "/tmp");
  }
  Wish(const Wish&) = delete;
  ~Wish() {
    if (folder_ < 0) return;
    unlinkat(folder_, name_.c_str(), 0);
    close(folder_);
  }
  bool ok() const { return folder_ >= 0; }

 private:
  bool Make(const std::string& path) {
    int folder = open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    int file = openat(folder, name_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0660);
    if (file < 0) {
      close(folder);
      return false;
    }
    close(file);
    folder_ = folder;
    return true;
  }
  const std::string name_;
  int folder_ = -1;
};

Result<int> Connect(const Target& target) {
  std::string inner = std::to_string(target.inner_pid);
  std::string socket_path = target.root + "/tmp/.java_pid" + inner;
  auto await = [&](auto&& go_on) {
    int fd = TryConnect(socket_path);
    for (int wait_ms = 5, spent = 0; fd < 0 && spent < 10'000 && go_on(); spent += wait_ms) {
      usleep(wait_ms * 1000);
      fd = TryConnect(socket_path);
      wait_ms = std::min(wait_ms * 2, 200);
    }
    return fd;
  };
  if (int fd = await([&] { return kill(target.pid, 0) == 0 && !CatchesQuit(target.pid); }); fd >= 0) return fd;
  if (!CatchesQuit(target.pid)) {
    return Error{"process " + std::to_string(target.pid) + " is not ready for requests: it has ended, has hardly begun, or handles no signals (-Xrs)"};
  }
  Wish wish(target);
  if (!wish.ok()) return Error{"cannot ask the JVM to listen: no file can be made in its folder or /tmp: " + std::string(std::strerror(errno))};
  kill(target.pid, SIGQUIT);
  int fd = await([&] { return kill(target.pid, 0) == 0; });
  if (fd < 0) {
    return Error{
        "the JVM does not answer attach requests (ended, stopped, started with "
        "-XX:+DisableAttachMechanism, or owned by another user)"};
  }
  return fd;
}

// A folder that only we and the JVM's user can enter, for the agent's answer.
class ReplyFolder {
 public:
  explicit ReplyFolder(const Target& target) : root_(target.root) {
    std::string pattern = root_ + "/tmp/assay-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) return;
    outer_ = pattern;
    struct stat owner;
    if (stat(("/proc/" + std::to_string(target.pid)).c_str(), &owner) == 0) {
      int ignored = chown(outer_.c_str(), owner.st_uid, owner.st_gid);
      static_cast<void>(ignored);
    }
  }
  ~ReplyFolder() {
    std::error_code ignored;
    if (!outer_.empty()) std::filesystem::remove_all(outer_, ignored);
  }
  std::string InnerPath() const { return outer_.substr(root_.size()) + "/reply"; }
  std::string Read() const {
    std::ifstream file(outer_ + "/reply");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool ok() const { return !outer_.empty(); }

 private:
  std::string root_;
  std::string outer_;
};

// A JVM may be long at rewriting its classes, or in a safepoint; it is given up when it says nothing
// for this long.
constexpr int kMostSilentSeconds = 120;
// A stopped process may be continued right away.
constexpr int kMostStoppedSeconds = 5;

// Waits for something to read.
Status AwaitAnswer(pid_t pid, int fd) {
  int stopped = 0;
  for (int silent = 0; silent < kMostSilentSeconds; ++silent) {
    pollfd wanted = {fd, POLLIN, 0};
    if (poll(&wanted, 1, 1000) > 0) return {};
    stopped = IsStopped(pid) ? stopped + 1 : 0;
    if (stopped >= kMostStoppedSeconds) return Stopped(pid);
  }
  return Error{"process " + std::to_string(pid) + " did not answer for " + std::to_string(kMostSilentSeconds) +
               " s; it may yet do what was asked when it is less busy: see with assay detach " + std::to_string(pid)};
}

Result<std::string> Exchange(pid_t pid, int fd, const std::string& request) {
  std::string answer;
  size_t sent = 0;
  while (sent < request.size()) {
    ssize_t count = send(fd, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  char buffer[4096];
  for (;;) {
    ASSAY_TRY(AwaitAnswer(pid, fd));
    ssize_t count = read(fd, buffer, sizeof buffer);
    if (count <= 0) return answer;
    answer.append(buffer, static_cast<size_t>(count));
  }
}

// Words of the protocol, each ended by a zero byte, and what the JVM answers.
Result<std::string> Ask(const Target& target, const std::vector<std::string>& words) {
  ASSAY_ASSIGN(int fd, Connect(target));
  std::string request;
  for (const std::string& word : words) {
    request += word;
    request += '\0';
  }
  Result<std::string> answer = Exchange(target.pid, fd, request);
  close(fd);
  return answer;
}

// What stands behind the line with the status.
std::string TextOf(const std::string& answer) {
  size_t line = answer.find('\n');
  std::string text = line == std::string::npos ? "" : answer.substr(line + 1);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Result<std::string> CallAgent(pid_t pid, const std::string& agent_path,
                              const std::string& options) {
  ASSAY_ASSIGN(Target target, FindTarget(pid));
  ReplyFolder reply(target);
  if (!reply.ok()) return Error{"cannot make a folder for the answer in the JVM's /tmp"};
  std::string all = options + (options.empty() ? "" : ",") + "reply=" + reply.InnerPath();
  ASSAY_ASSIGN(std::string answer, Ask(target, {"1", "load", agent_path, "true", all}));
  std::string text = reply.Read();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.starts_with("ok ")) return text.substr(3);
  if (text.starts_with("error ")) return Error{text.substr(6)};
  if (!answer.starts_with("0")) {
    return Error{"the JVM could not load " + agent_path + ": " +
                 (answer.empty() ? "it closed the connection" : answer)};
  }
  // A JVM that lets nobody load agents says so here, with a status of success.
  const std::string said = TextOf(answer);
  return Error{"the agent gave no answer" + (said.empty() ? "" : "; the JVM says: " + said)};
}

Result<std::string> RunDiagnosticCommand(pid_t pid, const std::string& command) {
  ASSAY_ASSIGN(Target target, FindTarget(pid));
  ASSAY_ASSIGN(std::string answer, Ask(target, {"1", "jcmd", command, "", ""}));
  std::string text = TextOf(answer);
  if (answer.starts_with("0\n")) return text;
  return Error{"the JVM refused '" + command + "': " + (text.empty() ? "no answer" : text)};
}

}  // namespace assay::cli
