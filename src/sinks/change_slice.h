// One slice of a sink that takes every change: reads its log, and sends what is in it, in order, for as long as the
// session goes on. Slices go on side by side, each as a piece of the background thread's work.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "sinks/change_destination.h"
#include "sinks/change_letters.h"
#include "sinks/item_filter.h"
#include "sinks/lease_keeper.h"
#include "sinks/pauses.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

struct ChangeSession;

// Only for the background thread.
class ChangeSlice {
 public:
  // Where the other end has all changes up to, with the text that it keeps, and what was done since the last take().
  struct Advance {
    storage::Position delivered{};
    std::string text;
    uint64_t sent = 0;
    uint64_t rejected = 0;
    uint64_t entries = 0;  // of the log
    uint64_t bytes = 0;
  };

  // The session outlives run(). Its `retries` are done.
  ChangeSlice(ChangeSession& session, size_t slice, std::string topic, storage::Position delivered, std::string text);

  // Until the session halts. What ends it is in the session.
  Task<void> run();

  // nullopt: nothing was done.
  std::optional<Advance> take();
  // Why it cannot send at the moment; empty: nothing is wrong.
  const std::string& trouble() const { return trouble_; }
  // Nothing is left to be sent, as far as it has read.
  bool caught_up() const { return caught_up_ && waiting_.empty(); }
  // Table rows' Sink::retries of which all letters of the slice were sent again.
  uint64_t retried() const { return retried_; }

 private:
  // A change that is to be sent, with the entries behind it that are not.
  struct Waiting {
    std::string entry;
    storage::Position position{};
    storage::Position upto{};
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  enum class Kind : uint8_t { kSent, kFiltered, kDamaged };

  Task<Result<void>> carry();
  Task<Result<void>> read();
  // False, for this and the next two: the letter cannot be stored, so a pause begins or the session ends.
  Task<Result<bool>> note_damage(const storage::LogEntry& entry);
  Task<Result<bool>> put_letters(const std::vector<Change>& changes, const std::vector<Rejection>& rejections);
  Result<bool> after_letter(Result<void> put);
  std::vector<Kind> kinds_of(const std::vector<storage::LogEntry>& entries) const;
  Task<Result<void>> send();
  Task<Result<void>> take_sent(const std::vector<Change>& changes, ChangesSent sent, std::string text);
  void advance(size_t done);
  void pass_over(const storage::LogEntry& entry);
  // Sends some of the dead letters again.
  Task<Result<void>> retry();
  // How many of the letters are done.
  Task<Result<size_t>> resend(std::span<const ChangeLetter> letters);
  Task<void> nap(int64_t until_ns);
  // After an error of the other end.
  void fail(const Error& error, Backoff& backoff);
  void hold_up(std::string trouble, int64_t wait_ms);
  bool may_read() const;
  // Until the destination has work of its own, though nothing waits; INT64_MAX: it has none.
  int64_t due_in_ns() const;
  bool waits_for_more() const;
  int64_t now_ns() const;

  ChangeSession& session_;
  const size_t slice_;
  const std::string topic_;
  Advance done_;
  bool changed_ = false;
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;
  size_t left_ = 0;  // how many were waiting after the last send()
  storage::Position read_to_{};
  bool caught_up_ = false;
  bool wants_more_ = false;
  int64_t window_until_ns_ = 0;
  int64_t window_look_ns_ = 0;  // when it is asked again for more changes, unless there is no room for more
  std::string trouble_;
  Backoff backoff_;
  IdlePause idle_;
  uint64_t retried_;
  uint64_t retrying_ = 0;
  std::string retried_to_;  // the id of the last letter that was sent again
  Backoff retry_backoff_;
  LogThrottle refusals_{1'000};  // of letters
};

// What the slices of a sink share, from its beginning on this server to the next pause. It is made anew when the sink's
// settings change. Only for the background thread, but for calls of the destination.
struct ChangeSession {
  // `hurry`: all sinks of the server end.
  ChangeSession(table::TableContext& given_context, Workers& given_workers, std::shared_ptr<LeaseKeeper> given_lease,
                std::stop_token hurry)
      : context(given_context),
        workers(given_workers),
        lease(std::move(given_lease)),
        hurried(std::move(hurry), [this] { stop.request_stop(); }) {}

  table::TableContext& context;
  Workers& workers;
  const std::shared_ptr<LeaseKeeper> lease;
  std::stop_source stop;  // of the destination's calls
  const std::stop_callback<std::function<void()>> hurried;
  table::Sink sink;
  table::Table table;
  ItemFilter filter;
  bool filters = false;
  std::unique_ptr<ChangeDestination> destination;
  ChangeDestination::Limits limits;
  std::optional<Result<void>> prepared;  // the destination; what became of that
  std::array<std::optional<ChangeSlice>, table::kSinkSlices> slices;

  uint64_t retries = 0;          // Sink::retries that is wanted
  bool halting = false;          // all of it ends soon
  bool abandoned = false;        // nobody waits for its end
  std::optional<Error> broken;   // of the store
  std::string failure;           // why the sink fails; empty: it does not
  size_t running = 0;            // slices, or the preparation
  std::coroutine_handle<> ends;  // waits until none is

  bool halted() const { return halting || lease->lost() || context.background().stopping() || stop.stop_requested(); }
  // Slices end soon, and so do calls of the destination that are in progress.
  void halt();
  void fail(std::string sentence);

  // `co_await session.ended()` continues when nothing of it runs.
  struct Ended {
    ChangeSession& session;
    bool await_ready() const noexcept { return session.running == 0; }
    void await_suspend(std::coroutine_handle<> handle) { session.ends = handle; }
    void await_resume() const noexcept {}
  };
  Ended ended() { return {*this}; }
};

// Begins to prepare the destination. Ends with `prepared`.
void begin_preparing(const std::shared_ptr<ChangeSession>& session);
// Begins the slices, each behind what is delivered. They end after halt(), or by themselves.
void begin_slices(const std::shared_ptr<ChangeSession>& session);
// Destroys the destination, which may block, on a worker.
Task<void> end_destination(std::shared_ptr<ChangeSession> session);

}  // namespace partita::sinks
