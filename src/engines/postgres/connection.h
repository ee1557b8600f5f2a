// A non-blocking connection to PostgreSQL: statements are sent without waiting for earlier answers (libpq's pipeline
// mode), each in its own transaction. For one thread, which polls its socket.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "engines/postgres/connect_attempt.h"
#include "engines/postgres/libpq.h"
#include "engines/postgres/parameters.h"
#include "engines/postgres/schema.h"
#include "engines/postgres/sql_state.h"

namespace partita::postgres {

// The result of a statement.
struct StatementResult {
  enum class Kind {
    kRows,    // executed
    kFailed,  // not executed: `error_class` and `error`
    kLost,    // the connection was lost: executed, not executed, or still to be executed
  };
  Kind kind = Kind::kLost;
  Rows rows;
  ErrorClass error_class = ErrorClass::kFailed;
  Error error{ErrorKind::kUnavailable, "The connection to PostgreSQL was lost."};
  bool exhausted = false;  // the server has no disk space, memory or connections left
};

class PgConnection {
 public:
  // `marked`: the connection commits, so it has a mark in the store. `wake` is called from another thread when an
  // attempt to connect has ended: is_due().
  PgConnection(const ConnInfo& conn_info, bool marked, std::function<void()> wake)
      : conn_info_(conn_info), marked_(marked), wake_(std::move(wake)) {}
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;
  ~PgConnection() { close(); }

  enum class State : uint8_t { kDown, kConnecting, kReady };
  State state() const { return state_; }
  // Why it is down, one sentence for the operator; empty before the first attempt failed.
  const std::string& last_error() const { return last_error_; }

  // Precondition: it is down.
  void open();
  // Closes it. All outstanding statements end kLost, at once.
  void lose(const std::string& why);

  // -1 if there is none.
  int socket() const;
  short events() const;  // for poll()
  // To be called when the socket has one of those events, or is_due(). `can_write`: the peer has accepted bytes.
  void progress(int64_t now_ms, bool can_write);
  bool is_due(int64_t now_ms) const { return now_ms >= due_ms_ || (attempt_ != nullptr && attempt_->is_over()); }
  // When an outstanding answer is late; INT64_MAX if none is outstanding.
  int64_t due_ms() const { return due_ms_; }

  using Done = std::function<void(StatementResult&&)>;
  // How long to wait for an answer before the connection is closed.
  struct Timeouts {
    int64_t answer_ms = 10'000;    // after the earlier answers, and after all bytes were accepted
    int64_t until_ms = INT64_MAX;  // the latest time
  };
  // Calls `done` once, from progress() or lose(). Precondition: the connection is ready.
  void send(PreparedStatement statement, Parameters parameters, int64_t now_ms, Timeouts timeouts, Done done);
  size_t outstanding() const { return outstanding_.size(); }

  // The name of the mark that each commit on this connection increments, and its value.
  const std::string& slot() const { return slot_; }
  int64_t count = 0;

 private:
  void close();
  void connected(int64_t now_ms);
  void prepare(int64_t now_ms);
  void receive(int64_t now_ms);
  void take(PGresult* result);
  template <class Send>
  void await(int64_t now_ms, Timeouts timeouts, Done done, Send send);
  void wait_for_front(int64_t now_ms);
  std::string last_words() const;

  struct OutstandingStatement {
    Done done;
    Timeouts timeouts;
    StatementResult reply;
  };

  const ConnInfo& conn_info_;
  const bool marked_;
  const std::function<void()> wake_;
  std::unique_ptr<ConnectAttempt> attempt_;
  Session session_;
  State state_ = State::kDown;
  size_t turn_ = 0;  // which host to try first
  std::deque<OutstandingStatement> outstanding_;
  std::string last_error_;
  std::string slot_;
  int64_t due_ms_ = INT64_MAX;
};

}  // namespace partita::postgres
