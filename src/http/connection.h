// One connection: reads requests, has them answered, writes the replies.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auth/authenticate.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/task.h"
#include "base/workers.h"
#include "http/content_coding.h"
#include "http/reply_head.h"
#include "http/request_reader.h"
#include "http/server.h"
#include "net/stream.h"
#include "ops/service.h"

namespace partita::http {

// What the connections of one thread have in common.
struct Site {
  const Options& options;
  Handler& handler;
  const Clock& clock;
  Budget& budget;
  Workers& aside;  // where large requests are answered
  RequestIds ids;
  DateText date;
  auth::Authenticator authenticator;
  auth::Verdict administrator;       // the caller of each request of the administration socket
  int64_t now_ns = 0;                // monotonic, as of the last sweep
  bool stopping = false;             // no further request is begun
  std::vector<char> discarded = {};  // where bytes go that nobody looks at
};

// For one thread. Must not be destroyed before serve() has ended.
class Connection final : private ops::Source {
 public:
  Connection(Site& site, std::unique_ptr<net::Stream> stream, bool administrates);

  // Ends when the client, a timeout, bad input or a stopping site ends the connection.
  Task<> serve();

  // Closes the connection if it has used up its time.
  void sweep();
  // Closes it unless it is answering a request; that is then its last.
  void stop();
  // Closes it now. A handler that is at work goes on, and its reply is dropped.
  void abandon() { stream_->close(); }
  // When its time between two requests runs out; nothing when it is not between two.
  std::optional<int64_t> idle_until_ns() const;

 private:
  std::string address() const override { return stream_->peer(); }
  bool encrypted() const override { return stream_->encrypted(); }
  std::string_view header(std::string_view lower_name) const override { return reader_.header(lower_name); }
  bool administrates() const override { return administrates_; }
  void when_gone(std::function<void()> gone) const override { gone_ = std::move(gone); }

  enum class Phase : uint8_t { kIdle, kHead, kBody, kHandling, kWriting, kDraining };
  // What the bytes that arrived came to.
  enum class Arrival : uint8_t { kRequest, kEnd, kRefused };

  Task<> serve_requests();
  Task<Arrival> read_request();
  Task<bool> refuse_early(bool& greeted, bool& asked);
  Task<bool> answer(bool keep_alive);
  ops::Call begin_call(std::string_view body);
  Task<bool> answer_call(std::string_view body, bool keep_alive);
  Task<std::optional<ops::Reply>> unpack(ops::Call& call, UnpackedBody& unpacked);
  Task<Coding> pack(ops::Reply& reply, BudgetShare& share);
  Task<bool> answer_health(bool keep_alive);
  Task<bool> answer_page(bool keep_alive);
  Task<bool> answer_preflight(bool keep_alive);
  Task<bool> answer_foreign_page(bool keep_alive);
  Task<bool> answer_with(ops::Reply reply, bool keep_alive);
  // `words`: a line for a person, which lives until the task has ended; empty: there is nothing to say.
  Task<> refuse(int status, std::string_view words);
  Task<> drain();
  net::WriteBytes send(ReplyHead head, std::string_view body);

  auth::Facts facts(std::string_view body) const;
  bool page_is_welcome() const;
  bool take_memory(BudgetShare& share, size_t bytes) const;
  void enter(Phase phase, size_t bytes = 0);
  int64_t time_of(Phase phase) const;

  Site& site_;
  std::unique_ptr<net::Stream> stream_;
  const bool administrates_;
  RequestReader reader_;
  Phase phase_ = Phase::kIdle;
  int64_t phase_began_ns_ = 0;
  int64_t deadline_ns_ = 0;
  RequestIds::Id id_{};  // of the request
  std::string head_;     // of the reply, kept for its memory
  mutable std::function<void()> gone_;
};

}  // namespace partita::http
