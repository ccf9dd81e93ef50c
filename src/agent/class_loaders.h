// The class loaders of the JDK, for native code. On a Java thread without a pending exception; leaves none.
#pragma once

#include <jni.h>

namespace assay::agent {

enum class ClassLoaderOf { kPlatform, kSystem };

// A local reference; null where the JVM has none, which does not happen.
jobject FindClassLoader(JNIEnv* jni, ClassLoaderOf which);

}  // namespace assay::agent
