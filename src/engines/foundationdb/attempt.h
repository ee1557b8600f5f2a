// One transaction of FoundationDB, and what it promises: coroutines wait for it without a thread.
//
//   Attempt attempt(database);
//   Future value = attempt.get(key);
//   if (const int code = co_await value.done(workers); code != 0) ...
//
// Callable from any thread. No two threads use the same object at once.
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
  // Error: kInvalid (reason 0), with one sentence, for a cluster file that cannot be used.
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

  // Yields the code of its error, or 0.
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
  // `fallback` goes on with coroutines that have no executor: never the thread that serves FoundationDB's network.
  Waiting done(Executor& fallback) const { return {handle_, fallback}; }

  // Called once, by any thread, and by this one at once if it is done already.
  void call_back(FdbCallback callback, void* with) const;
  // Of what is done: its code, or 0.
  int error() const { return client().future_get_error(handle_); }

  // Of what was waited for and has no error. Views live as long as the future.
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

class Attempt {
 public:
  explicit Attempt(const Cluster& cluster);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() { client().transaction_destroy(handle_); }

  // Reads that no commit relies on, unless a conflict is added for them.
  Future get(std::string_view key) { return read_one(key, true); }
  // What the commit of this attempt relies on.
  Future get_firmly(std::string_view key) { return read_one(key, false); }
  // It may end behind fewer rows or bytes; behind more bytes by one row at most.
  Future get_range(const storage::Range& range, storage::Direction direction, size_t max_rows, size_t max_bytes);
  Future estimate(const storage::Range& range);
  Future read_version();
  // Another one whenever somebody in the cluster has renewed it. It comes with the moment of reading: nothing is asked
  // for it.
  Future metadata_version();

  void set(std::string_view key, std::string_view value);
  void clear(std::string_view key);
  void clear(const storage::Range& range);
  // Ten bytes at `stamp_at` of the key become the moment of the commit.
  void set_stamped(std::string key, size_t stamp_at, std::string_view value);
  void renew_metadata_version();
  // The commit fails if somebody writes that key after this attempt's moment.
  void rely_on(std::string_view key);
  void rely_on(const storage::Range& range);
  // From now on; without it, 8 seconds.
  void limit_time(std::chrono::milliseconds most);
  Future commit();
  // Done when another attempt may begin. With an error, when it should not.
  Future after(int code);

 private:
  Future read_one(std::string_view key, bool snapshot);
  FdbTransaction* handle_ = nullptr;
};

bool is_maybe_committed(int code);
bool is_retryable(int code);  // and nothing was committed

// How long something is tried.
class RetryPolicy {
 public:
  using Clock = std::chrono::steady_clock;
  // `asked`: when whoever waits for it began to.
  explicit RetryPolicy(Executor& fallback, Clock::time_point asked = Clock::now())
      : fallback_(fallback), until_(asked + kPatience) {}
  // How long the next attempt may take.
  std::chrono::milliseconds next() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now());
    return std::clamp(left, kShortestAttempt, kLongestAttempt);
  }
  bool is_over() const { return Clock::now() >= until_; }
  // Whether to try what ended with that code again, which it waits for.
  Task<bool> allows_another(Attempt& attempt, int code) const;

 private:
  static constexpr std::chrono::seconds kPatience{20};
  static constexpr std::chrono::milliseconds kShortestAttempt{2'000};
  static constexpr std::chrono::milliseconds kLongestAttempt{8'000};
  Executor& fallback_;
  const Clock::time_point until_;
};

}  // namespace partita::foundationdb
