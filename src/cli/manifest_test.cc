#include "src/cli/manifest.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(Manifest, DigestsGoAndTheRestStays) {
  std::string manifest =
      "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\n"
      "Name: a/B.class\r\nSHA-256-Digest: abc\r\n def=\r\n\r\n"
      "Name: a/\r\nSealed: true\r\nSHA-256-Digest: x\r\n\r\n";
  EXPECT_EQ(WithoutDigests(manifest),
            "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\nName: a/\r\nSealed: true\r\n\r\n");
}

TEST(Manifest, OneWithoutDigestsIsKeptAsItIs) {
  for (std::string text : {"Manifest-Version: 1.0\nClass-Path: a.jar\n  b.jar\n\n", "",
                           "Manifest-Version: 1.0\r\n", "A: b\r\n\r\n\r\nName: x\r\nY: z"}) {
    EXPECT_EQ(WithoutDigests(text), text);
  }
}

TEST(Manifest, SignatureFiles) {
  EXPECT_TRUE(IsSignatureFile("META-INF/ACME.SF"));
  EXPECT_TRUE(IsSignatureFile("META-INF/acme.rsa"));
  EXPECT_TRUE(IsSignatureFile("META-INF/SIG-X"));
  EXPECT_FALSE(IsSignatureFile("META-INF/services/a.SF"));
  EXPECT_FALSE(IsSignatureFile("META-INF/MANIFEST.MF"));
  EXPECT_FALSE(IsSignatureFile("a/B.RSA"));
}

}  // namespace
}  // namespace assay::cli
