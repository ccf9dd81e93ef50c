#include "src/instrument/count_scope.h"

#include <algorithm>

namespace assay::instrument {
namespace {

constexpr std::string_view kAnnotations = "RuntimeVisibleAnnotations";

bool SkipElementValue(ByteReader& reader, int depth);

bool SkipPairs(ByteReader& reader, int depth) {
  for (uint16_t pairs = reader.U2(); pairs > 0; --pairs) {
    reader.Skip(2);
    if (!SkipElementValue(reader, depth)) return false;
  }
  return reader.ok();
}

// JVMS 4.7.16.1
bool SkipElementValue(ByteReader& reader, int depth) {
  if (depth > 32) return false;
  switch (reader.U1()) {
    case 'e':
      reader.Skip(4);
      return reader.ok();
    case '@':
      reader.Skip(2);
      return SkipPairs(reader, depth + 1);
    case '[':
      for (uint16_t count = reader.U2(); count > 0; --count) {
        if (!SkipElementValue(reader, depth + 1)) return false;
      }
      return reader.ok();
    default:
      reader.Skip(2);
      return reader.ok();
  }
}

bool HasAnnotation(const classfile::ClassFile& file, const classfile::Method& method,
                   std::string_view type) {
  ByteSpan content = file.FindAttribute(method.attributes, kAnnotations);
  if (content.empty()) return false;
  ByteReader reader(content);
  for (uint16_t count = reader.U2(); count > 0 && reader.ok(); --count) {
    if (file.pool.Utf8(reader.U2()) == type) return true;
    if (!SkipPairs(reader, 0)) return false;
  }
  return false;
}

bool StartsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool IsAny(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the VM throws on its own; hot ones are preallocated by the compiler (OmitStackTraceInFastThrow).
bool IsVmException(std::string_view name) {
  return IsAny(name, {"java/lang/NullPointerException", "java/lang/ArithmeticException",
                      "java/lang/ArrayIndexOutOfBoundsException", "java/lang/ArrayStoreException",
                      "java/lang/ClassCastException", "java/lang/NegativeArraySizeException",
                      "java/lang/IllegalMonitorStateException"}) ||
         (name.starts_with("java/lang/") && name.ends_with("Error"));
}

bool IsOpaqueClass(std::string_view name) {
  // Lambda forms that the JDK was built with: ordinary code on the way to the program's.
  if (name.starts_with("java/lang/invoke/") && name.ends_with("$Holder")) return false;
  return StartsWithAny(name, {"java/lang/invoke/", "java/lang/ref/", "jdk/internal/ref/",
                              "java/lang/module/", "jdk/internal/module/", "jdk/internal/loader/",
                              "java/lang/ClassLoader", "java/lang/ClassValue",
                              "java/lang/ThreadLocal$ThreadLocalMap", "java/net/URLClassLoader",
                              "jdk/internal/reflect/MethodAccessorGenerator"}) ||
         IsAny(name, {"java/lang/Class", "java/lang/Module", "java/lang/ModuleLayer"});
}

// How often a thread looks before it finds what it waits for. Collections and single operations are
// the program's own work.
bool IsWaiting(std::string_view name) {
  return name == "java/lang/Thread" ||
         (name.starts_with("java/util/concurrent/") &&
          !StartsWithAny(name, {"java/util/concurrent/Concurrent", "java/util/concurrent/CopyOnWrite",
                                "java/util/concurrent/atomic/"}));
}

bool IsOpaqueMethod(std::string_view class_name, std::string_view name) {
  if (class_name == "java/lang/Object" && name == "wait") return true;
  // Computed once by whoever comes first, which may be a thread of the JVM or the one that dumped it.
  if (class_name == "java/lang/String" && name == "hashCode") return true;
  return class_name == "java/util/WeakHashMap" && name == "expungeStaleEntries";
}

bool IsClassLoading(std::string_view name, std::string_view descriptor) {
  return (name == "loadClass" || name == "findClass") &&
         descriptor == "(Ljava/lang/String;)Ljava/lang/Class;";
}

}  // namespace

bool IsNeverCounted(std::string_view name) {
  // Generated accessors are numbered in the order in which they are needed.
  // The runtime itself uses Unsafe. Virtual threads change which thread is the current one in the middle of a method.
  return name.starts_with("java/lang/Assay") || name.starts_with("assay/runtime/") || name.starts_with("java/lang/VirtualThread") ||
         name.starts_with("jdk/internal/vm/") || name == "jdk/internal/misc/Unsafe" ||
         name.starts_with("jdk/internal/reflect/GeneratedMethodAccessor") ||
         name.starts_with("jdk/internal/reflect/GeneratedConstructorAccessor") ||
         name.starts_with("jdk/internal/reflect/GeneratedSerializationConstructorAccessor");
}

CountMode CountModeOf(const classfile::ClassFile& file, const classfile::Method& method,
                      bool jdk_class, bool calls) {
  std::string_view class_name = file.Name();
  std::string_view name = file.NameOf(method);
  std::string_view descriptor = file.DescriptorOf(method);
  if (!jdk_class) return CountMode::kCounted;
  const CountMode opaque = calls ? CountMode::kOpaque : CountMode::kUntouched;
  if (HasAnnotation(file, method, "Ljdk/internal/vm/annotation/IntrinsicCandidate;")) return opaque;
  bool forced_inline = HasAnnotation(file, method, "Ljdk/internal/vm/annotation/ForceInline;");
  if (IsWaiting(class_name)) return opaque;
  if (IsOpaqueClass(class_name)) return forced_inline ? CountMode::kUntouched : opaque;
  if (name == "<init>" && IsVmException(class_name)) return opaque;
  // Static initializers of the JDK read the machine, the environment and the VM's flags.
  if (name == "<clinit>" || IsOpaqueMethod(class_name, name)) return opaque;
  return IsClassLoading(name, descriptor) ? opaque : CountMode::kCounted;
}

}  // namespace assay::instrument
