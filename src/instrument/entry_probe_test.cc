#include "src/instrument/entry_probe.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "src/bytecode/decode.h"

namespace assay::instrument {
namespace {

ByteVector Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return ByteVector(std::istreambuf_iterator<char>(in), {});
}

// Every instruction of the rewritten method but the call lies where `moved` says that it does.
TEST(EntryProbe, SaysByHowMuchCodeMoved) {
  auto folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/fuzz/corpus/class";
  std::map<uint32_t, int> shifts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".class") continue;
    SCOPED_TRACE(entry.path().string());
    ByteVector bytes = Read(entry.path());
    auto moved = [&](const classfile::ClassFile& file, const classfile::Method& method, uint32_t by) {
      ++shifts[by];
      ByteSpan before = method.code, after = method.CurrentCode();
      uint32_t length = uint32_t{before[4]} << 24 | before[5] << 16 | before[6] << 8 | before[7];
      ASSERT_GE(after.size(), 8 + by + length);
      EXPECT_TRUE(std::equal(before.begin() + 8, before.begin() + 8 + length, after.begin() + 8 + by));
      EXPECT_EQ(after[8], 0xb8);
    };
    auto rewritten = AddEntryProbes(bytes, {"assay/Probe", "hit", 0, moved});
    ASSERT_TRUE(rewritten.ok());
    EXPECT_TRUE(rewritten->skipped.empty());
  }
  EXPECT_GT(shifts[3], 10);
  EXPECT_GT(shifts[4], 0) << "a switch keeps its alignment";
}

TEST(EntryProbe, LeavesShortMethodsAlone) {
  auto folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/fuzz/corpus/class";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".class") continue;
    auto rewritten = AddEntryProbes(Read(entry.path()), {"assay/Probe", "hit", 70000});
    ASSERT_TRUE(rewritten.ok());
    EXPECT_TRUE(rewritten->bytes.empty());
  }
}

TEST(EntryProbe, RefusesWhatIsNoClass) {
  EXPECT_FALSE(AddEntryProbes(ByteVector(100, 7), {"assay/Probe", "hit"}).ok());
}

}  // namespace
}  // namespace assay::instrument
