// After a failed write: logs once that the store accepts no writes, and recovers it where that is safe.
#pragma once

#include <rocksdb/status.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/mutex.h"
#include "base/thread.h"

namespace partita::rocks {

// Callable from any thread.
class WriteErrorHandler {
 public:
  // Makes the store writable again, or returns why it cannot. A status that is fatal, or neither an I/O error nor busy,
  // is final. Called on a thread of this class, with increasing pauses, until it succeeds.
  using Recover = std::function<rocksdb::Status()>;

  explicit WriteErrorHandler(Recover recover) : recover_(std::move(recover)) {}
  WriteErrorHandler(const WriteErrorHandler&) = delete;
  WriteErrorHandler& operator=(const WriteErrorHandler&) = delete;
  ~WriteErrorHandler() { stop(); }

  // The store accepts no writes from now on. During a recovery, starts it again.
  void fail(const rocksdb::Status& status);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // For the operator: why no writes are accepted, and what helps.
  std::string sentence() const;
  // Ends a recovery; failed() does not change.
  void stop();

 private:
  void run();
  rocksdb::Status recover();
  bool wait(int64_t ms);
  std::string sentence_locked() const PARTITA_REQUIRES(mutex_);

  const Recover recover_;
  std::atomic<bool> failed_{false};
  mutable Mutex mutex_;
  CondVar stopped_;
  std::string reason_ PARTITA_GUARDED_BY(mutex_);
  bool final_ PARTITA_GUARDED_BY(mutex_) = false;
  bool failed_again_ PARTITA_GUARDED_BY(mutex_) = false;  // since the last look of recover()
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
  Thread thread_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::rocks
