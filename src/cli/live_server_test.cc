#include "src/cli/live_server.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

HttpRequest Parsed(const std::string& text) {
  HttpRequest request;
  EXPECT_EQ(HttpRequest::Parse(text, &request), 0) << text;
  return request;
}

TEST(HttpRequestTest, ReadsWhatArrivesInPieces) {
  std::string text =
      "POST /control?a=b&token=s3cret HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nstop";
  HttpRequest request;
  for (size_t i = 0; i < text.size(); i++) {
    EXPECT_EQ(HttpRequest::Parse(text.substr(0, i), &request), -1) << i;
  }
  request = Parsed(text);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/control");
  EXPECT_EQ(request.token, "s3cret");
  EXPECT_EQ(request.body, "stop");
}

TEST(HttpRequestTest, RefusesWhatItDoesNotUnderstand) {
  HttpRequest request;
  EXPECT_EQ(HttpRequest::Parse("\r\n\r\n", &request), 400);
  EXPECT_EQ(HttpRequest::Parse("GET\r\n\r\n", &request), 400);
  EXPECT_EQ(HttpRequest::Parse("GET / HTTP/1.1\r\nno colon\r\n\r\n", &request), 400);
  EXPECT_EQ(HttpRequest::Parse("GET / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", &request), 400);
  EXPECT_EQ(HttpRequest::Parse("GET / HTTP/1.1\r\nContent-Length: 99999\r\n\r\n", &request), 413);
}

TEST(LiveServerTest, AdmitsOnlyItsOwnPageWithTheToken) {
  LiveServer server("s3cret", "page", [](const std::string&) { return Result<std::string>("{}"); });
  ASSERT_TRUE(server.Listen(0).ok());
  std::string here = "127.0.0.1:" + std::to_string(server.port());
  auto status = [&](const std::string& token, const std::string& host,
                    const std::string& more = "") {
    return server.Check(
        Parsed("GET /?token=" + token + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n"));
  };
  EXPECT_EQ(status("s3cret", here), 0);
  EXPECT_EQ(status("s3cret", here, "Origin: http://" + here + "\r\n"), 0);
  EXPECT_EQ(status("s3cret", "localhost:" + std::to_string(server.port())), 0);
  EXPECT_EQ(status("", here), 403);
  EXPECT_EQ(status("s3cre", here), 403);
  EXPECT_EQ(status("s3cret1", here), 403);
  EXPECT_EQ(status("s3cret", "evil.example:" + std::to_string(server.port())), 421);
  EXPECT_EQ(status("s3cret", "127.0.0.1:1"), 421);
  EXPECT_EQ(status("s3cret", here, "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status("s3cret", here, "Origin: null\r\n"), 403);
}

TEST(LiveServerTest, TokensDiffer) {
  EXPECT_EQ(MakeToken().size(), 32u);
  EXPECT_NE(MakeToken(), MakeToken());
}

}  // namespace
}  // namespace assay::cli
