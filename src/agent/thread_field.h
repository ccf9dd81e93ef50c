// A field of java.lang.Thread that holds what a collector's runtime class keeps for each thread: the
// shortest way from a thread to it that Java code has, three loads. A class that is loaded cannot get a
// field, so Thread is changed while the VM loads it, before any Java code runs; the runtime class needs
// another way for JVMs that were attached to.
#pragma once

#include <jvmti.h>

#include <string_view>

namespace assay::agent {

inline constexpr std::string_view kThreadField = "assay";

// Asks for the field, of that type. Later than in Agent_OnLoad, with an archive of classes linked ahead of time, or on a JVM
// that cannot do it, nothing happens.
void WantThreadField(JavaVM* vm, std::string_view descriptor);
// In the live phase: stops watching for Thread. Returns whether it has the field.
bool SettleThreadField();

}  // namespace assay::agent
