#include "engines/rocksdb/write_error_handler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace partita::rocks {

namespace {

constexpr int64_t kFirstPauseMs = 100;
constexpr int64_t kLongestPauseMs = 1'000;

bool is_final(const rocksdb::Status& status) {
  return !status.IsIOError() && !status.IsBusy() && !status.IsTryAgain() && !status.IsIncomplete();
}

}  // namespace

std::string WriteErrorHandler::sentence_locked() const {
  return "The store takes no writes since the disk failed (" + reason_ + "); " +
         (final_ ? "it cannot recover from this: put the disk right and start the server again."
                 : "reads go on, and it recovers by itself once the disk takes writes again.");
}

std::string WriteErrorHandler::sentence() const {
  const MutexLock lock(mutex_);
  return sentence_locked();
}

void WriteErrorHandler::fail(const rocksdb::Status& status) {
  const MutexLock lock(mutex_);
  failed_again_ = true;
  if (failed_.load(std::memory_order_relaxed) || stopping_) return;
  reason_ = status.ToString();
  final_ = is_final(status) || status.severity() >= rocksdb::Status::kFatalError;
  failed_.store(true, std::memory_order_release);
  log(LogLevel::kError, sentence_locked());
  if (final_) return;
  // The last one ended when it had recovered.
  if (thread_.joinable()) thread_.join();
  auto started = Thread::start("recovery", [this](const std::stop_token&) { run(); });
  if (started.ok()) {
    thread_ = std::move(started).value();
  } else {
    final_ = true;  // there are no threads left to recover on
    log(LogLevel::kError, sentence_locked());
  }
}

bool WriteErrorHandler::wait(int64_t ms) {
  const MutexLock lock(mutex_);
  return !stopped_.wait_for(mutex_, std::chrono::milliseconds(ms),
                            [this]() PARTITA_REQUIRES(mutex_) { return stopping_; });
}

// A fault that comes meanwhile may be one of its own making, or newer than what it looked at: so it looks again.
rocksdb::Status WriteErrorHandler::recover() {
  rocksdb::Status status;
  for (int looks = 0; looks < 2 && status.ok(); ++looks) {
    {
      const MutexLock lock(mutex_);
      failed_again_ = false;
    }
    status = recover_();
    const MutexLock lock(mutex_);
    if (!failed_again_) break;
  }
  return status;
}

void WriteErrorHandler::run() {
  const auto began = std::chrono::steady_clock::now();
  for (int64_t pause_ms = kFirstPauseMs; wait(pause_ms); pause_ms = std::min(pause_ms * 2, kLongestPauseMs)) {
    const rocksdb::Status status = recover();
    const MutexLock lock(mutex_);
    if (status.ok() && failed_again_) continue;
    if (status.ok()) {
      const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
      failed_.store(false, std::memory_order_release);
      log(LogLevel::kWarn,
          {"The store takes writes again, after ", std::to_string(took.count()), " s; nothing acknowledged is lost."});
      return;
    }
    if (!status.IsBusy()) reason_ = status.ToString();
    if (!is_final(status) && status.severity() < rocksdb::Status::kFatalError) continue;
    final_ = true;
    log(LogLevel::kError, sentence_locked());
    return;
  }
}

void WriteErrorHandler::stop() {
  Thread ended;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    ended = std::exchange(thread_, Thread());
  }
  stopped_.notify_all();
  if (ended.joinable()) ended.join();
}

}  // namespace partita::rocks
