// Names of methods for people and for other tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/profile/profile.h"

namespace assay::profile {

// "(ILjava/lang/String;[J)V" -> "(int, String, long[])"; the descriptor itself when malformed.
std::string Parameters(std::string_view descriptor);

// The name of a hidden class without the address that the VM gives it (p.Name$$Lambda/0x7f00),
// which is another in every run; other names as they are.
std::string StableClassName(std::string name);

// One distinct name per method, by method id: pkg.Class.name, with the parameters where the name
// alone is overloaded in this profile. Valid UTF-8 without control characters, line ends and ';',
// so that any text format can hold it. Method 0 is "<native>".
std::vector<std::string> FrameNames(const Profile& profile);

}  // namespace assay::profile
