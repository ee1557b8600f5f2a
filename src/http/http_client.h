// A client for one HTTP connection, for what this program itself asks of servers: small, and without TLS.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace partita::http {

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
  static constexpr int64_t kForeverMs = int64_t{1'000} * 60 * 60 * 24 * 365;
  // How long a call may take as a whole, however little the server says at a time. Once `hurry` is asked for, what is
  // under way has only kHurryMs left. The first call that takes longer than kLateMs has `late` called.
  struct Patience {
    int64_t ms = kForeverMs;
    std::stop_token hurry = {};
    std::function<void()> late = {};
  };
  static constexpr int64_t kHurryMs = 1'000;
  static constexpr int64_t kLateMs = 5'000;

  struct Answer {
    int status = 0;
    std::string body;
  };

  // Owns the socket. Its calls take as long as they take.
  explicit HttpClient(int socket) : socket_(socket) {}
  // Its calls have the same patience, each. Error: kUnavailable, with one sentence.
  static Result<HttpClient> connect(const HttpPlace& place, Patience patience);
  ~HttpClient();
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Of the calls to come.
  void set_patience(Patience patience) { patience_ = std::move(patience); }

  using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  // Headers with an empty value are left out. Error: kUnavailable, with one sentence: the connection is of no further
  // use, and whether the server did what was asked is not known.
  Result<Answer> post(std::string_view path, Headers headers, std::string_view body);
  // Whether the last call failed because its patience was at its end.
  bool gave_up() const { return gave_up_; }

 private:
  using Instant = std::chrono::steady_clock::time_point;

  void begin();
  // Until the socket is ready for that, as poll() names it; false: the patience is at its end.
  bool wait(int16_t events);
  bool send(std::string_view bytes);
  bool receive();

  int socket_;
  Patience patience_;
  Instant deadline_;  // of the call under way
  Instant late_at_;   // the same
  bool hurries_ = false;
  bool gave_up_ = false;
  std::string received_;
};

}  // namespace partita::http
