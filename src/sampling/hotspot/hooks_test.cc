// The hooks under single-stepping: at every one of their instructions in turn a signal handler does what may
// happen there in life, a tick on the same thread or the VM writing its word.
#include "src/sampling/hotspot/hooks.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <functional>

#include "src/sampling/guard_word.h"

namespace assay::sampling {
namespace {

constexpr int32_t kPollWord = 64, kSavedPc = 72, kEntryWord = 80;
constexpr uintptr_t kCalleePc = 0x7f0000001000, kCallerPc = 0x7f0000002000;

struct Stepper {
  int at = 0;   // the instruction to interrupt
  int now = 0;  // instructions executed
  void (*action)() = nullptr;
};
Stepper g_stepper;

void OnTrap(int) {
  if (g_stepper.now++ == g_stepper.at) g_stepper.action();
}

// The trap flag; the red zone below the stack pointer is not ours.
inline __attribute__((always_inline)) void SingleStep(bool on) {
  if (on) {
    asm volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "memory",
                 "cc");
  } else {
    asm volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "memory",
                 "cc");
  }
}

class HooksTest : public testing::Test {
 protected:
  void SetUp() override {
    HookContext& hooks = Hooks();
    ASSERT_TRUE(hooks.threads.Init() && hooks.sites.Init() && hooks.queue.Init());
    hooks.UseReturns(kPollWord, kSavedPc, nullptr);
    hooks.UseEntries(kEntryWord, nullptr);
    hooks.parameters.samples = 2;
    hooks.parameters.stride = 1;
    hooks.parameters.depth = 2;
    hooks.active = true;
    memset(thread_, 0, sizeof thread_);
    Hooks().PollWord(Thread()).store(ReturnGuard::kResting);
    memcpy(thread_ + kSavedPc, &kCalleePc, sizeof kCalleePc);
    slot_ = hooks.threads.Add(Thread());
    ASSERT_NE(slot_, nullptr);
    g_slot = slot_;
    g_thread = Thread();
    stack_[8] = kCallerPc;
    // A known site: what a new one means only a VM can tell.
    SiteTable::Key key{kCalleePc, kCallerPc};
    site_ = hooks.sites.Find(key);
    WalkedFrame frames[] = {{0x10, -1}, {0x20, 3}};
    if (site_ == SiteTable::kNoId) site_ = hooks.sites.Add(key, {.frames = frames, .code = {}});
    ASSERT_NE(site_, SiteTable::kNoId);
    struct sigaction action {};
    action.sa_handler = OnTrap;
    sigaction(SIGTRAP, &action, &before_);
  }
  void TearDown() override {
    sigaction(SIGTRAP, &before_, nullptr);
    Hooks().threads.Remove(Thread());
  }

  uintptr_t Thread() { return reinterpret_cast<uintptr_t>(thread_); }
  static std::atomic<uint64_t>& Poll() { return Hooks().PollWord(g_thread); }
  static std::atomic<uint32_t>& Entry() { return Hooks().EntryWord(g_thread); }

  // What a CPU-time tick does in its handler (CallSampler::TickThreadInJava).
  static void Tick() {
    g_slot->tick_tsc.fetch_add(1);
    g_slot->tick_number.fetch_add(1);
    ReturnGuard::Arm(Poll());
  }

  // Interrupts `hook` at its first, second, ... instruction until it is over before that; `prepare`
  // and `check` run around each. Returns how many instructions there were to interrupt.
  int AtEveryInstruction(void (*action)(), const std::function<void()>& prepare,
                         const std::function<void()>& hook, const std::function<void(int)>& check) {
    int at = 0;
    for (;; at++) {
      prepare();
      g_stepper = {at, 0, action};
      SingleStep(true);
      hook();
      SingleStep(false);
      if (g_stepper.now <= at) break;
      check(at);
      if (HasFailure()) break;
    }
    return at;
  }

  void RunReturnHook() { assay_return_hook(&stack_[8], Thread(), 0); }

  alignas(64) unsigned char thread_[4096];
  uintptr_t stack_[16] = {};
  ThreadSlot* slot_ = nullptr;
  uint32_t site_ = SiteTable::kNoId;
  struct sigaction before_ {};
  static inline ThreadSlot* g_slot = nullptr;
  static inline uintptr_t g_thread = 0;
};

TEST_F(HooksTest, ReturnHookNeverErasesWhatTheVmWants) {
  for (uint64_t wanted : {uint64_t{1}, uint64_t{0x7fff12345670}}) {
    static uint64_t value;
    value = wanted;
    int count = AtEveryInstruction([] { Poll().store(value); },
                                   [&] { Tick(); Poll().store(ReturnGuard::kMark); }, [&] { RunReturnHook(); },
                                   [&](int at) { EXPECT_EQ(Poll().load(), wanted) << "at instruction " << at; });
    EXPECT_GT(count, 50);
  }
}

TEST_F(HooksTest, ReturnHookSurvivesTicksAtEveryInstruction) {
  BurstBlock block;
  while (Hooks().queue.Pop(&block)) {
  }
  uint64_t calls = 0, seen = 0, ids = 0;
  int count = AtEveryInstruction(
      [] { Tick(); }, [&] { Tick(); },
      [&] {
        for (int i = 0; i < 3; i++) {
          calls++;
          RunReturnHook();
        }
      },
      [&](int at) {
        uint64_t word = Poll().load();
        EXPECT_TRUE(word == ReturnGuard::kMark || word == ReturnGuard::kResting) << word << " at " << at;
        EXPECT_LE(slot_->block.count, BurstBlock::kIds);
        EXPECT_LE(slot_->left, 2u);
        while (Hooks().queue.Pop(&block)) {
          EXPECT_LE(block.count, 2u) << "at " << at;
          for (uint32_t i = 0; i < block.count; i++) EXPECT_EQ(block.ids[i], site_);
          ids += block.count;
          if (block.flags & BurstBlock::kLast) seen += block.events;
        }
      });
  EXPECT_GT(count, 200);
  EXPECT_GT(ids, 0u);
  EXPECT_LE(seen, calls) << "no call counted twice";
}

// The guard of the VM moves on at a GC phase; a stale value written back would skip a real barrier.
TEST_F(HooksTest, EntryHookNeverBringsAnOldGuardBack) {
  // The method's side: cmp dword [r15 + displacement], 5; je +5; call stub; here.
  unsigned char code[32] = {0x41, 0x81, 0x7f, kEntryWord, 5, 0, 0, 0, 0x74, 0x05, 0xe8};
  stack_[4] = reinterpret_cast<uintptr_t>(code + 15);
  int count = AtEveryInstruction([] { Entry().store(6); }, [] { Entry().store(5 | EntryGuard::kMark); },
                                 [&] { assay_entry_hook(&stack_[4], Thread()); },
                                 [](int at) { EXPECT_EQ(Entry().load(), 6u) << "at instruction " << at; });
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace assay::sampling
