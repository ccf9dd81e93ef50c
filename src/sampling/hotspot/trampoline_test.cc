// The trampolines, called by code of the shapes that HotSpot's compilers make, in memory of ours. The hooks are the
// oracle: whatever a trampoline does by itself, a hook in its place would have done.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <initializer_list>

#include "src/sampling/guard_word.h"
#include "src/sampling/hotspot/hooks.h"
#include "src/sampling/trampoline_layout.h"

namespace assay::sampling {
namespace {

// Every register that may hold something of the program at a method's entry or return.
struct Registers {
  uint64_t integers[10];  // rax rcx rdx rsi rdi r8 r9 r10 r11 rbx
  double vectors[8];      // xmm0-7
  bool operator==(const Registers&) const = default;
};

// Loads the registers, calls `code` with r15 = thread, and stores them.
extern "C" void AssayTestCall(Registers* registers, uintptr_t thread, const void* code);
asm(R"(
    .text
    .type AssayTestCall, @function
AssayTestCall:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r15
    mov %rdi, %r12
    mov %rsi, %r15
    mov %rdx, %r13
    mov 0(%r12), %rax
    mov 8(%r12), %rcx
    mov 16(%r12), %rdx
    mov 24(%r12), %rsi
    mov 32(%r12), %rdi
    mov 40(%r12), %r8
    mov 48(%r12), %r9
    mov 56(%r12), %r10
    mov 64(%r12), %r11
    mov 72(%r12), %rbx
    movsd 80(%r12), %xmm0
    movsd 88(%r12), %xmm1
    movsd 96(%r12), %xmm2
    movsd 104(%r12), %xmm3
    movsd 112(%r12), %xmm4
    movsd 120(%r12), %xmm5
    movsd 128(%r12), %xmm6
    movsd 136(%r12), %xmm7
    call *%r13
    mov %rax, 0(%r12)
    mov %rcx, 8(%r12)
    mov %rdx, 16(%r12)
    mov %rsi, 24(%r12)
    mov %rdi, 32(%r12)
    mov %r8, 40(%r12)
    mov %r9, 48(%r12)
    mov %r10, 56(%r12)
    mov %r11, 64(%r12)
    mov %rbx, 72(%r12)
    movsd %xmm0, 80(%r12)
    movsd %xmm1, 88(%r12)
    movsd %xmm2, 96(%r12)
    movsd %xmm3, 104(%r12)
    movsd %xmm4, 112(%r12)
    movsd %xmm5, 120(%r12)
    movsd %xmm6, 128(%r12)
    movsd %xmm7, 136(%r12)
    pop %r15
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size AssayTestCall, . - AssayTestCall
)");

constexpr int32_t kPollWord = 64, kSavedPc = 72, kEntryWord = 80, kStubRuns = 96;
constexpr uint32_t kGuard = 5;

class TrampolineTest : public testing::Test {
 protected:
  void SetUp() override {
    HookContext& hooks = Hooks();
    ASSERT_TRUE(hooks.threads.Init() && hooks.sites.Init() && hooks.queue.Init());
    hooks.parameters.samples = 1000;
    hooks.parameters.stride = 1000;
    hooks.parameters.tail_every = 0;
    hooks.parameters.exhaustive = false;
    hooks.active = true;
    page_ = static_cast<uint8_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(page_, MAP_FAILED);
    memset(thread_, 0, sizeof thread_);
    slot_ = hooks.threads.Add(Thread());
    ASSERT_NE(slot_, nullptr);
    // In place of the VM's stubs: count, undo what the trampolines executed of them, and return.
    entry_stub_ = Here();
    Emit({0x48, 0x83, 0xc4, 0x08});                  // add rsp, 8
    Emit({0x49, 0xff, 0x47, kStubRuns, 0xc3});       // inc qword [r15 + kStubRuns]; ret
    return_stub_ = Here();
    Emit({0x9d, 0x5d});                              // popf; pop rbp
    Emit({0x49, 0xff, 0x47, kStubRuns, 0xc3});
    hooks.UseEntries(kEntryWord, entry_stub_);
    hooks.UseReturns(kPollWord, kSavedPc, return_stub_);
    to_entry_ = JumpTo(reinterpret_cast<const void*>(&assay_entry_trampoline));
    to_return_ = JumpTo(reinterpret_cast<const void*>(&assay_return_trampoline));
    c1_ = EmitC1();
    c2_ = EmitC2();
  }
  void TearDown() override {
    Hooks().threads.Remove(Thread());
    munmap(page_, 4096);
  }

