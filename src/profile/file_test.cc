// The profile file: round trips, incremental writing, kills at any byte, damage of every kind.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/profile/format.h"
#include "src/profile/reader.h"
#include "src/profile/test_profiles.h"
#include "src/profile/writer.h"

namespace assay::profile {
namespace {

class FileTest : public testing::Test {
 protected:
  FileTest() {
    char name[] = "/tmp/assay-file-test-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/a.profile";
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  Result<std::unique_ptr<ProfileWriter>> Published() const {
    auto writer = ProfileWriter::Create(path_);
    EXPECT_TRUE(writer.ok() && (*writer)->Publish().ok());
    return writer;
  }
  ByteVector Bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return ByteVector(std::istreambuf_iterator<char>(in), {});
  }
  std::string folder_;
  std::string path_;
};

// Chunks built by hand from the specification, independent of the encoder.
class HandMade {
 public:
  HandMade(uint32_t version = 1) : version_(version) {}
  HandMade& Chunk(uint32_t type, const std::string& payload) {
    ByteWriter chunk;
    chunk.Fixed32(type);
    chunk.Fixed32(static_cast<uint32_t>(payload.size()));
    chunk.Text(payload);
    uint32_t crc = Crc32(chunk.bytes());
    chunk.Fixed32(crc);
    chunks_.Bytes(chunk.bytes());
    return *this;
  }
  ByteVector File() const {
    ByteWriter file;
    file.Bytes(format::kMagic);
    file.Fixed32(version_);
    file.Fixed32(Crc32(file.bytes()));
    file.Fixed64(format::PackCommitted(24 + chunks_.size()));
    file.Bytes(chunks_.bytes());
    return file.Take();
  }

