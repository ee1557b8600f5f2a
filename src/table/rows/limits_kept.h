// What limits the requests for a table or an index, kept with its description so that a request finds it without a lock
// or a search. This layer knows nothing of the limits but that they end with the table.
#pragma once

#include <atomic>
#include <memory>

namespace partita::table {

class Limits {
 public:
  virtual ~Limits() = default;
};

// Shared by all versions of one TableInfo or IndexInfo. Callable from any thread.
class LimitsKept {
 public:
  LimitsKept() = default;
  LimitsKept(const LimitsKept&) = delete;
  LimitsKept& operator=(const LimitsKept&) = delete;
  ~LimitsKept() { delete kept_.load(std::memory_order_acquire); }

  // Null: none yet. Valid as long as this.
  Limits* get() const { return kept_.load(std::memory_order_acquire); }
  // Keeps `limits`, unless another thread was first. Returns those that are kept.
  Limits* keep(std::unique_ptr<Limits> limits) {
    Limits* kept = nullptr;
    return kept_.compare_exchange_strong(kept, limits.get(), std::memory_order_acq_rel) ? limits.release() : kept;
  }

 private:
  std::atomic<Limits*> kept_{nullptr};
};

}  // namespace partita::table
