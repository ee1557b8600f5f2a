// One connection to PostgreSQL, which never blocks: statements are sent one behind the other without waiting for
// answers (libpq's pipeline mode), each in a transaction of its own. For one thread, which polls its socket.
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

// What became of a statement.
struct StatementResult {
  enum class Kind {
    kRows,    // it was done
    kFailed,  // it was not done: `fate` and `error` say why
    kLost,    // the connection is gone: it may or may not have been done, or be done yet
  };
  Kind kind = Kind::kLost;
  Rows rows;
  ErrorClass error_class = ErrorClass::kFailed;
  Error error{ErrorKind::kUnavailable, "The connection to PostgreSQL was lost."};
  bool exhausted = false;  // it failed for want of disk, memory or connections
};

class PgConnection {
 public:
  // `marked`: it commits, so it keeps a mark in the store. `wake` is called, from another thread, when an attempt to
  // connect is over: is_due().
  PgConnection(const ConnInfo& conn_info, bool marked, std::function<void()> wake)
      : conn_info_(conn_info), marked_(marked), wake_(std::move(wake)) {}
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;
  ~PgConnection() { close(); }

  enum class State : uint8_t { kDown, kConnecting, kReady };
  State state() const { return state_; }
  // Why it is down, one sentence for an operator; empty before it ever was up.
  const std::string& last_error() const { return last_error_; }

  // Precondition: it is down.
  void open();
  // All that was sent ends kLost, at once.
  void lose(const std::string& why);

  // -1 when there is none.
  int socket() const;
  short events() const;  // for poll()
  // To be called when the socket has one of those events, or it is due. `can_write`: the other side has taken bytes.
  void progress(int64_t now_ms, bool can_write);
  bool is_due(int64_t now_ms) const { return now_ms >= due_ms_ || (attempt_ != nullptr && attempt_->is_over()); }
  // When an answer has taken too long; INT64_MAX when none is waited for.
  int64_t due_ms() const { return due_ms_; }

  using Done = std::function<void(StatementResult&&)>;
  // For how long an answer is waited for, before the connection is given up.
  struct Timeouts {
    int64_t answer_ms = 10'000;    // once those before it are answered, and all that was sent has been taken
    int64_t until_ms = INT64_MAX;  // in all
  };
  // Calls `done` once, from progress() or lose(). Precondition: it is ready.
  void send(PreparedStatement statement, Parameters parameters, int64_t now_ms, Timeouts timeouts, Done done);
  size_t outstanding() const { return outstanding_.size(); }

  // The mark that commits on this connection count up, and its count.
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
  size_t turn_ = 0;  // of the hosts
  std::deque<OutstandingStatement> outstanding_;
  std::string last_error_;
  std::string slot_;
  int64_t due_ms_ = INT64_MAX;
};

}  // namespace partita::postgres
