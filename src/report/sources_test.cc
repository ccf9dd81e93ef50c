#include "src/report/sources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay::report {
namespace {

namespace fs = std::filesystem;
using profile::Method;

class SourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("assay-sources-" + std::to_string(getpid()));
    fs::create_directories(root_ / "src/p");
    Write("src/p/A.java", 40);
    Write("secret/Secret.java", 5);
    Write("Secret.java", 5);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& path, int lines) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream out(root_ / path);
    for (int i = 1; i <= lines; ++i) out << "line " << i << "\r\n";
  }

  Sources Load(const Method& method, uint32_t line, size_t limit = 1000) {
    Sources sources({(root_ / "none").string(), (root_ / "src").string()});
    sources.Want(method, line);
    sources.Load(2, limit);
    return sources;
  }

  fs::path root_;
};

Method In(std::string class_name, std::string file) {
  Method method;
  method.class_name = std::move(class_name);
  method.source_file = std::move(file);
  return method;
}

TEST_F(SourcesTest, TakesTheLinesAround) {
  const Method method = In("p.A$Inner", "A.java");
  const Sources sources = Load(method, 10);
  ASSERT_EQ(sources.FileOf(method), 0);
  const auto& lines = sources.files()[0].lines;
  EXPECT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines.at(8), "line 8");
  EXPECT_EQ(lines.at(12), "line 12");
  EXPECT_EQ(Load(method, 1).files()[0].lines.size(), 3u);
  EXPECT_TRUE(Load(method, 1000).files().empty());
}

TEST_F(SourcesTest, NeverLeavesItsFolders) {
  EXPECT_EQ(SourcePath(In("p.A", "../../Secret.java")), "");
  EXPECT_EQ(SourcePath(In("p.A", "..")), "");
  EXPECT_EQ(SourcePath(In("..p.A", "Secret.java")), "");
  EXPECT_EQ(SourcePath(In("p/../...A", "Secret.java")), "");
  EXPECT_EQ(SourcePath(In("p.A", std::string("A\0B", 3))), "");
  EXPECT_EQ(SourcePath(In("", "A.java")), "");
  EXPECT_EQ(SourcePath(In("A", "A.java")), "A.java");
  fs::create_symlink(root_ / "secret", root_ / "src/link");
  EXPECT_TRUE(Load(In("link.X", "Secret.java"), 1).files().empty());
  fs::create_symlink(root_ / "Secret.java", root_ / "src/p/Link.java");
  EXPECT_TRUE(Load(In("p.Link", "Link.java"), 1).files().empty());
}

TEST_F(SourcesTest, SaysWhenItStoppedForSize) {
  const Sources sources = Load(In("p.A", "A.java"), 10, 20);
  EXPECT_TRUE(sources.truncated());
  EXPECT_EQ(sources.files()[0].lines.size(), 2u);
}

TEST(LineOf, IsTheLastEntryAtOrBefore) {
  Method method;
  method.lines = {{4, 10}, {9, 12}};
  EXPECT_EQ(LineOf(method, -1), 0u);
  EXPECT_EQ(LineOf(method, 3), 0u);
  EXPECT_EQ(LineOf(method, 4), 10u);
  EXPECT_EQ(LineOf(method, 8), 10u);
  EXPECT_EQ(LineOf(method, 70000), 12u);
  EXPECT_EQ(LineOf(Method{}, 1), 0u);
}

}  // namespace
}  // namespace assay::report
