#include "src/agent/class_archive.h"

#include "src/sampling/hotspot/vm_flags.h"

namespace assay::agent {
namespace {

Result<Archive> FromFlags(JavaVM* vm) {
  ASSAY_ASSIGN(auto structs, sampling::VmStructs::Load(reinterpret_cast<void*>(vm->functions->GetEnv)));
  ASSAY_ASSIGN(std::string mode, sampling::FlagText(structs, "AOTMode"));
  if (mode == "create") return Archive::kAssembled;
  ASSAY_ASSIGN(std::string at_exit, sampling::FlagText(structs, "ArchiveClassesAtExit"));
  if (mode == "record" || !at_exit.empty()) return Archive::kRecorded;
  for (const char* flag : {"AutoCreateSharedArchive", "RecordDynamicDumpInfo"}) {
    ASSAY_ASSIGN(bool on, sampling::FlagIsOn(structs, flag));
    if (on) return Archive::kRecorded;
  }
  ASSAY_ASSIGN(std::string cache, sampling::FlagText(structs, "AOTCache"));
  return cache.empty() ? Archive::kNone : Archive::kUsed;
}

}  // namespace

Archive ArchiveUse(JavaVM* vm) {
  static const Archive use = [vm] {
    auto found = FromFlags(vm);
    return found.ok() ? *found : Archive::kUsed;
  }();
  return use;
}

}  // namespace assay::agent
