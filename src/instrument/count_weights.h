// What each instruction counts for: 1 unless a file says otherwise (P3, section 10). Lines of the
// file are "CLASS WEIGHT"; # starts a comment. Weights are whole numbers from 0 to 1000, so that
// sums are the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "src/base/result.h"

namespace assay::instrument {

inline constexpr uint32_t kMostWeight = 1000;

struct OpcodeWeights {
  std::array<uint16_t, 256> of;
  OpcodeWeights() { of.fill(1); }
};

struct OpcodeClass {
  std::string_view name;
  std::string_view examples;
};

// The classes, in the order of ClassOfOpcode's numbers.
inline constexpr OpcodeClass kOpcodeClasses[] = {
    {"constant", "iconst_0, ldc"},
    {"load", "iload, aload_0"},
    {"store", "istore, astore_1"},
    {"stack", "dup, pop, swap"},
    {"arithmetic", "iadd, lsub, ishl, iand, iinc"},
    {"multiply", "imul, lmul"},
    {"divide", "idiv, lrem"},
    {"float", "fadd, dmul, dneg"},
    {"float-divide", "fdiv, drem"},
    {"convert", "i2l, d2i"},
    {"branch", "ifeq, if_icmplt, goto, lcmp"},
    {"switch", "tableswitch, lookupswitch"},
    {"array-load", "iaload, aaload, arraylength"},
    {"array-store", "iastore, aastore"},
    {"field", "getfield, putfield"},
    {"static", "getstatic, putstatic"},
    {"call", "invokestatic, invokespecial, invokevirtual"},
    {"interface-call", "invokeinterface, invokedynamic"},
    {"return", "ireturn, return"},
    {"new", "new"},
    {"new-array", "newarray, anewarray, multianewarray"},
    {"cast", "checkcast, instanceof"},
    {"monitor", "monitorenter, monitorexit"},
    {"throw", "athrow"},
};

// An index into kOpcodeClasses.
size_t ClassOfOpcode(uint8_t opcode);

Result<OpcodeWeights> ParseWeights(std::string_view text);

}  // namespace assay::instrument
