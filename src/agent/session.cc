#include "src/agent/session.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>

#include "src/agent/accuracy_goal.h"
#include "src/agent/log.h"
#include "src/agent/vm_info.h"
#include "src/profile/canonical.h"
#include "src/profile/writer.h"

namespace assay::agent {
namespace {

using Clock = std::chrono::steady_clock;

struct Session {
  Options options;
  std::unique_ptr<Collector> collector;
  std::unique_ptr<profile::ProfileWriter> writer;
  profile::Profile profile;
  Clock::time_point start;
  JavaVM* vm = nullptr;
  Clock::time_point limit_start;    // when `for` was asked for
  Clock::time_point segment_start;  // the same as `start` without segments
  uint64_t segments = 0;            // ended
  bool running = false;
};

// The VM goes down while other threads still run, so these are never destroyed.
struct Sessions {
  std::mutex mutex;
  std::condition_variable wake;
  std::unique_ptr<Session> current;
  uint64_t generation = 0;  // tells a flush thread that its session is over
};

Sessions& All() {
  static Sessions* sessions = new Sessions;
  return *sessions;
}

void Describe(Session& session, JavaVM* vm) {
  auto& metadata = session.profile.metadata;
  for (const OptionSpec& spec : AllOptions()) {
    std::string value = session.options.Text(spec.name);
    bool applies = spec.collectors.empty() ||
                   spec.collectors.find(session.options.Text("collect")) != std::string_view::npos;
    if (applies && !value.empty() && spec.name != "command" && spec.name != "reply" &&
        spec.name != "directives" && spec.name != "apply-report") {
      metadata[std::string(spec.name)] = value;
    }
  }
  DescribeVm(vm, &metadata);
}

void UpdateDuration(Session& session) {
  auto elapsed = std::chrono::duration<double>(Clock::now() - session.segment_start).count();
  session.profile.metadata["duration"] = std::to_string(elapsed) + "s";
}

std::string AccuracyVerdict(const Session& session) {
  if (!session.options.IsSet("until-accuracy")) return "";
  return VerdictOn(session.options.Percent("until-accuracy"), session.profile.metadata, Clock::now() - session.start);
}

// The end of the time that `for` gave.
Clock::time_point EndOf(const Session& session) {
  constexpr uint64_t kForEver = 1'000'000'000'000'000'000;  // more than that is beyond the clock
  const uint64_t limit = std::min(session.options.Nanoseconds("for"), kForEver);
  return limit == 0 ? Clock::time_point::max() : session.limit_start + std::chrono::nanoseconds(limit);
}

// What was seen since the last segment goes to a file of its own; memory and the file begin anew, also when there is no room for it.
Status EndSegment(Session& session) {
  uint64_t length = session.options.Nanoseconds("segment");
  bool due = Clock::now() - session.segment_start >= std::chrono::nanoseconds(length);
  if (length == 0 || !due || !session.collector->BeginSegment()) return {};
  const std::string output = session.options.Text("output");
  uint64_t number = ++session.segments;
  session.profile.metadata["segment"] = std::to_string(number);
  const Status written = profile::WriteProfile(session.profile, output + "." + std::to_string(number));
  uint64_t kept = session.options.Count("keep-segments");
  if (number > kept) unlink((output + "." + std::to_string(number - kept)).c_str());
  session.profile.Restart();
  session.segment_start = Clock::now();
  Describe(session, session.vm);
  return written;
}

// Waits until it is time to flush, or the session is over, attending to the collector meanwhile.
void WaitForFlush(Sessions& all, std::unique_lock<std::mutex>& lock, uint64_t generation) {
  Session& session = *all.current;
  const auto flush = std::chrono::nanoseconds(std::max<uint64_t>(session.options.Nanoseconds("flush"), 10'000'000));
  const auto until = std::min(Clock::now() + flush, EndOf(session));
  for (auto now = Clock::now(); now < until; now = Clock::now()) {
    const uint64_t often = session.collector->AttendEveryNs();
    const auto each = often == 0 ? flush : std::chrono::nanoseconds(often);
    auto woken = all.wake.wait_until(lock, std::min(until, now + each));
    const bool over = all.generation != generation || all.current == nullptr || !all.current->running;
    if (over || woken == std::cv_status::no_timeout) return;
    session.collector->Attend();
  }
}

Status FinishFile(Session& session) {
  if (!session.collector->IsDeterministic()) return session.writer->Finish(session.profile);
  profile::Profile last = profile::Canonical(session.profile);
  profile::RemoveCircumstances(last);
  return profile::WriteProfile(last, session.options.Text("output"));
}

void Forget(Sessions& all) {
  all.current.reset();
  ++all.generation;
  all.wake.notify_all();
}

// With the lock, of a session that runs.
Result<std::string> Stop(Sessions& all, bool at_vm_death) {
  Session& session = *all.current;
  session.running = false;
  session.collector->Stop(at_vm_death);
  session.collector->Snapshot(session.profile);
  UpdateDuration(session);
  Status status = FinishFile(session);
  std::string output = session.options.Text("output");
  Forget(all);
  // What a session held is free now, but spread over malloc's arenas: without this a JVM that is
  // attached to again and again stays larger than it needs to be.
  if (!at_vm_death) malloc_trim(0);
  if (!status.ok()) return Error{output + " is not finished: " + status.error().ToString()};
  return "wrote " + output;
}

// Nobody waits for the answer.
void StopUnasked(Sessions& all, bool at_vm_death) {
  if (all.current == nullptr || !all.current->running) return;
  auto stopped = Stop(all, at_vm_death);
  if (!stopped.ok()) Log(stopped.error().ToString());
}

// Runs on the agent's own Java thread until its session ends.
void JNICALL FlushLoop(jvmtiEnv* jvmti, JNIEnv* jni, void* argument) {
  Sessions& all = All();
  const uint64_t generation = reinterpret_cast<uint64_t>(argument);
  std::unique_lock lock(all.mutex);
  while (all.generation == generation && all.current != nullptr) {
    Session& session = *all.current;
    WaitForFlush(all, lock, generation);
    if (all.generation != generation || all.current == nullptr || !all.current->running) break;
    session.collector->Snapshot(session.profile);
    UpdateDuration(session);
    Status status = session.writer->Flush(session.profile);
    if (status.ok()) status = EndSegment(session);
    if (!status.ok()) {
      Log("cannot write the profile: " + status.error().ToString());
    }
    const std::string verdict = AccuracyVerdict(session);
    if (!verdict.empty()) Log(verdict + " after " + session.profile.metadata["duration"] + "; profiling ends, the program goes on");
    if (!verdict.empty() || Clock::now() >= EndOf(session)) return StopUnasked(all, false);
  }
}

Status StartFlushThread(JavaVM* vm, JNIEnv* jni, uint64_t generation) {
  jvmtiEnv* jvmti = PlainEnvironment(vm);
  if (jvmti == nullptr) return Error{"this JVM has no JVMTI"};
  jobject thread = NewSystemThread(jvmti, jni, "Assay");
  if (thread == nullptr ||
      jvmti->RunAgentThread(thread, FlushLoop, reinterpret_cast<void*>(generation),
                            JVMTI_THREAD_NORM_PRIORITY) != JVMTI_ERROR_NONE) {
    return Error{"cannot start the agent's thread"};
  }
  return {};
}

// `%p` in the file's name is the process id: several JVMs may be started with the same options.
Status NameOutput(Session& session) {
  std::string output = session.options.Text("output");
  for (size_t at = output.find("%p"); at != std::string::npos; at = output.find("%p", at)) output.replace(at, 2, std::to_string(getpid()));
  return session.options.Set("output", output);
}

// The file that was there before stays if the collector refuses.
Status Begin(Sessions& all, JavaVM* vm, JNIEnv* jni, Phase phase) {
  Session& session = *all.current;
  ASSAY_TRY(NameOutput(session));
  Describe(session, vm);
  auto writer = profile::ProfileWriter::Create(session.options.Text("output"));
  if (!writer.ok()) return writer.error();
  session.writer = std::move(*writer);
  session.start = session.segment_start = session.limit_start = Clock::now();
  session.vm = vm;
  // The thread is created first, so that its creation is not part of the profile.
  ASSAY_TRY(StartFlushThread(vm, jni, all.generation));
  ASSAY_TRY(session.collector->Start(vm, jni, session.options, phase));
  Status published = session.writer->Publish();
  if (!published.ok()) session.collector->Stop(false);
  session.running = published.ok();
  return published;
}

// What a running session cannot become.
Status CheckChange(const Session& session, const Options& options) {
  if (options.IsSet("collect") && options.Text("collect") != session.options.Text("collect")) {
    return Error{"this JVM is already being profiled with collect=" + session.options.Text("collect") + "; detach first"};
  }
  if (options.IsSet("output") && options.Text("output") != session.options.Text("output")) {
    return Error{"this JVM is already being profiled into " + session.options.Text("output") + "; detach first, or leave the output as it is"};
  }
  return {};
}

}  // namespace

Status PrepareSession(JavaVM* vm, const Options& options) {
  Sessions& all = All();
  std::lock_guard lock(all.mutex);
  auto session = std::make_unique<Session>();
  session->options = options;
  auto collector = MakeCollector(options.Text("collect"));
  if (!collector.ok()) return collector.error();
  session->collector = std::move(*collector);
  ASSAY_TRY(session->collector->Prepare(vm, options));
  all.current = std::move(session);
  return {};
}

Status StartPreparedSession(JavaVM* vm, JNIEnv* jni) {
  Sessions& all = All();
  std::lock_guard lock(all.mutex);
  if (all.current == nullptr) return {};
  Status status = Begin(all, vm, jni, Phase::kVmInit);
  if (!status.ok()) Forget(all);
  return status;
}

Result<std::string> StartOrChangeSession(JavaVM* vm, JNIEnv* jni, const Options& options) {
  Sessions& all = All();
  std::lock_guard lock(all.mutex);
  if (all.current != nullptr) {
    Session& session = *all.current;
    ASSAY_TRY(CheckChange(session, options));
    ASSAY_TRY(session.collector->Reconfigure(options));
    session.options.Update(options);
    if (options.IsSet("for")) session.limit_start = Clock::now();
    Describe(session, vm);
    all.wake.notify_all();
    return "changed: " + options.Without("reply").ToString();
  }
  all.current = std::make_unique<Session>();
  all.current->options = options;
  auto collector = MakeCollector(options.Text("collect"));
  if (!collector.ok()) {
    Forget(all);
    return collector.error();
  }
  all.current->collector = std::move(*collector);
  if (Status status = Begin(all, vm, jni, Phase::kAttach); !status.ok()) {
    Forget(all);
    return status.error();
  }
  return "started: writing " + all.current->options.Text("output");
}

Result<std::string> StopSession() {
  Sessions& all = All();
  std::lock_guard lock(all.mutex);
  if (all.current == nullptr || !all.current->running) return Error{"nothing is being profiled"};
  return Stop(all, false);
}

void EndSession() {
  Sessions& all = All();
  std::lock_guard lock(all.mutex);
  StopUnasked(all, true);
}

std::string SessionStatus() {
  Sessions& all = All();
  std::lock_guard lock(all.mutex);
  if (all.current == nullptr) return "idle";
  return "running: " + all.current->options.ToString();
}

}  // namespace assay::agent
