#include "src/cli/live_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

namespace assay::cli {
namespace {

constexpr size_t kMostBody = 4096;

const char* Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    default:
      return "Error";
  }
}

// Takes as long for a wrong token as for a right one.
bool SameSecret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() != b.size();
  for (size_t i = 0; i < a.size() && i < b.size(); i++) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string MakeToken() {
  unsigned char bytes[16];
  size_t have = 0;
  while (have < sizeof bytes) {
    ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
    if (got > 0) have += static_cast<size_t>(got);
  }
  std::string token;
  for (unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

int HttpRequest::Parse(std::string_view text, HttpRequest* request) {
  size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return -1;
  std::string_view head = text.substr(0, end);
  size_t line_end = std::min(head.find("\r\n"), head.size());
  std::string_view line = head.substr(0, line_end);
  size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || last <= first) return 400;
  request->method = line.substr(0, first);
  std::string_view target = line.substr(first + 1, last - first - 1);
  size_t question = target.find('?');
  request->path = target.substr(0, question);
  std::string_view query = question == std::string_view::npos ? "" : target.substr(question + 1);
  while (!query.empty()) {
    std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    if (item.starts_with("token=")) request->token = item.substr(6);
  }
  for (head.remove_prefix(std::min(head.size(), line_end + 2)); !head.empty();) {
    std::string_view each = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), each.size() + 2));
    size_t colon = each.find(':');
    if (colon == std::string_view::npos) return 400;
    std::string_view value = each.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    request->headers[Lower(each.substr(0, colon))] = value;
  }
  size_t length = 0;
  if (auto it = request->headers.find("content-length"); it != request->headers.end()) {
    auto [at, code] =
        std::from_chars(it->second.data(), it->second.data() + it->second.size(), length);
    if (code != std::errc() || *at != '\0') return 400;
    if (length > kMostBody) return 413;
  }
  std::string_view body = text.substr(end + 4);
  if (body.size() < length) return -1;
  request->body = body.substr(0, length);
  return 0;
}

LiveServer::~LiveServer() {
  for (Connection& connection : connections_) close(connection.fd);
  if (listener_ >= 0) close(listener_);
}

Status LiveServer::Listen(int port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 16) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return Error{"cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + strerror(errno)};
  }
  port_ = ntohs(address.sin_port);
  return {};
}

int LiveServer::Check(const HttpRequest& request) const {
  // A page elsewhere that resolves its own name to this address has its name in Host.
  auto host = request.headers.find("host");
  std::string port = ":" + std::to_string(port_);
  if (host == request.headers.end() ||
      (host->second != "127.0.0.1" + port && host->second != "localhost" + port)) {
    return 421;
  }
  auto origin = request.headers.find("origin");
  if (origin != request.headers.end() && origin->second != "http://" + host->second) return 403;
  if (!SameSecret(request.token, token_)) return 403;
  return 0;
}

void LiveServer::Reply(Connection& connection, int status, std::string_view type,
                       std::string_view body) {
  connection.out += "HTTP/1.1 " + std::to_string(status) + " " + Reason(status) +
                    "\r\nContent-Type: " + std::string(type) +
                    "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff"
                    "\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer"
                    "\r\nCross-Origin-Resource-Policy: same-origin\r\n";
  if (type == "text/event-stream") {
    connection.out += "\r\n";
    connection.streaming = true;
  } else {
    connection.out +=
        "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n";
    connection.closing = true;
  }
  connection.out += body;
}

void LiveServer::Answer(Connection& connection, const HttpRequest& request) {
  if (int status = Check(request)) {
    return Reply(connection, status, "text/plain; charset=utf-8",
                 "refused: open the address that `assay live` printed\n");
  }
  if (request.path == "/" && request.method == "GET") {
    return Reply(connection, 200, "text/html; charset=utf-8", page_);
  }
  if (request.path == "/events" && request.method == "GET") {
    std::string body;
    for (const auto& [name, event] : latest_) body += event;
    return Reply(connection, 200, "text/event-stream", body);
  }
  if (request.path == "/control") {
    if (request.method != "POST") return Reply(connection, 405, "text/plain", "POST only\n");
    Result<std::string> answer = control_(request.body);
    if (answer.ok()) return Reply(connection, 200, "application/json", *answer);
    return Reply(connection, 400, "text/plain; charset=utf-8", answer.error().message);
  }
  Reply(connection, 404, "text/plain", "nothing here\n");
}

void LiveServer::Accept() {
  int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  if (connections_.size() >= kMostConnections) {
    close(fd);
    return;
  }
  connections_.push_back({fd});
}

void LiveServer::Read(Connection& connection) {
  char buffer[4096];
  ssize_t got = recv(connection.fd, buffer, sizeof buffer, 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    close(connection.fd);
    connection.fd = -1;
    return;
  }
  if (got <= 0 || connection.streaming || connection.closing) return;
  connection.in.append(buffer, static_cast<size_t>(got));
  HttpRequest request;
  int status = HttpRequest::Parse(connection.in, &request);
  if (status < 0 && connection.in.size() > kMostInput) status = 413;
  if (status > 0) Reply(connection, status, "text/plain", "not understood\n");
  if (status == 0) Answer(connection, request);
  if (status >= 0) connection.in.clear();
}

void LiveServer::Flush(Connection& connection) {
  while (connection.fd >= 0 && !connection.out.empty()) {
    ssize_t sent = send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      connection.out.erase(0, static_cast<size_t>(sent));
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN && connection.out.size() < kMostWaiting) return;
    close(connection.fd);  // gone, or too slow to ever catch up
    connection.fd = -1;
  }
  if (connection.fd >= 0 && connection.closing) {
    shutdown(connection.fd, SHUT_WR);
    close(connection.fd);
    connection.fd = -1;
  }
}

void LiveServer::Serve(int milliseconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    std::vector<pollfd> polls = {{listener_, POLLIN, 0}};
    for (const Connection& connection : connections_) {
      polls.push_back({connection.fd,
                       static_cast<short>(connection.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    }
    if (poll(polls.data(), polls.size(), static_cast<int>(left.count())) <= 0) return;
    for (size_t i = 1; i < polls.size(); i++) {
      Connection& connection = connections_[i - 1];
      if (polls[i].revents & (POLLIN | POLLHUP | POLLERR)) Read(connection);
      Flush(connection);
    }
    if (polls[0].revents & POLLIN) Accept();
    std::erase_if(connections_, [](const Connection& connection) { return connection.fd < 0; });
  }
}

void LiveServer::Publish(const std::string& name, const std::string& json) {
  std::string& event = latest_[name];
  event = "event: " + name + "\ndata: " + json + "\n\n";
  for (Connection& connection : connections_) {
    // Whoever still waits for the last picture gets the next one instead of all between.
    if (connection.streaming && (connection.out.size() < (1 << 20) || json.size() < 4096)) {
      connection.out += event;
    }
    Flush(connection);
  }
  std::erase_if(connections_, [](const Connection& connection) { return connection.fd < 0; });
}

size_t LiveServer::listeners() const {
  return static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(),
                                           [](const Connection& c) { return c.streaming; }));
}

}  // namespace assay::cli
