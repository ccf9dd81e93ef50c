#include "src/sampling/hotspot/running_code.h"

#include <ucontext.h>

namespace assay::sampling {
namespace {

// For the signal handler.
std::atomic<RunningCode*> g_running{nullptr};

}  // namespace

void RunningCode::Open(CompiledMethods::Range interpreter, const CodeHeap& code) {
  interpreter_ = interpreter;
  code_ = &code;
  interpreted_ = compiled_ = 0;
  since_ns_ = 0;
  g_running = this;
  open_ = interpreter.end > interpreter.begin && signals_.Open(OnSignal).ok();
}

void RunningCode::Close(ThreadTable& threads) {
  open_ = false;
  signals_.Close(threads);
}

bool RunningCode::IsDue(uint64_t elapsed_ns) {
  since_ns_ += elapsed_ns;
  return open_ && since_ns_ >= kEveryNs;
}

void RunningCode::LookAt(ThreadSlot& slot) {
  if (slot.cpu_clock != 0 && signals_.Send(slot)) since_ns_ = 0;
}

void RunningCode::OnSignal(ThreadSlot&, void* context) { g_running.load(std::memory_order_acquire)->See(context); }

void RunningCode::See(void* context) {
  const auto pc = static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (pc >= interpreter_.begin && pc < interpreter_.end) {
    interpreted_.fetch_add(1, std::memory_order_relaxed);
  } else if (code_->FindBlob(pc) != 0) {
    compiled_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace assay::sampling
