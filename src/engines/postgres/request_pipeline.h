// The one thread that talks to PostgreSQL. It polls a few connections, merges waiting requests into one statement, and
// reconnects when a connection is lost. Callers are coroutines, which wait without a thread.
//
// Commits have connections of their own, with one batch in flight on each; no key is in two batches. When a connection
// is lost, reads are sent again, and the outcome of a commit is read from its connection's mark. No request waits
// longer than kRequestTimeoutMs, plus a little for a statement that is under way by then (lanes.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "base/mutex.h"
#include "base/poll_wakeup.h"
#include "base/thread.h"
#include "base/workers.h"
#include "engines/postgres/connection.h"
#include "engines/postgres/lanes.h"
#include "engines/postgres/postgres_options.h"
#include "engines/postgres/requests.h"
#include "storage/engine.h"
#include "storage/group_commit.h"
#include "storage/remote_meters.h"

namespace partita::postgres {

class RequestPipeline {
 public:
  RequestPipeline(ConnInfo conn_info, const PostgresOptions& options, const storage::Limits& limits);
  RequestPipeline(const RequestPipeline&) = delete;
  RequestPipeline& operator=(const RequestPipeline&) = delete;
  ~RequestPipeline();
  // Once, before anything else. Error: kUnavailable, without a thread or a descriptor.
  Result<void> start();

  // Callable from any thread.
  void take(PipelineRequest& request);
  Result<void> health() const;
  void report(Exposition& out) const { meters_.report(out); }

 private:
  void run();
  void sleep();
  int64_t next_due() const;
  void take_incoming();
  void maintain_connections();
  void expire_late();
  template <class Kind>
  void expire_late(std::deque<Kind*>& waiting, bool all, const Error& error);
  void dispatch();
  static bool can_send(const Lane& lane, const PipelineRequest& next);
  void send_statements(Lane& lane);
  void send_lookups(Lane& lane);
  void answer(SqlRequest& request, StatementResult&& result);
  std::vector<LookupRequest*> pick_lookups();
  void answer(std::span<LookupRequest* const> lookups, StatementResult&& result);
  void retry_lookups(std::span<LookupRequest* const> lookups, bool was_lost);
  static void distribute(std::span<LookupRequest* const> lookups, const Rows& rows);
  void measure_reply(size_t keys, const Rows& rows, int column);
  size_t keys_at_once() const;
  static std::optional<Error> count_loss(PipelineRequest& request);

  std::vector<PendingTxn*> pick_txns();
  void begin_batch(Lane& lane, std::vector<PendingTxn*> txns);
  void looked_up(Lane& lane, StatementResult&& result);
  void decide_and_commit(Lane& lane, const Rows* rows);
  void committed(Lane& lane, StatementResult&& result);
  void resolve_in_doubt();
  void expire_in_doubt(InDoubtCommit& in_doubt);
  void resolved(std::unique_ptr<InDoubtCommit> in_doubt, StatementResult&& result);

  void release(const InFlightBatch& in_flight);
  void complete(std::unique_ptr<InFlightBatch> in_flight, const std::optional<Error>& error = std::nullopt);
  enum class Cause : uint8_t {
    kOthers,  // changed the same at the same time
    kLoss,    // of the connection
    kElse,
  };
  void requeue(std::unique_ptr<InFlightBatch> in_flight, Cause cause);
  std::optional<Error> count(PendingTxn& txn, Cause cause) const;
  void fail(std::unique_ptr<InFlightBatch> in_flight, StatementResult&& result);
  template <class Work>
  void guarded(Lane& lane, Work work);
  void finish(PipelineRequest& request);
  void flush_finished();
  bool is_up(bool marked) const;
  std::string find_last_error();
  // For one statement that answers all of `requests`.
  template <class Kind>
  PgConnection::Timeouts timeouts_for(std::span<Kind* const> requests, int64_t reserved_ms) const;
  bool is_given_up(bool marked) const;
  storage::Version draw_version();

  const ConnInfo conn_info_;
  const PostgresOptions options_;
  const storage::Limits limits_;
  Workers workers_{2};  // for coroutines that have no executor
  PollWakeup wakeup_;

  storage::RemoteMeters meters_;

  mutable Mutex mutex_;
  std::vector<PipelineRequest*> incoming_ PARTITA_GUARDED_BY(mutex_);
  bool asleep_ PARTITA_GUARDED_BY(mutex_) = false;
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
  std::string last_error_ PARTITA_GUARDED_BY(mutex_);  // empty: none

  // Only for the pipeline's own thread.
  std::deque<std::unique_ptr<Lane>> lanes_;
  std::deque<SqlRequest*> statements_;
  std::deque<LookupRequest*> lookups_;
  std::deque<PendingTxn*> txns_;
  std::deque<std::unique_ptr<InDoubtCommit>> in_doubt_;
  storage::InFlightKeys in_flight_keys_;
  std::vector<PipelineRequest*> finished_;
  int64_t now_ms_ = 0;
  // Since when there is no connection, of those that do not commit and of those that do. 0: there is one.
  std::array<int64_t, 2> down_since_ms_{};
  size_t average_bytes_ = 0;  // of what comes back for a key
  int64_t expire_late_at_ms_ = 0;
  // When PostgreSQL last refused a commit for want of something, and its words.
  int64_t refused_at_ms_ = 0;
  std::string refusal_;
  uint64_t versions_;
  Thread thread_;
};

// The earliest deadline counts, but never less than kLeastTimeoutMs from now: other requests may have just arrived.
template <class Kind>
PgConnection::Timeouts RequestPipeline::timeouts_for(std::span<Kind* const> requests, int64_t reserved_ms) const {
  PgConnection::Timeouts timeouts;
  for (const Kind* const one : requests) {
    timeouts.until_ms = std::min(timeouts.until_ms, one->deadline_ms_ - reserved_ms);
  }
  timeouts.until_ms = std::max(timeouts.until_ms, now_ms_ + kLeastTimeoutMs);
  return timeouts;
}

}  // namespace partita::postgres
