// META-INF/MANIFEST.MF of a jar whose signature no longer holds.
#pragma once

#include <string>
#include <string_view>

namespace assay::cli {

// Files that only sign a jar: META-INF/*.SF, *.RSA, *.DSA, *.EC and META-INF/SIG-*.
bool IsSignatureFile(std::string_view name);

// The manifest without the digests of entries, and without the sections that held nothing else.
std::string WithoutDigests(std::string_view manifest);

}  // namespace assay::cli
