// A tiny HTTP server for one page on this machine: loopback only, one secret token per run,
// requests from other origins or under other host names refused, updates as server-sent events. One
// thread; memory bounded by the number of connections and by what a slow reader may leave behind.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace assay::cli {

// A request as read from a connection. Errors are HTTP status codes.
struct HttpRequest {
  std::string method;
  std::string path;                            // without the query
  std::string token;                           // of the query
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // From what has arrived so far: 0 = complete, -1 = more to come, else the status to answer with.
  static int Parse(std::string_view text, HttpRequest* request);
};

// 128 random bits in hexadecimal.
std::string MakeToken();

class LiveServer {
 public:
  // Answers a control request (its body) with JSON, or an Error for the reader.
  using Control = std::function<Result<std::string>(const std::string& body)>;

  LiveServer(std::string token, std::string page, Control control)
      : token_(std::move(token)), page_(std::move(page)), control_(std::move(control)) {}
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  // On 127.0.0.1; 0 = any free port.
  Status Listen(int port);
  int port() const { return port_; }
  // Serves for this long.
  void Serve(int milliseconds);
  // One event for all who listen; the last of each name is also sent to whoever comes later.
  void Publish(const std::string& name, const std::string& json);
  size_t listeners() const;

  // Whether a request may be answered: 0, or the status to refuse with.
  int Check(const HttpRequest& request) const;

 private:
  static constexpr size_t kMostConnections = 32;
  static constexpr size_t kMostInput = 16 << 10;
  static constexpr size_t kMostWaiting = 16 << 20;
  struct Connection {
    int fd = -1;
    std::string in, out;
    bool streaming = false;
    bool closing = false;
  };
  void Accept();
  void Read(Connection& connection);
  void Answer(Connection& connection, const HttpRequest& request);
  void Reply(Connection& connection, int status, std::string_view type, std::string_view body);
  void Flush(Connection& connection);

  std::string token_, page_;
  Control control_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<Connection> connections_;
  std::map<std::string, std::string> latest_;  // by event name, as sent
};

}  // namespace assay::cli
