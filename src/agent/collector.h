// A collector is one way to make a profile inside the JVM. Each owns its JVMTI environment (so
// collectors never share callbacks), starts and stops completely, and hands over what it has when
// asked. A collector that cannot prove itself safe here returns an Error from Start and leaves
// nothing behind; the host JVM never notices.
#pragma once

#include <jvmti.h>

#include <memory>
#include <string>

#include "src/agent/options.h"
#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::agent {

// Where Start is called from.
enum class Phase { kVmInit, kAttach };

class Collector {
 public:
  virtual ~Collector() = default;

  // In Agent_OnLoad, before the VM runs: take the capabilities and events that have to be taken
  // early. Called only with -agentpath.
  virtual Status Prepare(JavaVM* vm, const Options& options) { return {}; }
  // At VMInit (after Prepare) or in Agent_OnAttach: begin. Runs on a Java thread in native code.
  virtual Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase phase) = 0;
  // Changes what can be changed while running; an Error for what cannot, with nothing changed.
  virtual Status Reconfigure(const Options& changed) {
    return Error{"these options cannot be changed while running"};
  }
  // Brings `profile` up to date with everything seen so far. It is the same object each time:
  // counts are set, not added. Called about once a second on the agent's own thread, and once after
  // Stop.
  virtual void Snapshot(profile::Profile& profile) = 0;
  // What cannot wait for the next Snapshot: called this often on the same thread; 0 = never.
  virtual uint64_t AttendEveryNs() const { return 0; }
  virtual void Attend() {}
  // Forgets what was seen so far, so that the next Snapshot, into another profile, begins at zero.
  // False: this collector has no segments.
  virtual bool BeginSegment() { return false; }
  // Whether equal runs are to give equal files: the session then leaves out when, where and by
  // which JVM the profile was made, and puts everything in canonical order at the end.
  virtual bool IsDeterministic() const { return false; }
  // Ends collecting and undoes every change to the VM. `at_vm_death`: the VM is going down.
  virtual void Stop(bool at_vm_death) = 0;
};

// One line per collector in registry.cc; the Error says what is not available.
Result<std::unique_ptr<Collector>> MakeCollector(const std::string& name);

}  // namespace assay::agent
