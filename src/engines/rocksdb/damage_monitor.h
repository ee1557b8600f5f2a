// What an open store has met of its own damage: readers get an error each time, and the operator is told once.
#pragma once

#include <rocksdb/status.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/meter.h"
#include "base/mutex.h"

namespace partita::rocks {

// Callable from any thread.
class DamageMonitor {
 public:
  // Of a read that failed: counted if that was for damage.
  void met(const rocksdb::Status& status);
  // Of a file that was looked through: "the file F is damaged (...)", without a full stop.
  void found(const std::string& what);
  // All was looked through since `reads` was what it is, and nothing found.
  void found_nothing(uint64_t reads_before);

  bool any() const { return any_.load(std::memory_order_acquire); }
  // For an operator: what was met first, and what to do. Empty when there is none.
  std::string sentence() const;
  uint64_t reads() const { return reads_.total(); }

 private:
  void note(const std::string& what);

  Meter reads_;
  std::atomic<bool> any_{false};
  mutable Mutex mutex_;
  std::string first_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::rocks
