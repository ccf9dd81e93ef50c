#include "src/agent/class_archive.h"

#include "src/sampling/hotspot/vm_flags.h"

namespace assay::agent {

Archive ArchiveUse(JavaVM* vm) {
  auto structs = sampling::VmStructs::Load(reinterpret_cast<void*>(vm->functions->GetEnv));
  if (!structs.ok()) return Archive::kUsed;
  auto mode = sampling::FlagText(*structs, "AOTMode");
  auto cache = sampling::FlagText(*structs, "AOTCache");
  if (!mode.ok() || !cache.ok()) return Archive::kUsed;
  if (*mode == "record") return Archive::kRecorded;
  if (*mode == "create") return Archive::kAssembled;
  return cache->empty() ? Archive::kNone : Archive::kUsed;
}

}  // namespace assay::agent