  uint8_t* Here() { return page_ + used_; }
  void Emit(std::initializer_list<uint8_t> bytes) {
    for (uint8_t byte : bytes) page_[used_++] = byte;
  }
  void EmitInt(int64_t value) {
    auto narrow = static_cast<int32_t>(value);
    memcpy(Here(), &narrow, sizeof narrow);
    used_ += sizeof narrow;
  }
  uint8_t* JumpTo(const void* target) {
    uint8_t* at = Here();
    Emit({0xff, 0x25, 0, 0, 0, 0});
    memcpy(Here(), &target, sizeof target);
    used_ += sizeof target;
    return at;
  }
  void EmitCall(const uint8_t* target) {
    Emit({0xe8});
    EmitInt(target - (Here() + 4));
  }
  uint8_t* EmitC1() {
    uint8_t* at = Here();
    Emit({0x41, 0x81, 0x7f, kEntryWord});
    EmitInt(kGuard);
    Emit({0x74, 0x05});
    EmitCall(to_entry_);
    Emit({0xc3});
    return at;
  }
  uint8_t* EmitC2() {
    uint8_t* at = Here();
    Emit({0x41, 0x81, 0x7f, kEntryWord});
    EmitInt(kGuard);
    Emit({0x0f, 0x85});
    EmitInt(16 + 1);
    uint8_t* continuation = Here();
    Emit({0xc3});
    while (Here() < continuation + 17) Emit({0x90});
    EmitCall(to_entry_);
    Emit({0xe9});
    EmitInt(continuation - (Here() + 4));
    return at;
  }

  uintptr_t Thread() { return reinterpret_cast<uintptr_t>(thread_); }
  std::atomic<uint32_t>& Entry() { return Hooks().EntryWord(Thread()); }
  std::atomic<uint64_t>& Poll() { return Hooks().PollWord(Thread()); }
  uint64_t StubRuns() {
    uint64_t runs;
    memcpy(&runs, thread_ + kStubRuns, sizeof runs);
    return runs;
  }

  // As if a burst were under way that passes `skip` - 1 calls by.
  void Burst(uint32_t skip) {
    slot_->burst_tick = slot_->tick_number.load();
    slot_->left = 7;
    slot_->stride = 1000;
    slot_->skip = skip;
    slot_->block.events = 100;
  }

  // Calls `code` with registers full of patterns, which have to be there afterwards.
  void Call(const uint8_t* code) {
    Registers registers;
    for (int i = 0; i < 10; i++) registers.integers[i] = 0x0101010101010101ull * (i + 1);
    for (int i = 0; i < 8; i++) registers.vectors[i] = 1.5 * (i + 1);
    const Registers before = registers;
    AssayTestCall(&registers, Thread(), code);
    EXPECT_TRUE(registers == before);
  }

