// Transactions on their way: what waits for a lane becomes one batch (storage/batch.h) and one commit of FoundationDB.
// Callers are coroutines, which wait without a thread; so do the lanes, which FoundationDB's callbacks keep going.
//
// Each lane has a mark, a row that each of its commits relies on and counts up. When it is not known whether a commit
// happened, the mark tells; and once it was fenced off, that commit cannot happen any more.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/workers.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/foundationdb_engine.h"
#include "engines/foundationdb/presence.h"
#include "engines/foundationdb/rows.h"
#include "engines/foundationdb/settled.h"
#include "storage/batch.h"
#include "storage/deals.h"
#include "storage/engine.h"
#include "storage/remote_meters.h"

namespace partita::foundationdb {

class Courier;

// One call of transact().
class Deal : public storage::Waiter {
 public:
  Deal(Courier& courier, std::vector<storage::Key>& keys, std::vector<storage::Compare>& compare,
       storage::Decide& decide)
      : transaction{keys, compare, decide}, courier_(courier) {}

  void await_suspend(std::coroutine_handle<> handle);

  storage::Transaction transaction;

 private:
  friend class Courier;
  Courier& courier_;
  Patience::Clock::time_point asked_at_;
};

class Courier {
 public:
  // What is handed in outlives it.
  Courier(const Database& database, const Names& names, Workers& workers, const Presence& presence,
          storage::RemoteMeters& meters, const FoundationdbOptions& options, const storage::Limits& limits);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier();

  // Callable from any thread.
  void take(Deal& deal);

 private:
  using Deals = std::vector<Deal*>;
  struct Lane {
    std::string mark;       // the name of its row
    uint64_t sequence = 0;  // of its newest attempt
    bool is_busy = false;
    bool is_in_doubt = false;  // it has sent a commit whose outcome it does not know yet
  };

  // What may go together, claimed; empty when there is nothing or no lane. With the lock held.
  Deals pick();
  Lane* idle_lane();

  // As long as there is a lane and something for it.
  void dispatch();
  Task<void> carry(Lane& lane, Deals deals);
  // Ends with an outcome for each; those that found no room are given back to those that wait.
  Task<void> run(Lane& lane, Deals& deals);
  Task<void> try_to(Lane& lane, Deals& deals);
  struct Looked {
    std::vector<bool> sliced;  // of batch.wanted(): whether there may be slices
    uint8_t age = 0;           // of logs
  };
  Task<int> look_up(Attempt& attempt, storage::Batch& batch, Looked& looked);
  // What all commits rely on beside their records.
  Task<int> look_up_terms(Attempt& attempt, std::string_view era, uint8_t& age);
  void write(Attempt& attempt, const storage::Batch& batch, const Looked& looked) const;
  void append(Attempt& attempt, const std::vector<storage::Changes::Append>& appends, uint8_t age) const;
  enum class Fate : uint8_t { kHappened, kNot, kUnknown };
  Task<Fate> commit(Attempt& attempt, Lane& lane, const Patience& patience, int& code);
  Task<Fate> settle(Lane& lane, const Patience& patience);
  void give_back(Deals& deals, size_t kept);
  static void fail(const Deals& deals, const Error& error);
  storage::Version draw_version();

  const Database& database_;
  const Names& names_;
  Workers& workers_;
  const Presence& presence_;
  storage::RemoteMeters& meters_;
  const FoundationdbOptions options_;
  const storage::Limits limits_;
  Settled settled_;

  std::mutex mutex_;
  std::condition_variable rested_;
  std::deque<Lane> lanes_;
  std::deque<Deal*> waiting_;
  storage::Claims claims_;
  std::atomic<uint64_t> versions_;
};

}  // namespace partita::foundationdb
