#include "src/sampling/hotspot/context_recorder.h"

#include <ucontext.h>
#include <x86intrin.h>

#include <cstring>
#include <new>

#include "src/sampling/watermark.h"

namespace assay::sampling {
namespace {

// Stubs and native stretches passed in one walk; more is a loop.
constexpr uint32_t kMostPassed = 10000;
// Frames below the one met that are checked to hold what they held: a belt to the watermark's
// braces.
constexpr uint32_t kChecked = 8;

void Count(std::atomic<uint64_t>& counter, uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace

void ContextRecorder::ResetCounters() { new (&counters) Counters(); }

uint64_t ContextRecorder::Clock() const {
  return ClockNs(wall.load(std::memory_order_relaxed) ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
}

bool ContextRecorder::StillThere(const VisitedStack& visited, uint32_t depth) const {
  for (uint32_t i = 2; i <= kChecked && i <= depth; i++) {
    const StackFrame& frame = visited.frame(depth - i);
    if (*reinterpret_cast<volatile uintptr_t*>(frame.return_slot) != frame.return_pc) return false;
  }
  return true;
}

// From walk->cursor, with walk->count frames found already.
bool ContextRecorder::WalkOn(uintptr_t thread, ContextTrail& trail, bool trusted, Walk* walk) {
  uintptr_t base = walker.StackBase(thread);
  uint32_t most = max_frames.load(std::memory_order_relaxed);
  uintptr_t entry = continuation_entry.load(std::memory_order_relaxed);
  walk->known = trusted ? trail.visited.Guarded() : 0;
  if (walk->count > 0) walk->met = trail.visited.Meets(trail.walk[0], &walk->known);
  for (uint32_t passed = 0; !walk->met;) {
    if (walk->count >= most) {
      walk->detached = true;
      Count(counters.detached_depth);
      break;
    }
    StackFrame& frame = trail.walk[walk->count];
    FrameWalker::Step step = walker.Next(&walk->cursor, base, &frame);
    if (step == FrameWalker::kEnd) break;
    if (step == FrameWalker::kBroken) return false;
    if (step == FrameWalker::kOutside) {
      walk->detached = walk->in_continuation = true;
      Count(counters.detached_outside);
      break;
    }
    if (step == FrameWalker::kPassed) {
      if (++passed > kMostPassed) return false;
      continue;
    }
    walk->count++;
    if (entry != 0 && walker.MethodOf(frame) == entry) walk->in_continuation = true;
    if (trail.visited.Meets(frame, &walk->known)) {
      walk->met = StillThere(trail.visited, walk->known);
      if (!walk->met) walk->known = 0;
    }
  }
  return walk->count > 0;
}

uint32_t ContextRecorder::AskOracle(ThreadSlot& slot, ContextTrail& trail, void* context) {
  HookContext& hooks = Hooks();
  if (hooks.walker == nullptr || slot.env == nullptr) return 0;
  AsgctTrace trace{slot.env, 0, trail.oracle};
  uint64_t began = __rdtsc();
  hooks.walker(&trace, ContextTrail::kFrames, context);
  Count(counters.oracle_walks);
  uint64_t cycles = __rdtsc() - began;
  Count(counters.oracle_cycles, cycles);
  counters.oracle_by_cycles.Add(cycles);
  return trace.count > 0 ? static_cast<uint32_t>(trace.count) : 0;
}

bool ContextRecorder::Record(ThreadSlot& slot, ContextTrail& trail, bool trusted, Walk& walk,
                             uint16_t flags, void* context, bool context_is_caller) {
  VisitedStack& visited = trail.visited;
  uint32_t frames = walk.count;
  if (walk.detached) {
    visited.Clear();
  } else {
    visited.KeepCommon(trail.walk, walk.count, walk.met ? walk.known : 0);
  }
  bool old = visited.depth() > 0;
  if (old) frames -= visited.depth() - (walk.met ? walk.known : 1);
  uint32_t oracle = context != nullptr && verify.load(std::memory_order_relaxed)
                        ? AskOracle(slot, trail, context)
                        : 0;
  if (!trail.ring.HasRoom(2 + frames + oracle)) {
    Count(counters.no_room);
    return false;
  }
  if (old) visited.Pop();  // given again, with where it stands now
  if (!visited.HasRoom(frames)) {
    visited.Clear();
    old = false;
    walk.detached = true;
  }
  SampleHeader header;
  header.frames = frames;
  header.kept = visited.depth();
  header.oracle = oracle;
  header.flags = flags | (old ? SampleHeader::kOldestIsOld : 0) |
                 (walk.detached ? SampleHeader::kDetached : 0) |
                 (walk.met ? SampleHeader::kTrusted : 0) |
                 (oracle > 0 ? SampleHeader::kOracle : 0) |
                 (context_is_caller ? SampleHeader::kOracleIsCaller : 0);
  header.samples = 1;
  uint64_t now = Clock();
  uint64_t before = trail.accounted_ns.exchange(now, std::memory_order_relaxed);
  header.weight_ns = now > before ? now - before : 0;
  for (uint32_t i = 0; i < frames; i++) trail.ring.Put(2 + i, trail.walk[i].where);
  for (uint32_t i = 0; i < oracle; i++) {
    trail.ring.Put(2 + frames + i,
                   {reinterpret_cast<uintptr_t>(trail.oracle[i].method),
                    static_cast<uint64_t>(static_cast<int64_t>(trail.oracle[i].bci))});
  }
  trail.ring.PutHeader(header);
  trail.ring.Publish(2 + frames + oracle);
  for (uint32_t i = frames; i-- > 0;) visited.Push(trail.walk[i]);
  Count(counters.samples);
  Count(walk.met ? counters.trusted_walks : counters.whole_walks);
  Count(counters.frames_walked, walk.count);
  return true;
}

// Frames of a virtual thread leave the stack without returning, so they are never trusted.
void ContextRecorder::Mark(ContextTrail& trail, uintptr_t thread, bool trusted) {
  std::atomic<uint64_t>& word = Hooks().PollWord(thread);
  uint64_t from = word.load(std::memory_order_relaxed);
  uint32_t guarded = trusted ? trail.visited.Guarded() : 0;
  bool wanted = guarded > 0;
  uint64_t to =
      wanted ? Watermark::For(trail.visited.frame(guarded - 1).return_slot) : Watermark::kResting;
  trail.trusted = wanted && Watermark::Replace(word, from, to);
  if (!wanted && Watermark::IsOurs(from)) Watermark::Replace(word, from, to);
  trail.mark = trail.trusted ? to : 0;
  trail.deferred = false;
}

void ContextRecorder::Defer(ContextTrail& trail, uintptr_t thread) {
  Count(counters.deferred);
  if (!marks.load(std::memory_order_relaxed)) return;
  std::atomic<uint64_t>& word = Hooks().PollWord(thread);
  uint64_t from = word.load(std::memory_order_relaxed);
  trail.trusted = trail.trusted && from == trail.mark;
  trail.deferred = Watermark::Replace(word, from, Watermark::kNextReturn);
  trail.mark = trail.deferred ? Watermark::kNextReturn : 0;
  if (!trail.deferred) trail.trusted = false;
}

void ContextRecorder::OnTick(ThreadSlot& slot, ContextTrail& trail, void* context) {
  trail.signalled.store(false, std::memory_order_relaxed);
  uintptr_t thread = slot.thread.load(std::memory_order_relaxed);
  if (thread == 0 || !Hooks().active.load(std::memory_order_relaxed)) return;
  if (trail.busy.load(std::memory_order_relaxed)) {
    Count(counters.busy);
    return;
  }
  trail.busy.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  uint64_t began = __rdtsc();
  const auto& gregs = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  Registers registers{
      static_cast<uintptr_t>(gregs[REG_RIP]), static_cast<uintptr_t>(gregs[REG_RSP]),
      static_cast<uintptr_t>(gregs[REG_RBP]), static_cast<uintptr_t>(gregs[REG_R13])};
  bool with_marks = marks.load(std::memory_order_relaxed);
  bool trusted = with_marks && trail.trusted &&
                 Hooks().PollWord(thread).load(std::memory_order_relaxed) == trail.mark;
  if (trail.trusted && !trusted) Count(counters.marks_lost);
  trail.seen_cpu_ns.store(ClockNs(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
  trail.visited.DropBelow(registers.sp);

  Walk walk;
  FrameWalker::Top top =
      walker.FindTop(thread, registers, walker.StackBase(thread), &walk.cursor, &trail.walk[0]);
  if (top == FrameWalker::kTopNone) {
    Count(counters.no_frames);
    trail.accounted_ns.store(Clock(), std::memory_order_relaxed);
  } else if (top == FrameWalker::kTopUnclear) {
    Defer(trail, thread);
  } else {
    if (top == FrameWalker::kTopFrame || top == FrameWalker::kTopLeaving) walk.count = 1;
    using Kind = ThreadStates::Kind;
    const Kind state = walker.states().KindOf(thread);
    uint16_t flags = state != Kind::kJava && state != Kind::kNative ? SampleHeader::kInVm : 0;
    // The VM's walker takes a frame that is half gone for a whole one; and in Java code it ignores
    // an anchor without a pc, as stubs leave it, and follows rbp past compiled frames.
    bool vm_can_tell =
        top == FrameWalker::kTopFrame || (top == FrameWalker::kTopCall && state != Kind::kJava);
    if (!WalkOn(thread, trail, trusted, &walk)) {
      Count(counters.broken);
      trail.visited.Clear();
      Defer(trail, thread);
    } else if (Record(slot, trail, trusted, walk, flags, vm_can_tell ? context : nullptr, false) &&
               with_marks) {
      Mark(trail, thread, !walk.in_continuation);
    }
  }
  uint64_t cycles = __rdtsc() - began;
  Count(counters.walk_cycles, cycles);
  counters.samples_by_cycles.Add(cycles);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  trail.busy.store(false, std::memory_order_relaxed);
}

int ContextRecorder::OnReturn(ThreadSlot& slot, ContextTrail& trail, uintptr_t thread, uintptr_t* return_slot,
                              uintptr_t caller_fp) {
  HookContext& hooks = Hooks();
  std::atomic<uint64_t>& word = hooks.PollWord(thread);
  trail.busy.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  uint64_t began = __rdtsc();
  Count(counters.returns);
  uint64_t value = word.load(std::memory_order_relaxed);
  bool ours = Watermark::IsOurs(value);
  bool trusted = trail.trusted && value == trail.mark;
  auto slot_address = reinterpret_cast<uintptr_t>(return_slot);
  const bool wanted = hooks.active.load(std::memory_order_relaxed) && marks.load(std::memory_order_relaxed);
  if (ours && !wanted) {
    Watermark::Remove(word);
  } else if (ours) {
    bool in_continuation = false;
    if (trail.deferred && value == Watermark::kNextReturn) {
      uintptr_t callee_pc = *reinterpret_cast<uintptr_t*>(thread + hooks.saved_pc_displacement);
      Walk walk;
      walk.cursor = {*return_slot, slot_address + 8, caller_fp};
      const uintptr_t blob = hooks.code.FindBlob(callee_pc);
      const int32_t compilation = blob == 0 ? 0 : hooks.code.Compilation(blob);
      trail.walk[0] = {slot_address, *return_slot, blob,
                       RawFrame::Compiled(callee_pc, RawFrame::kMethodOnly, compilation)};
      walk.count = 1;
      ucontext_t context;
      if (verify.load(std::memory_order_relaxed)) {
        memset(&context, 0, sizeof context);
        context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(*return_slot - 1);  // it rounds up
        context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(slot_address + 8);
        context.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(caller_fp);
        context.uc_mcontext.gregs[REG_R15] = static_cast<greg_t>(thread);
      }
      trail.visited.DropBelow(slot_address);
      if (WalkOn(thread, trail, trusted, &walk)) {
        if (Record(slot, trail, trusted, walk, 0, &context, true)) {
          Count(counters.deferred_taken);
          trusted = true;
          in_continuation = walk.in_continuation;
        }
      } else {
        Count(counters.broken);
        trail.visited.Clear();
      }
    }
    trail.visited.PopReturned(slot_address);
    Mark(trail, thread, trusted && !in_continuation);
  }
  Count(counters.hook_cycles, __rdtsc() - began);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  trail.busy.store(false, std::memory_order_relaxed);
  // The word held a mark of ours, so the VM wants nothing; if it began to, the next poll will tell.
  return ours ? 1 : 0;
}

}  // namespace assay::sampling
