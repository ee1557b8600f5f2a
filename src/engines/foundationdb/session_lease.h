// Who uses a store: a row for each, written again and again as long as its process lives, and one that names who has
// the store alone. All commits rely on that one (VersionCache keeps what it says), so whoever was taken for gone and is
// not changes nothing any more.
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
  // All outlive it. Who wrote nothing for three times `beat` is gone.
  SessionLease(const Cluster& cluster, const RowNames& names, Workers& workers, Kind kind,
               std::chrono::milliseconds heartbeat);
  SessionLease(const SessionLease&) = delete;
  SessionLease& operator=(const SessionLease&) = delete;
  ~SessionLease();

  // Once. Waits as long as those that are in the way may be gone. Blocks. Errors: kUnavailable, one sentence.
  Result<void> enter();

  // What the row Names::holder() says. Nothing for bytes that no store writes.
  static std::optional<VersionCache::CachedVersion> parse_holder(std::optional<std::string_view> row);
  // 0, or the code of the error when that is not as it has to be for commits. Callable from any thread.
  int verify_holder(const VersionCache::CachedVersion& holder) const;
  // The same, asked so that the attempt's commit relies on the answer; yields FoundationDB's codes too.
  Task<int> check(Attempt& attempt) const;

 private:
  using Clock = std::chrono::steady_clock;
  // How a row was when it was first seen so.
  struct Observation {
    std::string value;
    Clock::time_point since;
  };
  using Users = std::map<std::string, std::string>;  // what their rows say, by the names of those
  struct StoreUsers {
    VersionCache::CachedVersion holder;
    Users users;  // but this one
  };

  Task<int> try_to_enter(Attempt& attempt, bool& entered, bool& waits);
  Task<int> look(Attempt& attempt, StoreUsers& seen) const;
  Users in_the_way(const StoreUsers& seen) const;
  bool are_gone(const Users& others, Clock::time_point now);
  void write(Attempt& attempt, const StoreUsers& seen, const Users& gone);
  Task<int> send_heartbeat();
  Task<int> remove_once();
  void run();
  std::string row() const { return names_.user(id_); }

  const Cluster& cluster_;
  const RowNames& names_;
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
