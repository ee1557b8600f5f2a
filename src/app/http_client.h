// A client for one HTTP connection, for what this program itself asks of servers: small, and without TLS.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace partita::app {

// Where plain HTTP is spoken: "http://HOST[:PORT][/PATH]".
struct HttpPlace {
  std::string host;  // without the brackets of an IPv6 address
  std::string port = "80";
  std::string path = "/";

  // Error: kInvalid (reason 0), with one sentence.
  static Result<HttpPlace> parse(std::string_view url);
};

// For one thread; each call blocks, with the socket's own timeouts.
class HttpClient {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };

  // Owns the socket, which is connected and blocks.
  explicit HttpClient(int socket) : socket_(socket) {}
  // Error: kUnavailable, with one sentence.
  static Result<HttpClient> connect(const HttpPlace& place, int64_t timeout_ms);
  ~HttpClient();
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  // Headers with an empty value are left out. Error: kUnavailable, with one sentence: the connection is of no further
  // use, and whether the server did what was asked is not known.
  Result<Answer> post(std::string_view path, Headers headers, std::string_view body);

 private:
  bool send(std::string_view bytes) const;
  bool receive();

  int socket_;
  std::string received_;
};

}  // namespace partita::app
