// HTTP over a connected administration socket. By hand, so that verbs need no library at run time
// (docs/decisions/028).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::cli {

// For one thread; post() blocks.
class AdminConnection {
 public:
  static constexpr int64_t kLateMs = 5'000;

  struct Reply {
    int status = 0;
    std::string body;
  };
  struct Wait {
    int64_t timeout_ms;          // for the whole call, however little the server says at a time
    std::function<void()> late;  // called once if the reply is not complete after kLateMs; or empty
  };

  // Owns the socket.
  explicit AdminConnection(int socket) : socket_(socket) {}
  ~AdminConnection();
  AdminConnection(AdminConnection&& other) noexcept;
  AdminConnection& operator=(AdminConnection&&) = delete;

  // A POST to "/" with these headers; an empty one is left out. Error: kUnavailable, with one sentence: the connection
  // is of no further use, and whether the server did what was asked is not known.
  Result<Reply> post(std::string_view target, std::string_view content_type, std::string_view body, Wait wait);
  // Whether the last call failed because its time was over.
  bool timed_out() const { return timed_out_; }

 private:
  using Instant = std::chrono::steady_clock::time_point;

  // Until the socket is ready for that, as poll() names it. False: the time is over.
  bool wait_for(int16_t events);
  bool send(std::string_view bytes);
  bool receive();
  Error ended() const;

  int socket_;
  std::function<void()> late_;
  Instant deadline_;  // of the call under way
  Instant late_at_;   // the same
  bool timed_out_ = false;
  std::string received_;
};

}  // namespace partita::cli
