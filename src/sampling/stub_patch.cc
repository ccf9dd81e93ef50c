#include "src/sampling/stub_patch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "src/sampling/code_shapes.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace assay::sampling {
namespace {

constexpr uint64_t kReach = 0x78000000;  // of a rel32, less a margin
constexpr uint64_t kStep = 0x100000;

std::atomic<uint64_t>* WordOf(uint8_t* stub) {
  return reinterpret_cast<std::atomic<uint64_t>*>(reinterpret_cast<uintptr_t>(stub) & ~uintptr_t{7});
}

uint8_t* MapNear(uint8_t* stub, size_t page) {
  uintptr_t base = reinterpret_cast<uintptr_t>(stub) & ~(page - 1);
  for (uint64_t distance = kStep; distance < kReach; distance += kStep) {
    for (uintptr_t hint : {base - distance, base + distance}) {
      void* at = mmap(reinterpret_cast<void*>(hint), page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (at == reinterpret_cast<void*>(hint)) return static_cast<uint8_t*>(at);
      if (at != MAP_FAILED) munmap(at, page);  // an old kernel that takes the address as a hint
    }
  }
  return nullptr;
}

// jmp [rip + 0]; the target follows.
bool WriteThunk(uint8_t* thunk, size_t page, const void* target) {
  const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
  memcpy(thunk, jump, sizeof jump);
  memcpy(thunk + sizeof jump, &target, sizeof target);
  return mprotect(thunk, page, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace

std::string PermissionsOf(const void* address) {
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return "";
  uint64_t wanted = reinterpret_cast<uintptr_t>(address);
  char line[512];
  std::string found;
  while (found.empty() && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin, end;
    char permissions[8];
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, permissions) == 3 && begin <= wanted &&
        wanted < end) {
      found = permissions;
    }
  }
  fclose(maps);
  return found;
}

Status StubPatch::Prepare(uint8_t* stub, std::span<const uint8_t> shape, const void* target) {
  if (stub_ != nullptr) {
    if (stub_ == stub && IsPristine()) return {};
    return Error{"the stub changed since it was first seen"};
  }
  if (!StartsWith({stub, shape.size()}, shape)) {
    char bytes[64] = "";
    for (size_t i = 0; i < shape.size() && i < 12; i++) {
      snprintf(bytes + strlen(bytes), 4, "%02x ", stub[i]);
    }
    return Error{std::string("the stub's first bytes are unknown here: ") + bytes};
  }
  size_t in_word = reinterpret_cast<uintptr_t>(stub) & 7;
  if (in_word + kJumpBytes > 8) return Error{"the stub is not aligned for an atomic change"};
  std::string permissions = PermissionsOf(stub);
  if (permissions.substr(0, 3) != "rwx") {
    return Error{"the code cache is not writable and executable (" + permissions + ")"};
  }
  size_t page = sysconf(_SC_PAGESIZE);
  uint8_t* thunk = MapNear(stub, page);
  if (thunk == nullptr) return Error{"no free page within 2 GB of the code cache"};
  if (!WriteThunk(thunk, page, target)) return Error{"executable memory is not allowed here"};

  original_ = WordOf(stub)->load();
  uint8_t bytes[8];
  memcpy(bytes, &original_, sizeof bytes);
  int32_t relative = static_cast<int32_t>(thunk - (stub + kJumpBytes));
  bytes[in_word] = 0xe9;
  memcpy(&bytes[in_word + 1], &relative, sizeof relative);
  memcpy(&patched_, bytes, sizeof patched_);
  stub_ = stub;
  thunk_ = thunk;
  return {};
}

void StubPatch::Install() {
  uint64_t expected = original_;
  installed_ = WordOf(stub_)->compare_exchange_strong(expected, patched_) || expected == patched_;
}

void StubPatch::Remove() {
  if (!installed_) return;
  uint64_t expected = patched_;
  WordOf(stub_)->compare_exchange_strong(expected, original_);
  installed_ = false;
}

bool StubPatch::IsPristine() const { return stub_ != nullptr && WordOf(stub_)->load() == original_; }

}  // namespace assay::sampling
