#include "src/cli/program.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(ProgramTest, WordsOfToolOptionsAreHeldTogetherByQuotes) {
  EXPECT_EQ(ToolOption("-XX:A=/plain/path,x"), "-XX:A=/plain/path,x");
  EXPECT_EQ(ToolOption("-Da=/a b"), "-Da=/a\" \"b");
  EXPECT_EQ(ToolOption("it's"), "it\"'\"s");
  EXPECT_EQ(ToolOption("a\"b"), "a'\"'b");
}

TEST(ProgramTest, LinesOfArgumentFilesAreQuotedWhereTheyNeedTo) {
  EXPECT_EQ(ArgumentFileLine("-XX:+A"), "-XX:+A\n");
  EXPECT_EQ(ArgumentFileLine("-Da=/a b"), "\"-Da=/a b\"\n");
  EXPECT_EQ(ArgumentFileLine("a#b"), "\"a#b\"\n");
  EXPECT_EQ(ArgumentFileLine("a\\b\"c"), "\"a\\\\b\\\"c\"\n");
}

}  // namespace
}  // namespace assay::cli
