// Group commit for engines over a database: calls of transact() wait as coroutines until a batch (batch.h) has included
// them. This file chooses the members of a batch. Each engine defines its own PendingTxn: a Waiter with the
// `transaction` of one call.
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

// A coroutine that waits for another thread or coroutine to process its request. It is in that coroutine's frame and is
// awaited once.
class PipelineWaiter {
 public:
  PipelineWaiter() = default;
  PipelineWaiter(const PipelineWaiter&) = delete;
  PipelineWaiter& operator=(const PipelineWaiter&) = delete;

  bool await_ready() noexcept { return false; }
  void await_resume();

  std::exception_ptr failure;  // std::bad_alloc, rethrown when the coroutine resumes

 protected:
  // For await_suspend(), before anyone else has a pointer to it.
  void suspend(std::coroutine_handle<> handle) { waiting_ = SuspendedCoroutine::here(handle); }

 private:
  friend void resume(std::vector<PipelineWaiter*> waiters, Executor& otherwise);
  SuspendedCoroutine waiting_;
};

// Resumes each through its own executor, or through `otherwise` if it has none. Each executor is woken once. The
// waiters may be gone when this returns.
void resume(std::vector<PipelineWaiter*> waiters, Executor& otherwise);

// The keys that batches in flight read: no key is in two of them. For one thread at a time.
class InFlightKeys {
 public:
  // The transaction's keys must live until remove().
  void add(const Transaction& transaction);
  // Also for a transaction that add() recorded only in part because memory ran out.
  void remove(const Transaction& transaction);

  struct GroupLimits {
    size_t members;
    size_t keys;  // of all members together; a single member may have more
  };
  enum class Eligibility : uint8_t {
    kNotYet,
    kGrouped,
    kAlone,  // in a batch of its own
  };
  // Removes from the front of `waiting`, and returns, the transactions that may form one batch: those whose keys are
  // neither in flight nor used by an earlier waiting transaction, and that are eligible. The others keep their order.
  // Does not add to the keys in flight.
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
  // How many transactions that have to wait are passed over.
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

// Engine::transact() for an engine with these limits: one PendingTxn of its pipeline, which must outlive it.
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
