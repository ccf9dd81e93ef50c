// CRC-32 as in zlib and PNG (polynomial EDB88320 reflected), eight bytes at a step. Own code
// because the agent carries no dependency.
#pragma once

#include <cstdint>

#include "src/base/bytes.h"

namespace assay::profile {

// `seed` is the result for the bytes before, 0 at the start.
uint32_t Crc32(ByteSpan bytes, uint32_t seed = 0);

}  // namespace assay::profile
