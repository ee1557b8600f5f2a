// Group commit: transactions that wait for a lane become one batch (storage/batch.h) and one commit of FoundationDB.
// The callers and the lanes are coroutines without threads of their own, resumed by FoundationDB's callbacks.
//
// Each lane has a mark, a row that each of its commits depends on and increments. If the outcome of a commit is
// unknown, the mark tells it; and after the mark was fenced off, that commit can no longer happen.
#pragma once

#include <array>
#include <atomic>
#include <coroutine>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/workers.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/foundationdb_options.h"
#include "engines/foundationdb/rows.h"
#include "engines/foundationdb/session_lease.h"
#include "engines/foundationdb/version_cache.h"
#include "storage/batch.h"
#include "storage/engine.h"
#include "storage/group_commit.h"
#include "storage/remote_meters.h"

namespace partita::foundationdb {

class CommitPipeline;

// One call of transact(). Its arguments outlive it.
class PendingTxn : public storage::PipelineWaiter {
 public:
  PendingTxn(CommitPipeline& pipeline, std::vector<storage::Key>& keys, std::vector<storage::Compare>& compare,
             storage::Decide& decide)
      : transaction{keys, compare, decide}, pipeline_(pipeline) {}

  void await_suspend(std::coroutine_handle<> handle);

  storage::Transaction transaction;

 private:
  friend class CommitPipeline;
  CommitPipeline& pipeline_;
  RetryPolicy::Clock::time_point asked_at_;
};

class CommitPipeline {
 public:
  // The arguments outlive it.
  CommitPipeline(const Cluster& cluster, const RowKeys& names, Workers& workers, const SessionLease& lease,
                 storage::RemoteMeters& meters, const FoundationdbOptions& options, const storage::Limits& limits);
  CommitPipeline(const CommitPipeline&) = delete;
  CommitPipeline& operator=(const CommitPipeline&) = delete;
  ~CommitPipeline();

  // Callable from any thread.
  void take(PendingTxn& txn);

 private:
  using PendingTxns = std::vector<PendingTxn*>;
  struct Lane {
    std::string mark;       // the name of its row
    uint64_t sequence = 0;  // of its newest attempt
    bool is_busy = false;
    bool is_in_doubt = false;  // the outcome of its newest commit is not known yet
  };

  // Transactions that can be merged, with their keys added to in_flight_keys_; empty if there is none.
  PendingTxns pick() PARTITA_REQUIRES(mutex_);
  Lane* idle_lane() PARTITA_REQUIRES(mutex_);

  // Starts lanes as long as one is idle and a transaction waits.
  void dispatch();
  Task<void> run_lane(Lane& lane, PendingTxns txns);
  // Gives each an outcome; those that do not fit are returned to the queue.
  Task<void> run(Lane& lane, PendingTxns& txns);
  Task<void> run_batch(Lane& lane, PendingTxns& txns);
  struct LookupResult {
    std::vector<bool> sliced;  // of batch.wanted(): whether there may be slices
    uint8_t age = 0;           // of logs
  };
  Task<int> look_up(TxnAttempt& attempt, storage::Batch& batch, LookupResult& lookup);
  // Reads the rows that every commit depends on besides its records.
  Task<int> look_up_terms(TxnAttempt& attempt, std::string_view metadata_version, uint8_t& age);
  void write(TxnAttempt& attempt, const storage::Batch& batch, const LookupResult& lookup) const;
  void append(TxnAttempt& attempt, const std::vector<storage::Changes::Append>& appends, uint8_t age) const;
  enum class CommitOutcome : uint8_t { kCommitted, kNotCommitted, kUnknown };
  Task<CommitOutcome> commit(TxnAttempt& attempt, Lane& lane, const RetryPolicy& retry_policy, int& code);
  Task<CommitOutcome> resolve_in_doubt(Lane& lane, const RetryPolicy& retry_policy);
  void give_back(PendingTxns& txns, size_t kept);
  static void fail(const PendingTxns& txns, const Error& error);
  storage::Version draw_version();

  const Cluster& cluster_;
  const RowKeys& names_;
  Workers& workers_;
  const SessionLease& lease_;
  storage::RemoteMeters& meters_;
  const FoundationdbOptions options_;
  const storage::Limits limits_;
  VersionCache version_cache_;

  Mutex mutex_;
  CondVar rested_;
  std::deque<Lane> lanes_ PARTITA_GUARDED_BY(mutex_);
  std::deque<PendingTxn*> waiting_ PARTITA_GUARDED_BY(mutex_);
  storage::InFlightKeys in_flight_keys_ PARTITA_GUARDED_BY(mutex_);
  std::atomic<uint64_t> versions_;
};

}  // namespace partita::foundationdb
