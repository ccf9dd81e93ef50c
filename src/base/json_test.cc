#include "src/base/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "src/base/utf8.h"

namespace assay {
namespace {

TEST(JsonTest, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject().Field("a", 1).Key("b").BeginArray().Number(0.5).Null().Bool(true).EndArray();
  json.Key("c").BeginObject().EndObject().Field("d", "x").EndObject();
  EXPECT_EQ(json.text(), R"({"a":1,"b":[0.5,null,true],"c":{},"d":"x"})");
}

TEST(JsonTest, IndentsOuterLevelsOnly) {
  JsonWriter json(1);
  json.BeginObject().Key("a").BeginArray().Number(1).Number(2).EndArray().Field("b", 2).EndObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": [1,2],\n  \"b\": 2\n}");
}

TEST(JsonTest, HostileTextStaysText) {
  for (std::string text : {std::string("</script><b>\"\\\n\x01\x7f"), std::string("\xff\xc0\x80z"),
                           std::string("\xed\xa0\x80"), std::string("h\xc3\xa4\xf0\x9f\x98\x80"),
                           std::string("a\0b", 3), std::string("\xe2\x82")}) {
    JsonWriter json;
    json.String(text);
    EXPECT_EQ(json.text().find('<'), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(json.text())) << json.text();
  }
  JsonWriter json;
  json.String("h\xc3\xa4</");
  EXPECT_EQ(nlohmann::json::parse(json.text()).get<std::string>(), "h\xc3\xa4</");
}

// A JVM has U+1D4B3 as two surrogates of three bytes each, and U+0000 as C0 80 (JVMS 4.4.7).
TEST(JsonTest, ModifiedUtf8BecomesUtf8) {
  JsonWriter json;
  json.String("a\xed\xa0\xb5\xed\xb2\xb3\xc0\x80z\xed\xa0\xb5\xed\xa0\xb5");
  EXPECT_EQ(nlohmann::json::parse(json.text()).get<std::string>(),
            std::string("a\xf0\x9d\x92\xb3\0z", 7) + ValidUtf8("\xff\xff\xff\xff\xff\xff"));
}

TEST(JsonTest, NumbersSurvive) {
  JsonWriter json;
  json.BeginArray().Number(1e300).Number(0.1).Number(std::numeric_limits<uint64_t>::max());
  json.Number(std::numeric_limits<double>::infinity()).Number(1000.0).EndArray();
  auto back = nlohmann::json::parse(json.text());
  EXPECT_EQ(back[0].get<double>(), 1e300);
  EXPECT_EQ(back[1].get<double>(), 0.1);
  EXPECT_EQ(back[2].get<uint64_t>(), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(back[3].is_null());
  EXPECT_EQ(back[4].get<double>(), 1000);
}

}  // namespace
}  // namespace assay