  alignas(64) unsigned char thread_[4096];
  uint8_t* page_ = nullptr;
  size_t used_ = 0;
  ThreadSlot* slot_ = nullptr;
  uint8_t *entry_stub_ = nullptr, *return_stub_ = nullptr;
  uint8_t *to_entry_ = nullptr, *to_return_ = nullptr, *c1_ = nullptr, *c2_ = nullptr;
};

TEST_F(TrampolineTest, EntriesThatABurstPassesByAreCountedAndGoStraightOn) {
  for (const uint8_t* code : {c1_, c2_}) {
    Entry() = kGuard | EntryGuard::kMark;
    Burst(10);
    const uint64_t runs = StubRuns();
    for (uint32_t i = 1; i <= 9; i++) {
      Call(code);
      EXPECT_EQ(slot_->skip, 10 - i);
      EXPECT_EQ(slot_->block.events, 100 + i);
    }
    EXPECT_EQ(Entry().load(), kGuard | EntryGuard::kMark);
    EXPECT_EQ(StubRuns(), runs);
    // The tenth is a sample; that its code is no method of a VM ends the burst.
    Call(code);
    EXPECT_EQ(Entry().load(), kGuard);
    EXPECT_EQ(slot_->block.events, 110u);
    EXPECT_EQ(slot_->skip, 1000u);
  }
}

TEST_F(TrampolineTest, MethodsThatTheVmArmedGoToItsStub) {
  for (const uint8_t* code : {c1_, c2_}) {
    Entry() = (kGuard + 1) | EntryGuard::kMark;
    Burst(10);
    const uint64_t runs = StubRuns();
    Call(code);
    EXPECT_EQ(StubRuns(), runs + 1);
    EXPECT_EQ(slot_->block.events, 101u) << "counted by the hook";
    EXPECT_EQ(slot_->skip, 9u);
    // Without our mark it is the VM's business alone.
    Entry() = kGuard + 1;
    Call(code);
    EXPECT_EQ(StubRuns(), runs + 2);
    EXPECT_EQ(slot_->block.events, 101u);
  }
}

TEST_F(TrampolineTest, CodeOfAnotherShapeIsNotBelieved) {
  struct Change {
    int at;
    uint8_t xor_with;
  };
  // The check's own bytes with another meaning, and what follows it.
  for (Change change : {Change{0, 0x08}, Change{2, 0x01}, Change{9, 0x01}}) {
    uint8_t* code = EmitC2();
    Entry() = kGuard | EntryGuard::kMark;
    Burst(10);
    code[change.at] ^= change.xor_with;
    const uint64_t runs = StubRuns();
    Call(code + 31);  // the call out of line
    EXPECT_EQ(StubRuns(), runs + 1) << change.at;
    EXPECT_EQ(slot_->skip, 9u) << change.at;
  }
}

TEST_F(TrampolineTest, ATickBeginsABurstWhateverTheLastOneHadToPassBy) {
  Entry() = kGuard | EntryGuard::kMark;
  Burst(500);
  slot_->tick_number.fetch_add(1);
  Call(c1_);
  EXPECT_EQ(slot_->burst_tick, slot_->tick_number.load());
  EXPECT_EQ(slot_->block.events, 1u) << "the first of its burst";
}

TEST_F(TrampolineTest, AThreadThatIsNotFollowedIsDisarmed) {
  Entry() = kGuard | EntryGuard::kMark;
  Hooks().threads.Remove(Thread());
  Call(c1_);
  EXPECT_EQ(Entry().load(), kGuard);
  EXPECT_EQ(StubRuns(), 1u);
}

TEST_F(TrampolineTest, ReturnsThatABurstPassesByAreCountedAndGoStraightBack) {
  Poll() = ReturnGuard::kMark;
  Burst(4);
  for (uint32_t i = 1; i <= 3; i++) {
    Call(to_return_);
    EXPECT_EQ(slot_->skip, 4 - i);
    EXPECT_EQ(slot_->block.events, 100 + i);
  }
  EXPECT_EQ(StubRuns(), 0u);
  EXPECT_EQ(Poll().load(), ReturnGuard::kMark);
}

TEST_F(TrampolineTest, ReturnsThatTheVmWantsGoToItsHandler) {
  for (uint64_t word : {uint64_t{1}, uint64_t{0x7fff12345670}, ReturnGuard::kResting}) {
    Poll() = word;
    Burst(4);
    const uint64_t runs = StubRuns();
    Call(to_return_);
    EXPECT_EQ(StubRuns(), runs + 1) << word;
    EXPECT_EQ(slot_->skip, 4u) << word;
    EXPECT_EQ(Poll().load(), word);
  }
}

int g_taken = 0;
int Take(uintptr_t*, uintptr_t, uintptr_t) {
  g_taken++;
  return 1;
}

TEST_F(TrampolineTest, WhoeverTakesReturnsGetsThemAll) {
  Poll() = ReturnGuard::kMark;
  Burst(4);
  Hooks().TakeReturns(Take);
  g_taken = 0;
  Call(to_return_);
  EXPECT_EQ(g_taken, 1);
  EXPECT_EQ(slot_->skip, 4u);
  Hooks().TakeReturns(nullptr);
  Call(to_return_);
  EXPECT_EQ(g_taken, 1);
  EXPECT_EQ(slot_->skip, 3u);
}

// Threads whose cells collide: the trampoline looks into the first one only.
TEST_F(TrampolineTest, AThreadBeyondItsFirstCellIsCountedByTheHook) {
  auto home = [](uintptr_t thread) { return (thread >> 4) * ASSAY_HOME_FACTOR >> ASSAY_HOME_SHIFT; };
  uintptr_t other = Thread() + 16;
  while (home(other) != home(Thread())) other += 16;
  Hooks().threads.Remove(Thread());
  ThreadSlot* first = Hooks().threads.Add(other);
  slot_ = Hooks().threads.Add(Thread());
  ASSERT_NE(first, nullptr);
  ASSERT_NE(slot_, nullptr);
  Entry() = kGuard | EntryGuard::kMark;
  Burst(10);
  Call(c2_);
  EXPECT_EQ(slot_->skip, 9u);
  EXPECT_EQ(slot_->block.events, 101u);
  EXPECT_EQ(StubRuns(), 0u);
  Hooks().threads.Remove(other);
}

}  // namespace
}  // namespace assay::sampling
