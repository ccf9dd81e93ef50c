#include "src/sampling/call_counter.h"

#include <cpuid.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::sampling {
namespace {

std::string Vendor(uint32_t* family) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  char text[12];
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return "";
  memcpy(text, &b, 4);
  memcpy(text + 4, &d, 4);
  memcpy(text + 8, &c, 4);
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return "";
  *family = (a >> 8 & 0xf) + ((a >> 8 & 0xf) == 0xf ? a >> 20 & 0xff : 0);
  return {text, sizeof text};
}

}  // namespace

// Intel: BR_INST_RETIRED.NEAR_CALL, event C4 umask 02, the same since Nehalem. AMD: "retired near returns", event C8, since family 17h.
std::optional<CounterEvent> CallEventOf(const std::string& vendor, uint32_t family) {
  if (vendor == "GenuineIntel" && family == 6) return CounterEvent{PERF_TYPE_RAW, 0x02c4, "near calls"};
  if (vendor == "AuthenticAMD" && family >= 0x17) return CounterEvent{PERF_TYPE_RAW, 0x00c8, "near returns"};
  return std::nullopt;
}

Result<CounterEvent> CallCounter::Probe() {
  uint32_t family = 0;
  const std::string vendor = Vendor(&family);
  auto event = CallEventOf(vendor, family);
  if (!event) return Error{"no event for calls is known of this processor (" + vendor + " family " + std::to_string(family) + ")"};
  const int counter = Open(*event, 0);
  if (counter < 0) return Error{std::string("perf_event_open: ") + strerror(errno)};
  uint64_t value = 0;
  const bool counts = Read(counter, &value) && value > 0;
  close(counter);
  if (!counts) return Error{std::string("the processor's counter of ") + event->name + " stands still"};
  return *event;
}

int CallCounter::Open(const CounterEvent& event, int32_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

bool CallCounter::Read(int counter, uint64_t* value) {
  return counter >= 0 && read(counter, value, sizeof *value) == sizeof *value;
}

void CallCounter::Start(ThreadTable& threads, const CounterEvent& event) {
  {
    std::lock_guard lock(mutex_);
    event_ = event;
    free_ = kMostCounters;
  }
  for (uint32_t i = 0; i < threads.high_water(); i++) {
    SlotPin pin(threads.slot(i));
    if (pin.thread() != 0) Create(threads.slot(i));
  }
}

void CallCounter::Stop(ThreadTable& threads) {
  {
    std::lock_guard lock(mutex_);
    event_.reset();
  }
  for (uint32_t i = 0; i < threads.high_water(); i++) GiveBack(Take(threads.slot(i)));
}

void CallCounter::Create(ThreadSlot& slot) {
  std::lock_guard lock(mutex_);
  if (!event_ || slot.cpu_clock == 0 || slot.counter != 0 || free_ <= 0) return;
  slot.counter_before = 0;
  slot.counted_calls = 0;
  slot.counter = std::max(0, Open(*event_, ThreadIdOf(slot)) + 1);
  if (slot.counter != 0) free_--;
}

void CallCounter::GiveBack(int counter) {
  if (counter < 0) return;
  close(counter);
  std::lock_guard lock(mutex_);
  free_++;
}

void CallCounter::Collect(ThreadSlot& slot) {
  uint64_t now = 0;
  if (!Read(slot.counter.load(std::memory_order_relaxed) - 1, &now)) return;
  const uint64_t before = slot.counter_before;
  slot.counter_before = now;
  if (now > before) slot.counted_calls.fetch_add(now - before, std::memory_order_relaxed);
}

}  // namespace assay::sampling
