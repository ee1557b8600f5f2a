// The leases of a store's users: each process renews its own row as long as it runs, and one row names the exclusive
// holder. All commits depend on that row (VersionCache caches it), so a process whose lease expired although it runs
// can no longer change anything.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "base/thread.h"
#include "base/workers.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/rows.h"
#include "engines/foundationdb/version_cache.h"

namespace partita::foundationdb {

class SessionLease {
 public:
  enum class Kind : uint8_t { kShares, kAlone };
  // The arguments outlive it. A lease expires if it was not renewed for three times `heartbeat`.
  SessionLease(const Cluster& cluster, const RowKeys& names, Workers& workers, Kind kind,
               std::chrono::milliseconds heartbeat);
  SessionLease(const SessionLease&) = delete;
  SessionLease& operator=(const SessionLease&) = delete;
  ~SessionLease();

  // Once. Waits until conflicting leases have expired or were renewed. Blocks. Error: kUnavailable, with one sentence.
  Result<void> enter();

  // Parses the row RowKeys::holder(). Nothing for bytes that no store writes.
  static std::optional<VersionCache::CachedVersion> parse_holder(std::optional<std::string_view> row);
  // 0, or an error code if commits are not allowed with that holder. Callable from any thread.
  int verify_holder(const VersionCache::CachedVersion& holder) const;
  // The same; the attempt's commit depends on the answer. May also yield FoundationDB's error codes.
  Task<int> check(TxnAttempt& attempt) const;

 private:
  using Clock = std::chrono::steady_clock;
  // The value of a row, and when it was first seen.
  struct Observation {
    std::string value;
    Clock::time_point since;
  };
  using Users = std::map<std::string, std::string>;  // the values of their rows by name
  struct StoreUsers {
    VersionCache::CachedVersion holder;
    Users users;  // except this one
  };

  Task<int> try_to_enter(TxnAttempt& attempt, bool& entered, bool& waits);
  Task<int> look(TxnAttempt& attempt, StoreUsers& seen) const;
  Users in_the_way(const StoreUsers& seen) const;
  bool are_gone(const Users& others, Clock::time_point now);
  void write(TxnAttempt& attempt, const StoreUsers& seen, const Users& gone);
  Task<int> send_heartbeat();
  Task<int> remove_once();
  void run();
  std::string row() const { return names_.user(id_); }

  const Cluster& cluster_;
  const RowKeys& names_;
  Workers& workers_;
  const Kind kind_;
  const std::chrono::milliseconds heartbeat_;
  const uint64_t id_;
  uint64_t heartbeats_ = 0;
  // Of enter().
  std::map<std::string, Observation> observations_;
  std::optional<Clock::time_point> until_;

  Mutex mutex_;
  CondVar changed_;
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace partita::foundationdb
