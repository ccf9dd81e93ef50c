// Parse + rewrite throughput: a static call at the entry of every method of every class, frames
// kept. AsmBench.java does the same with OW2 ASM; throughput.py runs both and compares.
//   rewrite_bench general|prepend SECONDS ARCHIVE...
// `general` decodes and encodes every method, `prepend` moves the bodies as they are.
// Prints, per second of CPU time, "MB/s classes methods output_bytes allocated_bytes_per_class
// peak_bytes_per_class".
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/prepend.h"
#include "src/classfile/class_file.h"
#include "tests/corpus/zip_file.h"

namespace {
size_t allocated = 0, live = 0, peak = 0;

void* Count(size_t size) {
  // The size in front of the block, so that freeing can be counted too.
  auto* block = static_cast<size_t*>(std::malloc(size + 16));
  if (!block) std::abort();
  *block = size;
  allocated += size;
  live += size;
  if (live > peak) peak = live;
  return block + 2;
}
void Uncount(void* p) {
  if (!p) return;
  size_t* block = static_cast<size_t*>(p) - 2;
  live -= *block;
  std::free(block);
}
}  // namespace

void* operator new(size_t size) { return Count(size); }
void operator delete(void* p) noexcept { Uncount(p); }
void operator delete(void* p, size_t) noexcept { Uncount(p); }

namespace assay {
namespace {

struct Totals {
  uint64_t methods = 0;
  uint64_t output = 0;
};

ByteVector Rewrite(ByteSpan bytes, bool prepend, bytecode::Code& code, Totals& totals) {
  auto file = classfile::ParseClass(bytes);
  if (!file.ok()) std::abort();
  auto probe = file->pool.AddMethodRef("assay/Probe", "hit", "()V");
  if (!probe.ok()) std::abort();
  for (classfile::Method& method : file->methods) {
    if (!method.HasCode()) continue;
    ++totals.methods;
    if (prepend) {
      const uint8_t call[] = {0xb8, static_cast<uint8_t>(*probe >> 8),
                              static_cast<uint8_t>(*probe)};
      // Refused where code has type annotations; those go the general way.
      if (bytecode::PrependCode(*file, method, call, 0).ok()) continue;
    }
    if (!bytecode::DecodeCode(*file, method, code).ok()) std::abort();
    bytecode::CodeBuilder build(*file, code);
    build.InvokeStatic(*probe);
    for (const bytecode::Element& element : build.Old()) build.Copy(element);
    if (!build.Finish().ok() || !bytecode::EncodeCode(code, *file, method).ok()) std::abort();
  }
  return classfile::WriteClass(*file);
}

// Of the process: other programs on the machine disturb it less than the clock on the wall.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int Main(int argc, char** argv) {
  bool prepend = std::string_view(argv[1]) == "prepend";
  double seconds = std::atof(argv[2]);
  std::vector<ByteVector> classes;
  uint64_t input = 0;
  for (int i = 3; i < argc; ++i) {
    auto archive = corpus::ReadFile(argv[i]);
    if (!archive.ok()) return 1;
    auto wanted = [](std::string_view name) {
      return name.ends_with(".class") && !name.ends_with("module-info.class");
    };
    Status status = corpus::ForEachEntry(*archive, wanted, [&](std::string_view, ByteVector bytes) {
      input += bytes.size();
      classes.push_back(std::move(bytes));
    });
    if (!status.ok()) return 1;
  }
  bytecode::Code code;
  // One round warms caches and the allocator; then whole rounds until the time is over.
  Totals totals;
  size_t most = 0, before = allocated;
  for (const ByteVector& bytes : classes) {
    size_t base = live;
    peak = live;
    totals.output += Rewrite(bytes, prepend, code, totals).size();
    most += peak - base;
  }
  size_t per_class = (allocated - before) / classes.size();
  double start = CpuSeconds();
  double spent = 0;
  uint64_t rounds = 0;
  Totals ignored;
  while (spent < seconds) {
    for (const ByteVector& bytes : classes)
      ignored.output += Rewrite(bytes, prepend, code, ignored).size();
    ++rounds;
    spent = CpuSeconds() - start;
  }
  std::printf("%.1f %zu %lu %lu %zu %zu\n", static_cast<double>(input * rounds) / 1e6 / spent,
              classes.size(), totals.methods, totals.output, per_class, most / classes.size());
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: rewrite_bench general|prepend SECONDS ARCHIVE...\n");
    return 2;
  }
  return assay::Main(argc, argv);
}
