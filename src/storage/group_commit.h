// For engines over a database: calls of transact() wait as coroutines until a batch (batch.h) has taken them along, and
// here is who goes with whom. An engine has a Deal of its own, a Waiter with the `transaction` of one call.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/executor.h"
#include "base/result.h"
#include "base/suspended_coroutine.h"
#include "base/task.h"
#include "storage/batch.h"
#include "storage/engine.h"

namespace partita::storage {

// A coroutine that waits until others have done something for it. It lives in that coroutine's frame and is awaited
// once.
class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool await_ready() noexcept { return false; }
  void await_resume();

  std::exception_ptr failure;  // memory that ran out: thrown where it goes on

 protected:
  // For await_suspend(), before anybody else is told of it.
  void suspend(std::coroutine_handle<> handle) { waiting_ = SuspendedCoroutine::here(handle); }

 private:
  friend void resume(std::vector<Waiter*> waiters, Executor& otherwise);
  SuspendedCoroutine waiting_;
};

// Each goes on where it came from, or on `otherwise` where it came from no executor. An executor is woken once for all
// of its own. They may be gone when this returns.
void resume(std::vector<Waiter*> waiters, Executor& otherwise);

// The keys that batches under way read: no key is in two of them. For one thread at a time.
class InFlightKeys {
 public:
  // The transaction's keys outlive the claim.
  void add(const Transaction& transaction);
  // Also of one that add() had no memory to claim whole.
  void remove(const Transaction& transaction);

  struct GroupLimits {
    size_t members;
    size_t keys;  // of all members, except that a single one may have more
  };
  enum class Eligibility : uint8_t {
    kNotYet,
    kGrouped,
    kAlone,  // with no other
  };
  // Takes out of `waiting` what may go together, from the front: all that wait for nobody else, and whose turn(deal) it
  // is. Who waits keeps the place before those behind on the same keys. InFlightKeys nothing.
  template <class PendingTxn, class TurnOf>
  std::vector<PendingTxn*> pick(std::deque<PendingTxn*>& waiting, GroupLimits most, TurnOf eligibility) const;

 private:
  using Names = std::unordered_set<std::string_view>;
  bool is_free(const Transaction& transaction, const Names& passed) const;

  std::unordered_multiset<std::string_view> keys_;
};

template <class PendingTxn, class TurnOf>
std::vector<PendingTxn*> InFlightKeys::pick(std::deque<PendingTxn*>& waiting, GroupLimits most,
                                            TurnOf eligibility) const {
  // How far behind those that wait for others it is looked.
  constexpr size_t kMostPassed = 1'024;
  std::vector<PendingTxn*> picked;
  std::vector<PendingTxn*> left;
  Names passed;
  size_t keys = 0;
  for (Eligibility last = Eligibility::kGrouped; last != Eligibility::kAlone && !waiting.empty();) {
    if (picked.size() >= most.members || left.size() >= kMostPassed) break;
    PendingTxn* const txn = waiting.front();
    const Transaction& transaction = txn->transaction;
    const Eligibility eligible = is_free(transaction, passed) ? eligibility(*txn) : Eligibility::kNotYet;
    if (eligible == Eligibility::kGrouped || (eligible == Eligibility::kAlone && picked.empty())) {
      keys += transaction.keys.size();
      if (!picked.empty() && keys > most.keys) break;
      picked.push_back(txn);
      last = eligible;
    } else {
      for (const Key& key : transaction.keys) passed.insert(key.bytes);
      left.push_back(txn);
    }
    waiting.pop_front();
  }
  waiting.insert(waiting.begin(), left.begin(), left.end());
  return picked;
}

// Engine::transact() of an engine with such limits: as one Deal of its Pipeline. The courier outlives it.
template <class PendingTxn, class Pipeline>
Task<Result<Outcome>> run_transaction(Pipeline& pipeline, Limits limits, std::vector<Key> keys,
                                      std::vector<Compare> compare, Decide decide, Version* version) {
  PARTITA_CHECK(are_distinct(keys));
  PARTITA_CO_TRY_VOID(check_keys(limits, keys, compare));
  PendingTxn txn(pipeline, keys, compare, decide);
  co_await txn;
  PARTITA_CO_TRY(const Outcome outcome, std::move(txn.transaction.outcome));
  if (outcome == Outcome::kCommitted && version != nullptr) *version = txn.transaction.version;
  co_return outcome;
}

}  // namespace partita::storage
