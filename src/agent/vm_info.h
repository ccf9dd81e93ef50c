// Small facts about the JVM we live in, through JVMTI and JNI. Java threads in native code only.
#pragma once

#include <jvmti.h>

#include <map>
#include <string>

namespace assay::agent {

// The environment for questions that need no events and no capabilities: one for the life of the VM,
// because every environment that was ever made costs the VM memory per thread until its end. Null
// when the JVM has no JVMTI.
jvmtiEnv* PlainEnvironment(JavaVM* vm);

// Adds jvm, jvm-version, command, pid, start, machine, processors to a profile's metadata.
void DescribeVm(JavaVM* vm, std::map<std::string, std::string>* metadata);

// A new java.lang.Thread object in the system thread group, where programs do not look; null on
// failure, with no exception pending.
jobject NewSystemThread(jvmtiEnv* jvmti, JNIEnv* jni, const char* name);

// The JNI environment of the current thread; null when it is not a Java thread.
JNIEnv* CurrentJni(JavaVM* vm);

std::string SystemProperty(jvmtiEnv* jvmti, const char* name);

// The feature release: 17, 25; 0 when unknown.
int JavaFeatureRelease(jvmtiEnv* jvmti);

}  // namespace assay::agent
