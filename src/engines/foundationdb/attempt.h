// One transaction of FoundationDB and its futures, which coroutines await without blocking a thread.
//
//   Attempt attempt(database);
//   Future value = attempt.get(key);
//   if (const int code = co_await value.done(workers); code != 0) ...
//
// Callable from any thread, but each object by one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/executor.h"
#include "base/task.h"
#include "engines/foundationdb/client.h"
#include "storage/engine.h"

namespace partita::foundationdb {

class Cluster {
 public:
  // Error: kInvalid (reason 0), with one sentence, for an unusable cluster file.
  static Result<Cluster> open(const std::string& cluster_file);
  Cluster(Cluster&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Cluster& operator=(Cluster&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Cluster() {
    if (handle_ == nullptr) return;
    client().database_destroy(handle_);
    end_client_at_exit();
  }
  FdbDatabase* handle() const { return handle_; }

 private:
  explicit Cluster(FdbDatabase* handle) : handle_(handle) {}
  FdbDatabase* handle_;
};

class Future {
 public:
  explicit Future(FdbFuture* handle) : handle_(handle) {}
  Future(Future&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Future& operator=(Future&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Future() {
    if (handle_ != nullptr) client().future_destroy(handle_);
  }

  // Yields the error code, or 0.
  class Waiting {
   public:
    Waiting(FdbFuture* future, Executor& fallback) : future_(future), home_(&fallback) {}
    bool await_ready() { return client().future_is_ready(future_) != 0; }
    void await_suspend(std::coroutine_handle<> handle);
    int await_resume() { return client().future_get_error(future_); }

   private:
    FdbFuture* const future_;
    Executor* home_;
    std::coroutine_handle<> handle_;
  };
  // `fallback` resumes coroutines that have no executor; never FoundationDB's network thread.
  Waiting done(Executor& fallback) const { return {handle_, fallback}; }

  // Calls `callback` once, on any thread; on the calling thread at once if the future is ready.
  void call_back(FdbCallback callback, void* with) const;
  // The error code, or 0. Precondition: the future is ready.
  int error() const { return client().future_get_error(handle_); }

  // The result. Precondition: it was awaited and has no error. Views are valid as long as the future.
  std::optional<std::string_view> value() const;
  struct Rows {
    std::span<const FdbKeyValue> rows;
    bool more;
  };
  Rows rows() const;
  int64_t number() const;

 private:
  FdbFuture* handle_;
};

class TxnAttempt {
 public:
  explicit TxnAttempt(const Cluster& cluster);
  TxnAttempt(const TxnAttempt&) = delete;
  TxnAttempt& operator=(const TxnAttempt&) = delete;
  ~TxnAttempt() { client().transaction_destroy(handle_); }

  // Reads that no commit relies on, unless a conflict is added for them.
  Future get(std::string_view key) { return read_one(key, true); }
  // The same, and the commit of this attempt fails if the row changes.
  Future get_firmly(std::string_view key) { return read_one(key, false); }
  // May return fewer rows or bytes; exceeds `max_bytes` by at most one row.
  Future get_range(const storage::Range& range, storage::Direction direction, size_t max_rows, size_t max_bytes);
  Future estimate(const storage::Range& range);
  Future read_version();
  // Changes whenever any client of the cluster renews it. It arrives with the read version, without a request of its
  // own.
  Future metadata_version();

  void set(std::string_view key, std::string_view value);
  void clear(std::string_view key);
  void clear(const storage::Range& range);
  // Replaces ten bytes at `stamp_at` of the key by the versionstamp of the commit.
  void set_stamped(std::string key, size_t stamp_at, std::string_view value);
  void renew_metadata_version();
  // The commit fails if the key is written after this attempt's read version.
  void rely_on(std::string_view key);
  void rely_on(const storage::Range& range);
  // Counted from now; 8 seconds without it.
  void limit_time(std::chrono::milliseconds most);
  Future commit();
  // Ready when another attempt may begin; has an error if none should.
  Future after(int code);

 private:
  Future read_one(std::string_view key, bool snapshot);
  FdbTransaction* handle_ = nullptr;
};

bool is_maybe_committed(int code);
bool is_retryable(int code);  // and nothing was committed

// How long an operation is retried.
class RetryPolicy {
 public:
  using Clock = std::chrono::steady_clock;
  // `asked`: when the caller began to wait.
  explicit RetryPolicy(Executor& fallback, Clock::time_point asked = Clock::now())
      : fallback_(fallback), until_(asked + kPatience) {}
  // How long the next attempt may take.
  std::chrono::milliseconds next() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now());
    return std::clamp(left, kShortestAttempt, kLongestAttempt);
  }
  bool is_over() const { return Clock::now() >= until_; }
  // Whether to retry after that code; waits until the next attempt may begin.
  Task<bool> allows_another(TxnAttempt& attempt, int code) const;

 private:
  static constexpr std::chrono::seconds kPatience{20};
  static constexpr std::chrono::milliseconds kShortestAttempt{2'000};
  static constexpr std::chrono::milliseconds kLongestAttempt{8'000};
  Executor& fallback_;
  const Clock::time_point until_;
};

}  // namespace partita::foundationdb
