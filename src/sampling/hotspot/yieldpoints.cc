#include "src/sampling/hotspot/yieldpoints.h"

#include "src/sampling/code_shapes.h"
#include "src/sampling/guard_word.h"

namespace assay::sampling {
namespace {

// One patch per stub for the life of the process: after detach and attach the same thunk is used.
StubPatch& EntryPatch() {
  static constinit StubPatch patch;
  return patch;
}
StubPatch& ReturnPatch() {
  static constinit StubPatch patch;
  return patch;
}

std::string Hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "0x%lx", static_cast<unsigned long>(value));
  return text;
}

// The code heap must give the same answers as JVMTI for methods that both know.
Status CheckCodeHeap(const CompiledMethods& methods) {
  auto ranges = methods.Sample(200);
  size_t agreed = 0;
  for (const auto& range : ranges) {
    agreed += Hooks().code.Agrees(range.begin, static_cast<uint32_t>(range.end - range.begin));
  }
  // A method can be unloaded between the event and this check, but not many.
  if (agreed * 10 < ranges.size() * 9) {
    return Error{"the VM's code heap is not laid out as described (" + std::to_string(agreed) + " of " +
                 std::to_string(ranges.size()) + " methods found)"};
  }
  return {};
}

class EntryYieldpoint final : public Yieldpoint {
 public:
  EntryYieldpoint(EntryLayout layout, std::string stub) : layout_(layout), stub_(std::move(stub)) {}
  const char* name() const override { return "entry"; }

  Status Install() override {
    Hooks().UseEntries(layout_.displacement, EntryPatch().resume());
    EntryPatch().Install();  // one instruction for one instruction: threads may run
    if (!EntryPatch().installed()) return Error{"the entry stub changed under us"};
    return {};
  }
  bool Remove(bool) override {
    EntryPatch().Remove();
    return EntryPatch().IsPristine();
  }
  bool Arm(uintptr_t thread) override { return EntryGuard::Arm(Hooks().EntryWord(thread)); }
  void Disarm(uintptr_t thread) override { EntryGuard::Disarm(Hooks().EntryWord(thread)); }
  bool IsArmed(uintptr_t thread) const override {
    return EntryGuard::IsMarked(Hooks().EntryWord(thread).load(std::memory_order_relaxed));
  }
  std::string Describe() const override {
    return "guard at thread+" + std::to_string(layout_.displacement) + ", stub " + stub_ + " at " +
           Hex(layout_.stub);
  }

 private:
  EntryLayout layout_;
  std::string stub_;
};

class ReturnYieldpoint final : public Yieldpoint {
 public:
  ReturnYieldpoint(ReturnLayout layout, std::string stub, const YieldpointSources& sources)
      : layout_(layout), stub_(std::move(stub)), sources_(sources) {}
  const char* name() const override { return "return"; }
  double HookCycles() const override { return 28; }
  bool VmTakesMarks() const override { return true; }

  Status Install() override {
    Hooks().UseReturns(layout_.word_displacement, layout_.saved_displacement, ReturnPatch().resume());
    // Three instructions for one: no thread may stand between them.
    auto install = [](void*) { ReturnPatch().Install(); };
    if (!sources_.run_at_safepoint(sources_.runner, install, nullptr)) {
      return Error{"no safepoint to change the return handler in"};
    }
    if (!ReturnPatch().installed()) return Error{"the return handler changed under us"};
    return {};
  }
  bool Remove(bool) override {
    ReturnPatch().Remove();
    return ReturnPatch().IsPristine();
  }
  bool Arm(uintptr_t thread) override { return ReturnGuard::Arm(Hooks().PollWord(thread)); }
  void Disarm(uintptr_t thread) override { ReturnGuard::Disarm(Hooks().PollWord(thread)); }
  bool IsArmed(uintptr_t thread) const override {
    return ReturnGuard::IsMarked(Hooks().PollWord(thread).load(std::memory_order_relaxed));
  }
  std::string Describe() const override {
    return "poll word at thread+" + std::to_string(layout_.word_displacement) + ", saved pc at thread+" +
           std::to_string(layout_.saved_displacement) + ", handler " + stub_ + " at " +
           Hex(layout_.handler);
  }

 private:
  ReturnLayout layout_;
  std::string stub_;
  YieldpointSources sources_;
};

}  // namespace

Result<std::unique_ptr<Yieldpoint>> MakeEntryYieldpoint(const YieldpointSources& sources,
                                                        bool* undecided) {
  ASSAY_ASSIGN(EntryLayout layout, sources.methods->votes().Entry(undecided));
  ASSAY_TRY(CheckCodeHeap(*sources.methods));
  std::string name = sources.methods->StubNameAt(layout.stub);
  if (name.find("barrier") == std::string::npos) {
    return Error{"the entry checks call " + Hex(layout.stub) + ", which the VM calls '" + name +
                 "', not an entry barrier"};
  }
  ASSAY_TRY(EntryPatch().Prepare(reinterpret_cast<uint8_t*>(layout.stub), kEntryStubShape,
                                 reinterpret_cast<void*>(&assay_entry_trampoline)));
  return std::unique_ptr<Yieldpoint>(new EntryYieldpoint(layout, name));
}

Result<std::unique_ptr<Yieldpoint>> MakeReturnYieldpoint(const YieldpointSources& sources,
                                                         bool* undecided) {
  ASSAY_ASSIGN(ReturnLayout layout, sources.methods->votes().Return(undecided));
  ASSAY_ASSIGN(uint64_t saved, sources.structs->Offset("JavaThread::_saved_exception_pc"));
  if (saved != static_cast<uint64_t>(layout.saved_displacement)) {
    return Error{"the VM describes its saved pc at thread+" + std::to_string(saved) +
                 ", compiled code writes thread+" + std::to_string(layout.saved_displacement)};
  }
  std::string name = sources.methods->StubNameAt(layout.handler);
  if (name.empty()) {
    return Error{"the return polls jump to " + Hex(layout.handler) + ", which is no known stub"};
  }
  ASSAY_TRY(ReturnPatch().Prepare(reinterpret_cast<uint8_t*>(layout.handler), kReturnHandlerShape,
                                  reinterpret_cast<void*>(&assay_return_trampoline)));
  return std::unique_ptr<Yieldpoint>(new ReturnYieldpoint(layout, name, sources));
}

}  // namespace assay::sampling
