#include "src/agent/vm_info.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace assay::agent {
namespace {

// Enough to know the program by.
std::string ProcessCommand() {
  constexpr size_t kMost = 4096;
  FILE* file = std::fopen("/proc/self/cmdline", "re");
  if (file == nullptr) return "";
  std::string command;
  for (int c; command.size() < kMost && (c = std::fgetc(file)) != EOF;) command += c == 0 ? ' ' : static_cast<char>(c);
  std::fclose(file);
  if (command.size() == kMost) return command + "...";
  if (!command.empty()) command.pop_back();
  return command;
}

std::string Now() {
  char text[64];
  std::time_t now = std::time(nullptr);
  std::tm utc;
  gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

jvmtiEnv* PlainEnvironment(JavaVM* vm) {
  static jvmtiEnv* const environment = [vm] {
    jvmtiEnv* made = nullptr;
    bool ok = vm->GetEnv(reinterpret_cast<void**>(&made), JVMTI_VERSION_11) == JNI_OK;
    return ok ? made : nullptr;
  }();
  return environment;
}

std::string SystemProperty(jvmtiEnv* jvmti, const char* name) {
  char* value = nullptr;
  if (jvmti->GetSystemProperty(name, &value) != JVMTI_ERROR_NONE || value == nullptr) return "";
  std::string text = value;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(value));
  return text;
}

JNIEnv* CurrentJni(JavaVM* vm) {
  JNIEnv* jni = nullptr;
  return vm->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_8) == JNI_OK ? jni : nullptr;
}

int JavaFeatureRelease(jvmtiEnv* jvmti) {
  return std::atoi(SystemProperty(jvmti, "java.vm.specification.version").c_str());
}

void DescribeVm(JavaVM* vm, std::map<std::string, std::string>* metadata) {
  if (jvmtiEnv* jvmti = PlainEnvironment(vm)) {
    (*metadata)["jvm"] = SystemProperty(jvmti, "java.vm.name");
    (*metadata)["jvm-version"] = SystemProperty(jvmti, "java.vm.version");
  }
  metadata->try_emplace("start", Now());
  (*metadata)["command"] = ProcessCommand();
  (*metadata)["pid"] = std::to_string(getpid());
  (*metadata)["processors"] = std::to_string(sysconf(_SC_NPROCESSORS_ONLN));
  utsname machine;
  if (uname(&machine) == 0) {
    (*metadata)["machine"] =
        std::string(machine.sysname) + " " + machine.release + " " + machine.machine;
  }
}

jobject NewSystemThread(jvmtiEnv* jvmti, JNIEnv* jni, const char* name) {
  jint count = 0;
  jthreadGroup* groups = nullptr;
  if (jvmti->GetTopThreadGroups(&count, &groups) != JVMTI_ERROR_NONE || count == 0) return nullptr;
  jobject group = groups[0];
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(groups));
  jclass type = jni->FindClass("java/lang/Thread");
  jmethodID constructor =
      type == nullptr
          ? nullptr
          : jni->GetMethodID(type, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");
  jstring text = constructor == nullptr ? nullptr : jni->NewStringUTF(name);
  jobject thread = text == nullptr ? nullptr : jni->NewObject(type, constructor, group, text);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    return nullptr;
  }
  return thread;
}

}  // namespace assay::agent