 private:
  uint32_t version_;
  ByteWriter chunks_;
};

std::string ErrorOf(const ByteVector& bytes) {
  Result<Profile> profile = ParseProfile(bytes);
  return profile.ok() ? "no error" : profile.error().ToString();
}

TEST(Crc32Test, KnownValues) {
  std::string text = "123456789";
  ByteSpan bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  EXPECT_EQ(Crc32(bytes), 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(Crc32(bytes.subspan(4), Crc32(bytes.first(4))), 0xcbf43926u);
  EXPECT_EQ(Crc32({}), 0u);
}

TEST_F(FileTest, RoundTripsEverything) {
  Profile profile = FullProfile();
  ASSERT_TRUE(WriteProfile(profile, path_).ok());
  Result<Profile> back = ReadProfile(path_);
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  EXPECT_EQ(Dump(*back), Dump(profile));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, RoundTripsManyChunks) {
  Profile profile = RandomProfile(1, 20000, 100000, 50000);
  ASSERT_TRUE(WriteProfile(profile, path_).ok());
  Result<Profile> back = ReadProfile(path_);
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  EXPECT_EQ(Dump(*back), Dump(profile));
}

TEST_F(FileTest, IncrementalWritingEqualsWritingAtOnce) {
  auto writer = Published();
  ASSERT_TRUE(writer.ok());
  Profile profile;
  std::mt19937 random(7);
  for (int step = 0; step < 200; ++step) {
    for (int i = 0; i < 500; ++i) {
      MethodId a = profile.InternMethod("C", "m" + std::to_string(random() % 100), "()V");
      MethodId b = profile.InternMethod("C", "n" + std::to_string(random() % 100), "()V");
      profile.AddEdge(a, random() % 9, b, 1, 1 + random() % 8 / 8.0, 0.25);
      profile.node(profile.InternNode(random() % profile.nodes().size(), 1, b)).calls += 1;
    }
    profile.method(1 + random() % 90).code_bytes = 1 + random() % 90;
    profile.metadata["duration"] = std::to_string(step);
    profile.lost["full"] += random() % 2;
    profile.threads.push_back("t" + std::to_string(step));
    profile.ticks.push_back({static_cast<uint32_t>(step), random(), 1, 2, 0.5, 3});
    profile.tables["fields"].columns = {"field"};
    profile.tables["fields"].rows.push_back({{"f" + std::to_string(step)}, 1, 1});
    ASSERT_TRUE((*writer)->Flush(profile).ok());
    if (step % 20 == 0) {
      Result<Profile> back = ReadProfile(path_);
      ASSERT_TRUE(back.ok()) << back.error().ToString();
      EXPECT_EQ(back->metadata["ended"], "unfinished");
      back->metadata.erase("ended");
      EXPECT_EQ(Dump(*back), Dump(profile));
    }
  }
  ASSERT_TRUE((*writer)->Finish(profile).ok());
  Result<Profile> back = ReadProfile(path_);
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  EXPECT_EQ(Dump(*back), Dump(profile));
  uint64_t finished = std::filesystem::file_size(path_);
  ASSERT_TRUE(WriteProfile(profile, path_).ok());
  EXPECT_EQ(std::filesystem::file_size(path_), finished);
}

TEST_F(FileTest, FlushWithoutChangeAppendsNothing) {
  auto writer = Published();
  Profile profile = FullProfile();
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  uint64_t size = std::filesystem::file_size(path_);
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  EXPECT_EQ(std::filesystem::file_size(path_), size);
  profile.edge(1).weight += 1;
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  EXPECT_LT(std::filesystem::file_size(path_), size + 40);
}

TEST_F(FileTest, WhatTheProfileForgetsLeavesTheFile) {
  auto writer = Published();
  Profile profile = FullProfile();
  for (int step = 0; step < 50; ++step) {
    for (int i = 0; i < 1000; ++i) {
      MethodId method = profile.InternMethod("C", std::to_string(step), "()V");
      profile.node(profile.InternNode(kRootNode, i, method)).self = 1 + i;
    }
    ASSERT_TRUE((*writer)->Flush(profile).ok());
    Result<Profile> back = ReadProfile(path_);
    ASSERT_TRUE(back.ok()) << back.error().ToString();
    back->metadata.erase("ended");
    EXPECT_EQ(Dump(*back), Dump(profile));
    ASSERT_LT(std::filesystem::file_size(path_), 20000u);
    profile.ForgetGraph();
    EXPECT_EQ(profile.nodes().size(), 1u);
    EXPECT_EQ(profile.methods().size(), 1u);
    if (step % 10 == 0) profile.InternMethod("D", "other", "()V");  // other numbers than before
  }
  ASSERT_TRUE((*writer)->Finish(profile).ok());
  EXPECT_EQ(Dump(*ReadProfile(path_)), Dump(profile));
}

TEST_F(FileTest, AProfileThatRestartsBeginsTheFileAnew) {
  auto writer = Published();
  Profile profile = RandomProfile(5, 1000, 5000, 5000);
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  profile.Restart();
  EXPECT_EQ(profile.methods().size(), Profile().methods().size());
  profile.AddEdge(1, 2, 1, 3, 4);
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  profile.Restart();
  ASSERT_TRUE((*writer)->Finish(profile).ok());
  EXPECT_EQ(Dump(*ReadProfile(path_)), Dump(Profile()));
}

TEST_F(FileTest, WhatWasThereStaysUntilTheWriterPublishes) {
  Profile old = FullProfile();
  ASSERT_TRUE(WriteProfile(old, path_).ok());
  {
    auto writer = ProfileWriter::Create(path_);
    ASSERT_TRUE(writer.ok());
    EXPECT_EQ(Dump(*ReadProfile(path_)), Dump(old));
  }
  EXPECT_EQ(Dump(*ReadProfile(path_)), Dump(old));
  auto left = std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  EXPECT_EQ(left, 1);
}

TEST_F(FileTest, LogStaysWithinAFactorOfItsCompactSize) {
  auto writer = Published();
  Profile profile = RandomProfile(3, 1000, 20000, 0);
  for (int step = 0; step < 100; ++step) {
    for (EdgeId id = 0; id < profile.edges().size(); ++id) profile.edge(id).weight += 0.5;
    ASSERT_TRUE((*writer)->Flush(profile).ok());
  }
  uint64_t log = std::filesystem::file_size(path_);
  ASSERT_TRUE((*writer)->Finish(profile).ok());
  EXPECT_LT(log, 6 * std::filesystem::file_size(path_));
}

TEST_F(FileTest, AKillDuringAnAppendLeavesTheLastFlush) {
  auto writer = Published();
  Profile profile = FullProfile();
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  ByteVector before = Bytes();
  std::string dump = Dump(profile);
  profile.AddEdge(2, 99, 3, 5, 5);
  ASSERT_TRUE((*writer)->Flush(profile).ok());
  ByteVector after = Bytes();
  ASSERT_GT(after.size(), before.size());
  // The old header with any part of the new bytes, as the page cache holds them after kill -9.
  for (size_t length = before.size(); length <= after.size(); ++length) {
    ByteVector torn = before;
    torn.insert(torn.end(), after.begin() + before.size(), after.begin() + length);
    Result<Profile> back = ParseProfile(torn);
    ASSERT_TRUE(back.ok()) << back.error().ToString();
    back->metadata.erase("ended");
    EXPECT_EQ(Dump(*back), dump);
  }
}

TEST_F(FileTest, EveryTruncationIsAnErrorWithItsOffset) {
  ASSERT_TRUE(WriteProfile(FullProfile(), path_).ok());
  ByteVector bytes = Bytes();
  for (size_t length = 0; length < bytes.size(); ++length) {
    Result<Profile> back = ParseProfile(ByteSpan(bytes).first(length));
    ASSERT_FALSE(back.ok()) << length;
    EXPECT_EQ(back.error().offset, length);
  }
}

TEST_F(FileTest, EveryBitFlipIsAnErrorWithAnOffset) {
  ASSERT_TRUE(WriteProfile(FullProfile(), path_).ok());
  ByteVector bytes = Bytes();
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    bytes[i / 8] ^= 1 << i % 8;
    Result<Profile> back = ParseProfile(bytes);
    ASSERT_FALSE(back.ok()) << "bit " << i;
    EXPECT_LE(back.error().offset, bytes.size());
    bytes[i / 8] ^= 1 << i % 8;
  }
}

// Damage behind a valid checksum: a hostile file rather than a broken disk.
TEST_F(FileTest, EveryByteReplacedUnderAValidChecksumIsReadOrRefused) {
  ASSERT_TRUE(WriteProfile(FullProfile(), path_).ok());
  ByteVector bytes = Bytes();
  int refused = 0, read = 0;
  for (size_t at = 24; at < bytes.size();) {
    uint32_t length = ByteReader(ByteSpan(bytes).subspan(at + 4)).Fixed32();
    for (size_t i = at + 8; i < at + 8 + length; ++i) {
      for (int value : {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff}) {
        ByteVector changed = bytes;
        changed[i] = static_cast<uint8_t>(value);
        uint32_t crc = Crc32(ByteSpan(changed).subspan(at, 8 + length));
        for (int b = 0; b < 4; ++b) changed[at + 8 + length + b] = crc >> (8 * b);
        Result<Profile> back = ParseProfile(changed);
        ++(back.ok() ? read : refused);
        if (!back.ok()) {
          EXPECT_LE(back.error().offset, bytes.size());
        }
      }
    }
    at += length + 12;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

TEST(FormatTest, ReadsAHandMadeFile) {
  std::string methods = std::string("\0\1\2", 3) + std::string("\0\3\2", 3);
  ByteVector file =
      HandMade()
          .Chunk(2, "\1C\4main\3()V\1f")
          .Chunk(3, methods)
          // caller +1 (zigzag 2), bci 7 (14), callee 2, 5 samples, 100 calls, no variance
          .Chunk(5, std::string("\2\x0e\2\5\xc8\1\0", 7))
          .Chunk(17, std::string("\3\1\1", 3))
          .File();
  Result<Profile> profile = ParseProfile(file);
  ASSERT_TRUE(profile.ok()) << profile.error().ToString();
  ASSERT_EQ(profile->edges().size(), 1u);
  const Edge& edge = profile->edges()[0];
  EXPECT_EQ(profile->method(edge.caller).ToString(), "C.main()V");
  EXPECT_EQ(profile->method(edge.callee).ToString(), "C.f()V");
  EXPECT_EQ(edge.bci, 7);
  EXPECT_EQ(edge.samples, 5u);
  EXPECT_EQ(edge.weight, 100);
}

TEST(FormatTest, NewerFilesAreRefusedAndOptionalChunksSkipped) {
  EXPECT_EQ(ErrorOf(HandMade(2).File()),
            "the profile was written by a newer version of Assay (format 2, this one reads up to 1)"
            " at byte 8");
  EXPECT_EQ(ErrorOf(HandMade().Chunk(1000, "x").File()),
            "the profile was written by a newer version of Assay (chunk type 1000 is unknown):"
            " read it with that version at byte 32");
  EXPECT_EQ(ErrorOf(HandMade().Chunk(0x80000000u | 1000, "x").File()), "no error");
}

TEST(FormatTest, HostileContentIsRefused) {
  EXPECT_EQ(ErrorOf({}), "not an Assay profile: the file is empty at byte 0");
  EXPECT_EQ(ErrorOf(ByteVector(100, 'x')), "not an Assay profile at byte 0");
  EXPECT_EQ(ErrorOf(HandMade().Chunk(2, "\x7fxx").File()),
            "damaged profile: bad string at byte 33");
  EXPECT_EQ(ErrorOf(HandMade().Chunk(2, "\1a").Chunk(3, std::string(6, '\0')).File()),
            "damaged profile: a method twice at byte 52");
  EXPECT_EQ(ErrorOf(HandMade().Chunk(7, std::string(6, '\0')).File()),
            "damaged profile: bad context node at byte 38");
  EXPECT_EQ(ErrorOf(HandMade().Chunk(17, std::string("\1\0\2", 3)).File()),
            "damaged profile: counts at the end do not match at byte 35");
  std::string end("\1\0\1", 3);
  EXPECT_EQ(ErrorOf(HandMade().Chunk(17, end).Chunk(2, "\1a").File()),
            "damaged profile: data after its end at byte 47");
  // A hint of 2^60 edges must not allocate them.
  EXPECT_EQ(ErrorOf(HandMade()
                        .Chunk(0x80000001u,
                               "\xff\xff\xff\xff\xff\xff\xff\x7f"
                               "\xff\xff\xff\xff\xff\xff\xff\x7f"
                               "\xff\xff\xff\xff\xff\xff\xff\x7f")
                        .File()),
            "no error");
}

TEST_F(FileTest, ValuesThatTheFormatForbidsAreWrittenAsTheNearestAllowed) {
  Profile profile;
  MethodId m = profile.InternMethod("C", "m", "()V");
  profile.AddEdge(m, 1, m, 1, std::numeric_limits<double>::quiet_NaN(), -1);
  profile.AddEdge(m, 2, m, 1, std::numeric_limits<double>::infinity(), 1e200);
  ASSERT_TRUE(WriteProfile(profile, path_).ok());
  Result<Profile> back = ReadProfile(path_);
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  EXPECT_EQ(back->edges()[0].weight, 0);
  EXPECT_EQ(back->edges()[0].variance, 0);
  EXPECT_EQ(back->edges()[1].weight, 1e150);
  EXPECT_EQ(back->edges()[1].variance, 1e150);
}

TEST_F(FileTest, ErrorsNameTheFile) {
  EXPECT_NE(ReadProfile(path_).error().ToString().find("No such file"), std::string::npos);
  EXPECT_NE(ReadProfile(folder_).error().ToString().find("not a regular file"), std::string::npos);
  EXPECT_FALSE(WriteProfile(Profile(), "/dev/null").ok());
  EXPECT_FALSE(ProfileWriter::Create(folder_ + "/none/a.profile").ok());
  std::ofstream(path_) << "hello, this is no profile at all";
  EXPECT_EQ(ReadProfile(path_).error().ToString(), "not an Assay profile at byte 0 in " + path_);
}

}  // namespace
}  // namespace assay::profile
