// A limit on the memory that all requests together may use. Code that allocates memory on behalf of a client
// takes a share first, and refuses the request if none is left.
//
//   Budget budget(512 << 20);
//   BudgetShare share(budget);
//   if (!share.resize(body_bytes)) return refuse(...);
//   ...                                      // the destructor of `share` gives it back
//
// It counts and does not allocate: a share is as accurate as the number that its owner gives.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace partita {

// Callable from any thread. Must outlive its shares.
class Budget {
 public:
  explicit Budget(size_t limit) : limit_(limit) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() { PARTITA_CHECK(used() == 0); }

  // False, and nothing is taken, if more than the limit would then be in use.
  bool take(size_t bytes) { return take_within(bytes, limit_); }
  // The same with a lower limit, for uses that must leave room for others.
  bool take_within(size_t bytes, size_t limit) {
    if (bytes == 0) return true;
    size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  // For memory that already exists and cannot be refused. It may exceed the limit, so that later requests are refused.
  void take_anyway(size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  // Precondition: at least as much was taken.
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

// One owner's share of a budget. For one thread at a time.
class BudgetShare {
 public:
  explicit BudgetShare(Budget& budget) : budget_(&budget) {}
  BudgetShare(BudgetShare&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  BudgetShare& operator=(BudgetShare&&) = delete;
  ~BudgetShare() { release(); }

  // Resizes the share to `bytes`. False, and the share is unchanged, if the budget refuses. Shrinking never fails.
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
