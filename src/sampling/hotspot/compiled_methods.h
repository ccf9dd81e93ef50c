// What the VM says about its compiled methods (JVMTI CompiledMethodLoad with its inline records, the
// public description of which bytecodes a program counter stands for), and the names of all methods
// that appear there. Names are asked for while the class is certainly alive, so they survive its unloading.
// Thread-safe; never called from a yieldpoint.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/profile/profile.h"
#include "src/sampling/shape_votes.h"

namespace assay::sampling {

struct MethodName {
  std::string class_name;
  std::string name;
  std::string descriptor;
  jmethodID id;
  std::string source_file = {};
  uint32_t code_bytes = 0;
  uint32_t shift = 0;  // bytes that rewriting put in front of the code; already taken off the others
  std::vector<profile::LineEntry> lines = {};
  std::vector<uint8_t> bytecodes = {};  // of its body, when they are kept
  std::set<int32_t> inlined = {};       // the calls in it that the JIT inlined somewhere
};

struct VirtualFrame {
  uint32_t method;  // index of a MethodName
  int32_t bci;      // -1 when not known
};

class CompiledMethods {
 public:
  explicit CompiledMethods(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  // From the next Restart on.
  void set_keep_bytecodes(bool keep) { keep_bytecodes_ = keep; }

  // By how much the code of a method was moved by rewriting: class and name as in MethodName.
  using Shift = std::function<uint32_t(const MethodName&)>;
  // Forgets everything; rewritten methods from now on when `shift` is given. A new session starts with
  // this and not with a new object: a callback of the last one may still be inside.
  void Restart(Shift shift = {});

  // `compilation`: its number, if known.
  void OnLoad(jmethodID method, const void* code, uint32_t size, const void* compile_info, int32_t compilation = 0);
  // Only what InlinedCallSites() is about.
  void CountInlined(const void* compile_info);
  void OnUnload(const void* code);
  void OnDynamicCode(const char* name, const void* code, uint32_t size);

  // The frames at `pc`, innermost first; empty when no such compiled code is known. `compilation`: only in the code of
  // that number; 0 = any. `exact`: the VM has debug information for this very pc; otherwise only the method is known.
  // `near`: the pc is that of an interrupted instruction, and the debug information next to come will do.
  std::vector<VirtualFrame> Lookup(uintptr_t pc, int32_t compilation, bool* exact, bool near = false) const;
  // Index of a method, asking the VM for its name; UINT32_MAX when it is gone.
  uint32_t Intern(jmethodID method);
  MethodName Name(uint32_t method) const;
  // The same on a thread that the VM does not know: the name is asked for by NameDeclared, on one
  // that it knows.
  uint32_t Declare(jmethodID method);
  void NameDeclared();
  uint32_t ShiftOf(uint32_t method) const;

  // Code ranges unloaded since the last call; lookups in them work until then.
  struct Range {
    uintptr_t begin, end;
  };
  std::vector<Range> Unloaded() const;
  void Forget(const std::vector<Range>& ranges);

  ShapeVotes votes() const;
  bool dissent() const;
  // Start addresses and names of VM stubs seen.
  std::string StubNameAt(uintptr_t address) const;
  Range interpreter() const;
  // Call sites that were inlined in some compiled method: their calls pass no yieldpoint.
  size_t InlinedCallSites() const;
  // Whether the VM has told CountInlined of any compiled method.
  bool told_of_inlining() const { return told_of_inlining_; }
  std::vector<Range> Sample(size_t count) const;  // some live compiled methods
  size_t size() const;

 private:
  struct Code {
    uintptr_t begin, end;
    uint32_t method;
    int32_t compilation;
    std::vector<uint32_t> offsets;  // of debug pcs, sorted
    std::vector<uint32_t> starts;   // into frames, one more than offsets
    std::vector<VirtualFrame> frames;
  };
  const Code* FindLocked(uintptr_t pc, int32_t compilation) const;
  uint32_t InternLocked(jmethodID method);
  bool AskName(jmethodID method, MethodName* info);

  jvmtiEnv* jvmti_;
  bool keep_bytecodes_ = false;
  mutable std::mutex mutex_;
  Shift shift_;
  std::map<uintptr_t, std::unique_ptr<Code>> code_;
  std::vector<std::unique_ptr<Code>> dying_;
  std::unordered_map<jmethodID, uint32_t> method_ids_;
  std::vector<MethodName> methods_;
  std::vector<uint32_t> unnamed_;
  std::set<std::pair<jmethodID, int32_t>> inlined_;
  std::atomic<bool> told_of_inlining_{false};
  std::map<uintptr_t, std::string> stubs_;
  Range interpreter_{0, 0};
  ShapeVotes votes_;
};

}  // namespace assay::sampling
