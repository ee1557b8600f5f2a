// Says once, loudly, that the store takes no writes any more, and brings it back where that is safe.
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
  // Makes the store fit for writes again, or says why it is not. A status that is fatal, or neither an I/O error nor
  // busy, is final. Called on a thread of the keeper's own, after longer and longer pauses, until it succeeds.
  using Recover = std::function<rocksdb::Status()>;

  explicit WriteErrorHandler(Recover recover) : recover_(std::move(recover)) {}
  WriteErrorHandler(const WriteErrorHandler&) = delete;
  WriteErrorHandler& operator=(const WriteErrorHandler&) = delete;
  ~WriteErrorHandler() { stop(); }

  // From now on no writes are taken. When that is so already, what recovers begins again.
  void fail(const rocksdb::Status& status);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // For an operator: why no writes are taken, and what will help.
  std::string sentence() const;
  // Gives up recovering; failed() stays as it is.
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
