// Where code that a pass adds may note that an exception was caught.
#pragma once

#include <cstdint>
#include <vector>

#include "src/bytecode/code.h"

namespace assay::bytecode {

// By element of the code.
//
// The place is the first instruction of a handler, unless the handler covers it itself, as javac's
// of `synchronized` does until the monitor is free. Where the stack is full, a call added there
// would lead to the same handler again, and the program go in circles for ever with the monitor
// held. Without the handler's cover an overflow would leave the monitor locked, and HotSpot would
// not compile the method. So the place is behind that range, if control falls through to there.
struct HandlerEntries {
  enum Place : uint8_t { kNone, kLater, kFirst };

  std::vector<Place>
      place;  // add it before this instruction; kFirst: the exception is on the stack
  std::vector<uint8_t> silent;  // on the way to the place: no call may be added before this one
};

HandlerEntries FindHandlerEntries(const Code& code);

}  // namespace assay::bytecode
