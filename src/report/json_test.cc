#include "src/report/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace assay::report {
namespace {

std::string Text(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

std::string Number(double value, int digits = 6) {
  std::string out;
  AppendJsonNumber(value, digits, &out);
  return out;
}

TEST(Json, NothingThatAPageCouldTakeForMarkup) {
  const std::string out = Text("</script><!--&\xE2\x80\xA8\xE2\x80\xA9\"\\\n");
  EXPECT_EQ(out.find_first_of("<>&\n"), std::string::npos);
  EXPECT_EQ(out.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(),
            "</script><!--&\xE2\x80\xA8\xE2\x80\xA9\"\\\n");
}

TEST(Json, ModifiedUtf8BecomesUtf8) {
  // U+1F600 as two surrogates of three bytes each, and U+0000 as C0 80 (JVMS 4.4.7).
  EXPECT_EQ(nlohmann::json::parse(Text("\xED\xA0\xBD\xED\xB8\x80")).get<std::string>(),
            "\xF0\x9F\x98\x80");
  EXPECT_EQ(nlohmann::json::parse(Text("a\xC0\x80z")).get<std::string>(), std::string("a\0z", 3));
  EXPECT_EQ(nlohmann::json::parse(Text("\xC3\xA9\xF0\x9F\x98\x80")).get<std::string>(),
            "\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  for (const char* bad : {"\xFF", "\x80", "\xC3", "\xE2\x80", "\xF0\x9F\x98", "\xC1\xBF",
                          "\xE0\x80\xAF", "\xF7\xBF\xBF\xBF"}) {
    EXPECT_NO_THROW(nlohmann::json::parse(Text(bad))) << bad;
    EXPECT_NE(Text(bad).find("\xEF\xBF\xBD"), std::string::npos);
  }
}

TEST(Json, CountsAreExactAndTheRestIsShort) {
  EXPECT_EQ(Number(0), "0");
  EXPECT_EQ(Number(9007199254740991.0), "9007199254740991");
  EXPECT_EQ(Number(-3), "-3");
  EXPECT_EQ(Number(1234.56789), "1234.57");
  EXPECT_EQ(Number(0.012345, 3), "0.0123");
  EXPECT_EQ(Number(std::nan("")), "0");
  EXPECT_EQ(Number(INFINITY), "0");
  EXPECT_TRUE(std::isfinite(nlohmann::json::parse(Number(1e308)).get<double>() * 1e6));
}

}  // namespace
}  // namespace assay::report
