#include "src/export/export.h"

namespace assay::exporting {
namespace {

constexpr Format kFormats[] = {
    {"pprof", "gzip'd protobuf for `go tool pprof` and everything that reads it", true, WritePprof},
    {"collapsed", "one stack per line with its weight, for flame graphs", false, WriteCollapsed},
    {"speedscope", "JSON for the speedscope viewer", false, WriteSpeedscope},
    {"callgrind", "for callgrind_annotate and KCachegrind, with the calls of each edge", false,
     WriteCallgrind},
    {"otlp", "OpenTelemetry profiles (v1development), binary ProfilesData", true, WriteOtlp},
    {"llvm-sample", "LLVM sample profile text; bytecode indices in place of line offsets", false,
     WriteLlvmSample},
    {"json", "everything in the profile", false, WriteJson},
};

}  // namespace

std::span<const Format> AllFormats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace assay::exporting
