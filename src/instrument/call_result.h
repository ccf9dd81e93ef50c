// What becomes of the value that a call returns. The message of a NullPointerException names the
// instruction that a null came from, so a call whose result is dereferenced shows in it, and cannot
// be given a copy without changing the message. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/bytecode/code.h"
#include "src/classfile/constant_pool.h"

namespace assay::instrument {

// Why the origin of the call's result could show in a message; "" when it cannot. `descriptor` is
// that of the method called, `call` one of the elements.
std::string OriginShows(const classfile::ConstantPool& pool,
                        std::span<const bytecode::Element> elements, const bytecode::Element* call,
                        std::string_view descriptor);

}  // namespace assay::instrument
