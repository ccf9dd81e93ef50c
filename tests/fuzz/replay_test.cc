// The seeds and every past finding, through the functions that found them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/targets.h"

namespace assay::fuzz {
namespace {

TEST(FuzzReplay, SeedsAndFindings) {
  for (const Target& target : kTargets) {
    std::filesystem::path folder =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/fuzz/corpus" / std::string(target.name);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      SCOPED_TRACE(entry.path().string());
      std::ifstream in(entry.path(), std::ios::binary);
      ByteVector bytes(std::istreambuf_iterator<char>(in), {});
      target.run(bytes);
      ++files;
    }
    EXPECT_GT(files, 0) << folder;
  }
}

}  // namespace
}  // namespace assay::fuzz
