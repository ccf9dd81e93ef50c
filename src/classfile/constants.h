// Numbers of the class-file format (JVMS chapter 4).
#pragma once

#include <cstdint>

namespace assay::classfile {

inline constexpr uint32_t kMagic = 0xcafebabe;
inline constexpr uint16_t kOldestMajor = 45;
inline constexpr uint16_t kNewestMajor = 72;  // JDK 28

// JVMS table 4.4-A.
enum class Tag : uint8_t {
  kNone = 0,  // index 0, and the second half of a long or double
  kUtf8 = 1,
  kInteger = 3,
  kFloat = 4,
  kLong = 5,
  kDouble = 6,
  kClass = 7,
  kString = 8,
  kFieldRef = 9,
  kMethodRef = 10,
  kInterfaceMethodRef = 11,
  kNameAndType = 12,
  kMethodHandle = 15,
  kMethodType = 16,
  kDynamic = 17,
  kInvokeDynamic = 18,
  kModule = 19,
  kPackage = 20,
};

// Access flags; the meaning of a bit depends on what carries it.
inline constexpr uint16_t kAccPublic = 0x0001;
inline constexpr uint16_t kAccPrivate = 0x0002;
inline constexpr uint16_t kAccProtected = 0x0004;
inline constexpr uint16_t kAccStatic = 0x0008;
inline constexpr uint16_t kAccFinal = 0x0010;
inline constexpr uint16_t kAccSynchronized = 0x0020;  // methods
inline constexpr uint16_t kAccSuper = 0x0020;         // classes
inline constexpr uint16_t kAccVolatile = 0x0040;      // fields
inline constexpr uint16_t kAccBridge = 0x0040;        // methods
inline constexpr uint16_t kAccVarargs = 0x0080;       // methods
inline constexpr uint16_t kAccTransient = 0x0080;     // fields
inline constexpr uint16_t kAccNative = 0x0100;
inline constexpr uint16_t kAccInterface = 0x0200;
inline constexpr uint16_t kAccAbstract = 0x0400;
inline constexpr uint16_t kAccStrict = 0x0800;
inline constexpr uint16_t kAccSynthetic = 0x1000;
inline constexpr uint16_t kAccAnnotation = 0x2000;
inline constexpr uint16_t kAccEnum = 0x4000;
inline constexpr uint16_t kAccModule = 0x8000;    // classes
inline constexpr uint16_t kAccMandated = 0x8000;  // parameters

}  // namespace assay::classfile
