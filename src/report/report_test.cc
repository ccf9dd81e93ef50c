#include "src/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace assay::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Undoes base64 and deflate, with code that is not ours where it matters.
std::string Unpack(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int have = 0;
  for (char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    have += 6;
    if (have >= 8) bytes.push_back(static_cast<char>(bits >> (have -= 8)));
  }
  std::string out(1 << 20, '\0');
  uLongf size = out.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  return out.substr(0, size);
}

TEST(Report, DataSurviveThePacking) {
  for (size_t length : {0, 1, 2, 3, 4, 1000}) {
    const std::string data(length, 'x');
    Result<std::string> page = AssemblePage("<a>@ASSAY-DATA@</a>", data);
    ASSERT_TRUE(page.ok());
    ASSERT_TRUE(page->starts_with("<a>") && page->ends_with("</a>"));
    EXPECT_EQ(Unpack(std::string_view(*page).substr(3)), data);
  }
}

TEST(Report, APageWithoutAMarkIsAnError) { EXPECT_FALSE(AssemblePage("<html>", "x").ok()); }

TEST(Report, TheBuiltPageReachesOutToNothing) {
  const std::string page(PageTemplate());
  EXPECT_EQ(page.find(kDataMark), page.rfind(kDataMark));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("require-trusted-types-for 'script'"));
  for (const char* outside : {" src=\"http", " href=\"http", "url(http", "@import", "'unsafe-"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Report, NamesNeverReachThePageAsText) {
  profile::Profile p;
  const auto a = p.InternMethod("</script><script>alert(1)</script>", "<img onerror=x>", "()V");
  p.AddEdge(a, 0, a, 1, 1);
  p.metadata["command"] = "</title><script>alert(2)</script>";
  Result<std::string> page = MakeReport({{"<b>name</b>", &p}}, {});
  ASSERT_TRUE(page.ok());
  for (const char* name : {"alert(", "<img", "<b>"}) EXPECT_THAT(*page, Not(HasSubstr(name)));
}

TEST(Report, TakesOneOrTwoProfiles) {
  const profile::Profile p;
  EXPECT_TRUE(MakeReport({{"a", &p}}, {}).ok());
  EXPECT_TRUE(MakeReport({{"a", &p}, {"b", &p}}, {}).ok());
  EXPECT_FALSE(MakeReport({}, {}).ok());
  EXPECT_FALSE(MakeReport({{"a", &p}, {"b", &p}, {"c", &p}}, {}).ok());
}

}  // namespace
}  // namespace assay::report
