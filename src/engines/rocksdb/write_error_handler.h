// Says once, loudly, that the store takes no writes any more, and brings it back where that is safe.
#pragma once

#include <rocksdb/status.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

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
  std::string sentence_locked() const;

  const Recover recover_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::string reason_;
  bool final_ = false;
  bool failed_again_ = false;  // since the last look of recover()
  bool stopping_ = false;
  Thread thread_;
};

}  // namespace partita::rocks
