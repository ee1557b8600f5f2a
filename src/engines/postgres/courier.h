// The one thread that talks to PostgreSQL: it polls a few connections, merges what waits for one into one statement,
// and connects again what was lost. Callers are coroutines, which wait without a thread.
//
// Commits go over connections of their own, one batch at a time on each, so that no key is in two batches. While a
// connection is lost: what only read is sent again, and a commit whose answer did not come is settled by its mark.
// Nobody waits longer than kPatienceMs, and a little for a statement that is under way by then (lanes.h).
#pragma once

#include <array>
#include <coroutine>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "base/thread.h"
#include "base/workers.h"
#include "engines/postgres/connection.h"
#include "engines/postgres/postgres_engine.h"
#include "storage/batch.h"
#include "storage/deals.h"
#include "storage/engine.h"
#include "storage/remote_meters.h"

namespace partita::postgres {

class Courier;

// What waits for the courier.
class Errand : public storage::Waiter {
 public:
  void await_suspend(std::coroutine_handle<> handle);

 protected:
  enum class Kind : uint8_t { kAsk, kLook, kDeal };
  Errand(Courier& courier, Kind kind) : courier_(courier), kind_(kind) {}

 private:
  friend class Courier;
  Courier& courier_;
  const Kind kind_;
  int64_t asked_at_ns_ = 0;
  int64_t deadline_ms_ = 0;
  int losses_ = 0;      // times that its connection was lost under it
  bool alone_ = false;  // in no statement with others, since one with it failed
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
  storage::Transaction transaction;

 private:
  friend class Courier;
  int attempts_ = 0;
  int64_t not_before_ms_ = 0;
  bool by_itself_ = false;  // its commit, since it waited long in vain
};

class Courier {
 public:
  Courier(Target target, const PostgresOptions& options, const storage::Limits& limits);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier();
  // Once, before anything else. Error: kUnavailable, without a thread or a descriptor.
  Result<void> start();

  // Callable from any thread.
  void take(Errand& errand);
  Result<void> health() const;
  void report(Exposition& out) const { meters_.report(out); }

 private:
  struct Lane;
  struct Load;  // a batch with its deals
  struct Settlement;

  void run();
  void sleep();
  void wake() const;  // from any thread
  int64_t next_due() const;
  void gather();
  void tend_connections();
  void end_late();
  template <class Kind>
  void end_late(std::deque<Kind*>& waiting, bool all, const Error& error);
  void dispatch();
  void send_asks(Lane& lane);
  void send_looks(Lane& lane);
  void answer(Ask& ask, Reply&& reply);
  std::vector<Look*> pick_looks();
  void answer(std::span<Look* const> looks, Reply&& reply);
  void look_again(std::span<Look* const> looks, bool was_lost);
  static void hand_out(std::span<Look* const> looks, const Rows& rows);
  void weigh(size_t keys, const Rows& rows, int column);
  size_t keys_at_once() const;
  static std::optional<Error> count_loss(Errand& errand);

  std::vector<Deal*> pick_deals();
  void begin_batch(Lane& lane, std::vector<Deal*> deals);
  void looked_up(Lane& lane, Reply&& reply);
  void decide_and_commit(Lane& lane, const Rows* rows);
  void committed(Lane& lane, Reply&& reply);
  void settle();
  void give_up_late(Settlement& settlement);
  void settled(std::unique_ptr<Settlement> settlement, Reply&& reply);

  void release(const Load& load);
  void conclude(std::unique_ptr<Load> load, const std::optional<Error>& error = std::nullopt);
  enum class Cause : uint8_t {
    kOthers,  // changed the same at the same time
    kLoss,    // of the connection
    kElse,
  };
  void put_back(std::unique_ptr<Load> load, Cause cause);
  std::optional<Error> count(Deal& deal, Cause cause) const;
  void fail(std::unique_ptr<Load> load, Reply&& reply);
  template <class Work>
  void guarded(Lane& lane, Work work);
  void finish(Errand& errand);
  void flush_finished();
  bool is_up(bool marked) const;
  std::string look_for_trouble();
  // Of a statement that is sent for them.
  template <class Kind>
  Connection::Patience patience_for(std::span<Kind* const> errands, int64_t kept_ms) const;
  bool is_given_up(bool marked) const;
  storage::Version draw_version();

  const Target target_;
  const PostgresOptions options_;
  const storage::Limits limits_;
  Workers workers_{2};  // for coroutines that have no executor
  int wakeup_ = -1;

  storage::RemoteMeters meters_;

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
  storage::Claims claims_;
  std::vector<Errand*> finished_;
  int64_t now_ms_ = 0;
  // Since when there is no connection, of those that do not commit and of those that do. 0: there is one.
  std::array<int64_t, 2> down_since_ms_{};
  size_t average_bytes_ = 0;  // of what comes back for a key
  int64_t look_for_late_at_ms_ = 0;
  // When PostgreSQL last refused a commit for want of something, and its words.
  int64_t refused_at_ms_ = 0;
  std::string refusal_;
  uint64_t versions_;
  Thread thread_;
};

}  // namespace partita::postgres
