// What this JVM does with an archive of classes (CDS; linked ahead of time with -XX:AOTCache, JDK 24 and newer). Any thread,
// Agent_OnLoad and later.
#pragma once

#include <jni.h>

namespace assay::agent {

enum class Archive {
  kNone,       // or one that bears class hooks
  kUsed,       // linked ahead of time, or not known: with a class hook that is there before the VM begins it complains, or does not start
  kRecorded,   // at its end, where classes that were rewritten bring the VM down (25.0.3, ArchiveBuilder)
  kAssembled,  // by a JVM that runs no program, which the recording one starts with all its flags, ours among them
};

Archive ArchiveUse(JavaVM* vm);

}  // namespace assay::agent
