// Damage that an open store has found in its own files: each affected read fails, and the operator is told once.
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
  // A failed read: counted if its status says that data is damaged.
  void met(const rocksdb::Status& status);
  // A damaged file: "the file F is damaged (...)", without a full stop.
  void found(const std::string& what);
  // All files were read without finding damage; `reads_before` is reads() from before. Clears what was found unless a
  // read failed meanwhile.
  void found_nothing(uint64_t reads_before);

  bool any() const { return any_.load(std::memory_order_acquire); }
  // For the operator: the first damage and what to do; empty if there is none.
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
