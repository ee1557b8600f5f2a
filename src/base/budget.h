// A bound on the memory that all requests together may take. Whoever is about to take memory on behalf of a caller
// takes a share first, and refuses the caller when there is none.
//
//   Budget budget(512 << 20);
//   BudgetShare share(budget);
//   if (!share.resize(body_bytes)) return refuse(...);
//   ...                                      // the end of `share` gives it back
//
// It counts, it does not allocate: a share is as honest as the number that its owner gives.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace partita {

// Callable from any thread. Outlives its shares.
class Budget {
 public:
  explicit Budget(size_t limit) : limit_(limit) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() { PARTITA_CHECK(used() == 0); }

  // False, and nothing is taken, when more than the limit would then be in use.
  bool take(size_t bytes) { return take_within(bytes, limit_); }
  // The same with a lower limit, for those who must leave room for others.
  bool take_within(size_t bytes, size_t limit) {
    if (bytes == 0) return true;
    size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  // For what exists already and cannot be refused: may pass the limit, so that others are refused.
  void take_anyway(size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  // Precondition: as much was taken.
  void give_back(size_t bytes) {
    const size_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
    PARTITA_CHECK(before >= bytes);
  }

  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

// What one owner has of a budget. For one thread at a time.
class BudgetShare {
 public:
  explicit BudgetShare(Budget& budget) : budget_(&budget) {}
  BudgetShare(BudgetShare&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  BudgetShare& operator=(BudgetShare&&) = delete;
  ~BudgetShare() { release(); }

  // To have `bytes` in all. False, and the share stays as it was, when the budget refuses; it never refuses to shrink.
  bool resize(size_t bytes) { return resize_within(bytes, budget_->limit()); }
  // Grows only while the whole budget stays within `limit`.
  bool resize_within(size_t bytes, size_t limit) {
    if (bytes > bytes_) {
      if (!budget_->take_within(bytes - bytes_, limit)) return false;
    } else if (bytes < bytes_) {
      budget_->give_back(bytes_ - bytes);
    }
    bytes_ = bytes;
    return true;
  }
  void resize_anyway(size_t bytes) {
    if (bytes > bytes_) {
      budget_->take_anyway(bytes - bytes_);
      bytes_ = bytes;
    } else {
      static_cast<void>(resize(bytes));
    }
  }
  void release() { static_cast<void>(resize(0)); }
  size_t bytes() const { return bytes_; }
  const Budget& budget() const { return *budget_; }

 private:
  Budget* budget_;
  size_t bytes_ = 0;
};

}  // namespace partita
