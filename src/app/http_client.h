// A client for one HTTP connection, for what this program itself asks of servers: small, and without TLS.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stop_token>
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

// For one thread; each call blocks.
class HttpClient {
 public:
  // How long a call may take as a whole, however little the server says at a time. Once `hurry` is asked for, what is
  // under way has only kHurryMs left.
  struct Patience {
    int64_t ms = 0;
    std::stop_token hurry = {};
  };
  static constexpr int64_t kHurryMs = 1'000;

  struct Answer {
    int status = 0;
    std::string body;
  };

  // Owns the socket, which is connected and blocks. Its calls take as long as they take.
  explicit HttpClient(int socket) : socket_(socket) {}
  // Its calls have the same patience, each. Error: kUnavailable, with one sentence.
  static Result<HttpClient> connect(const HttpPlace& place, Patience patience);
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
  using Instant = std::chrono::steady_clock::time_point;

  void begin();
  // Until the socket is ready for that, as poll() names it; false: the patience is at its end.
  bool wait(int16_t events);
  bool send(std::string_view bytes);
  bool receive();

  int socket_;
  std::optional<Patience> patience_;
  Instant deadline_;  // of the call under way
  bool hurries_ = false;
  std::string received_;
};

}  // namespace partita::app
