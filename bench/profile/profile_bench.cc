// How fast profiles are written, read, merged, compared and exported (processor time), and how many
// bytes an edge takes in memory and on disk.
//
//   cmake --build build --target profile_bench && build/profile_bench [EDGES...]
//
// The profiles are synthetic: one method per ten edges, callers and callees drawn with a skew, bci
// below 500, weights that are not integers and with a variance, as the sampling collector makes
// them.
#include <malloc.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "src/base/hash.h"
#include "src/export/export.h"
#include "src/profile/compare.h"
#include "src/profile/merge.h"
#include "src/profile/reader.h"
#include "src/profile/writer.h"

namespace {

using assay::Mix64;
using assay::profile::MethodId;
using assay::profile::Profile;

// Processor time, so that neighbours on a shared machine count less.
double Now() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

size_t AllocatedBytes() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Profile Synthetic(uint64_t edges, uint64_t seed) {
  Profile profile;
  uint64_t methods = edges / 10 + 2;
  profile.Reserve(methods, edges, 0);
  for (uint64_t i = 0; i < methods; ++i) {
    profile.InternMethod(
        "com.example.package" + std::to_string(i / 200) + ".Class" + std::to_string(i / 12),
        "method" + std::to_string(i % 12), i % 3 ? "(I)V" : "(Ljava/lang/Object;)I");
  }
  uint64_t state = seed;
  auto draw = [&](uint64_t limit) {
    return (state = Mix64(state + 0x9e3779b97f4a7c15ull)) % limit;
  };
  while (profile.edges().size() < edges) {
    auto caller = static_cast<MethodId>(1 + draw(methods));
    auto callee = static_cast<MethodId>(1 + draw(1 + draw(methods)));
    double weight = static_cast<double>(1 + draw(1 + draw(1000000))) / 7;
    profile.AddEdge(caller, static_cast<int32_t>(draw(500)), callee, 1 + draw(50), weight,
                    weight * 3.3);
  }
  return profile;
}

void Row(const char* what, uint64_t edges, double seconds, const char* extra = "") {
  std::printf("%10llu edges  %-22s %8.3f s  %7.2f M edges/s%s\n",
              static_cast<unsigned long long>(edges), what, seconds, edges / seconds / 1e6, extra);
  std::fflush(stdout);
}

[[noreturn]] void Die(const assay::Error& error) {
  std::fprintf(stderr, "%s\n", error.ToString().c_str());
  std::exit(1);
}

void Run(uint64_t edges, const std::string& folder) {
  std::string a_path = folder + "/a.profile", b_path = folder + "/b.profile";
  char extra[100];
  for (auto [path, seed] : {std::pair(a_path, 1), std::pair(b_path, 2)}) {
    Profile profile = Synthetic(edges, static_cast<uint64_t>(seed));
    double start = Now();
    if (auto status = assay::profile::WriteProfile(profile, path); !status.ok())
      Die(status.error());
    double seconds = Now() - start;
    std::snprintf(extra, sizeof extra, "  %.1f bytes/edge on disk",
                  static_cast<double>(std::filesystem::file_size(path)) / edges);
    if (seed == 1) Row("write", edges, seconds, extra);
  }
  size_t before = AllocatedBytes();
  double start = Now();
  auto a = assay::profile::ReadProfile(a_path);
  double seconds = Now() - start;
  if (!a.ok()) Die(a.error());
  std::snprintf(extra, sizeof extra, "  %.0f bytes/edge in memory",
                static_cast<double>(AllocatedBytes() - before) / edges);
  Row("load", edges, seconds, extra);
  auto b = assay::profile::ReadProfile(b_path);
  start = Now();
  assay::profile::Comparison comparison = assay::profile::Compare(*a, *b);
  std::snprintf(extra, sizeof extra, "  overlap %.1f %%", comparison.methods.overlap);
  Row("compare", edges, Now() - start, extra);
  for (const auto& format : assay::exporting::AllFormats()) {
    start = Now();
    auto text = format.write(*a);
    if (!text.ok()) Die(text.error());
    std::snprintf(extra, sizeof extra, "  %.1f bytes/edge",
                  static_cast<double>(text->size()) / edges);
    Row(("export " + std::string(format.name)).c_str(), edges, Now() - start, extra);
  }
  start = Now();
  if (auto status = assay::profile::MergeInto(*a, *b); !status.ok()) Die(status.error());
  std::snprintf(extra, sizeof extra, "  into %zu edges", a->edges().size());
  Row("merge", edges, Now() - start, extra);
}

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/assay-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  if (argc == 1) {
    for (uint64_t edges : {10000, 100000, 1000000, 10000000}) Run(edges, folder);
  }
  for (int i = 1; i < argc; ++i) Run(std::strtoull(argv[i], nullptr, 10), folder);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("peak memory of this process %.2f GB\n", static_cast<double>(usage.ru_maxrss) / 1e6);
  std::filesystem::remove_all(folder);
}
