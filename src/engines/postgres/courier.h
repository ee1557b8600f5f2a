// The one thread that talks to PostgreSQL: it polls a few connections, merges what waits for one into one statement,
// and connects again what was lost. Callers are coroutines, which wait without a thread.
//
// Commits go over connections of their own, one batch at a time on each, so that no key is in two batches. While a
// connection is lost: what only read is sent again, and a commit whose answer did not come is settled by its mark.
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/executor.h"
#include "base/workers.h"
#include "engines/postgres/batch.h"
#include "engines/postgres/connection.h"
#include "engines/postgres/postgres_engine.h"
#include "storage/engine.h"

namespace partita::postgres {

class Courier;

// What waits for the courier. It lives in the frame of the coroutine that awaits it, once.
class Errand {
 public:
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle);
  void await_resume();

 protected:
  enum class Kind : uint8_t { kAsk, kLook, kDeal };
  Errand(Courier& courier, Kind kind) : courier_(courier), kind_(kind) {}

 private:
  friend class Courier;
  Courier& courier_;
  const Kind kind_;
  Executor* home_ = nullptr;
  std::coroutine_handle<> handle_;
  std::exception_ptr failure_;  // memory that ran out
};

// A statement that may be sent again when its answer did not come.
class Ask : public Errand {
 public:
  Ask(Courier& courier, Statement statement, Parameters parameters)
      : Errand(courier, Kind::kAsk), statement_(statement), parameters_(std::move(parameters)) {}
  Result<Rows> result = Error(ErrorKind::kUnavailable, "");

 private:
  friend class Courier;
  const Statement statement_;
  const Parameters parameters_;
  int attempts_ = 0;
};

// Records by their keys, all from one moment.
class Look : public Errand {
 public:
  Look(Courier& courier, std::span<const storage::Key> keys)
      : Errand(courier, Kind::kLook), keys_(keys), records(keys.size()) {}

 private:
  friend class Courier;
  const std::span<const storage::Key> keys_;

 public:
  std::vector<std::optional<storage::Record>> records;
  Result<void> result;
};

class Deal : public Errand {
 public:
  Deal(Courier& courier, std::vector<storage::Key>& keys, std::vector<storage::Compare>& compare,
       storage::Decide& decide)
      : Errand(courier, Kind::kDeal), transaction{keys, compare, decide} {}
  Transaction transaction;

 private:
  friend class Courier;
  int attempts_ = 0;
  bool alone_ = false;  // in no batch with others, since one with it failed
  int64_t not_before_ms_ = 0;
};

class Courier {
 public:
  Courier(Target target, const PostgresOptions& options, const storage::Limits& limits);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier();

  // Callable from any thread.
  void take(Errand& errand);
  Result<void> health() const;

 private:
  struct Lane;
  struct Load;  // a batch with its deals
  struct Settlement;

  void run();
  void sleep();
  int64_t next_due() const;
  void gather();
  void tend_connections();
  void give_up();
  void dispatch();
  void send_asks(Lane& lane);
  void send_looks(Lane& lane);
  void answer(Ask& ask, Reply&& reply);
  void answer(std::span<Look* const> looks, Reply&& reply);
  static void hand_out(std::span<Look* const> looks, const Rows& rows);

  std::vector<Deal*> pick_deals();
  bool is_free(const Deal& deal, const std::unordered_set<std::string_view>& passed) const;
  void begin_batch(Lane& lane, std::vector<Deal*> deals);
  void looked_up(Lane& lane, Reply&& reply);
  void decide_and_commit(Lane& lane, const Rows* rows);
  void committed(Lane& lane, Reply&& reply);
  void settle();
  void settled(std::unique_ptr<Settlement> settlement, Reply&& reply);

  void claim(Load& load);
  void release(Load& load);
  void conclude(std::unique_ptr<Load> load, const std::optional<Error>& error = std::nullopt);
  void put_back(std::unique_ptr<Load> load, bool conflicted);
  void fail(std::unique_ptr<Load> load, Reply&& reply);
  template <class Work>
  void guarded(Lane& lane, Work work);
  void finish(Errand& errand);
  void flush_finished();
  bool is_up(bool marked) const;
  storage::Version draw_version();

  const Target target_;
  const PostgresOptions options_;
  const storage::Limits limits_;
  Workers workers_{2};  // for coroutines that have no executor
  int wakeup_ = -1;

  mutable std::mutex mutex_;
  std::vector<Errand*> incoming_;
  bool asleep_ = false;
  bool stopping_ = false;
  std::string trouble_;  // empty: none

  // Of the courier's thread alone.
  std::deque<std::unique_ptr<Lane>> lanes_;
  std::deque<Ask*> asks_;
  std::deque<Look*> looks_;
  std::deque<Deal*> deals_;
  std::deque<std::unique_ptr<Settlement>> settlements_;
  std::unordered_multiset<std::string_view> claims_;  // keys that batches under way name
  std::vector<Errand*> finished_;
  int64_t now_ms_ = 0;
  int64_t down_since_ms_ = 0;  // no connection that commits; 0: there is one
  uint64_t versions_;
  std::thread thread_;
};

}  // namespace partita::postgres
