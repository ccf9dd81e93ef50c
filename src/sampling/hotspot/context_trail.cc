#include "src/sampling/hotspot/context_trail.h"

#include <sys/mman.h>

namespace assay::sampling {

ContextTrail* ContextTrail::Map() {
  void* memory = mmap(nullptr, sizeof(ContextTrail), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // All zero is the state of everything here but what Reset() sets; a constructor would touch it
  // all.
  auto* trail = static_cast<ContextTrail*>(memory);
  trail->Reset();
  return trail;
}

void ContextTrail::Reset() {
  ring.Use(cells, kCells);
  visited.Use(memory, kFrames);
  trusted = deferred = false;
  mark = 0;
  signalled.store(false);
  accounted_ns.store(0);
  idle_ns.store(0);
  seen_cpu_ns.store(0);
}

}  // namespace assay::sampling
