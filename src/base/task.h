// Task<T>: a lazy coroutine that produces one T. It starts when it is awaited, on the awaiter's thread, and continues
// wherever the operation that it waits for resumes it.
//
//   Task<Result<Item>> load(Engine& engine, Key key) {
//     std::vector<Key> keys{key};
//     auto records = co_await engine.read(keys);
//     ...
//   }
//
// Ownership: a Task owns its frame; arguments passed by reference must outlive it. Destroying a Task that was started
// and has not finished is a bug. The only exception that may leave a coroutine is std::bad_alloc. It reaches the
// awaiter, so that running out of memory ends one request. Any other exception aborts where it is thrown.
// A Task that finishes without waiting needs neither a thread switch nor stack: loops over such tasks are safe at any
// length.
// g++ 12 destroys temporaries of `co_await f({...})` twice: build arguments in named variables.
#pragma once

#include <pthread.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/coroutine_frames.h"
#include "base/mutex.h"

namespace partita {

template <class T>
class Task;

namespace task_detail {

struct ReusedFrame {
  static void* operator new(size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, size_t bytes) noexcept { free_frame(frame, bytes); }
};

class PromiseBase : public ReusedFrame {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept {
    failure_ = std::current_exception();
    try {
      std::rethrow_exception(failure_);
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) noexcept {
      PromiseBase& promise = self.promise();
      // The second to arrive, the end of this task or the return of its start, resumes the awaiter.
      if (promise.met_.exchange(true, std::memory_order_acq_rel)) promise.continuation_.resume();
    }
    void await_resume() noexcept {}
  };
  FinalAwaiter final_suspend() noexcept { return {}; }

  // True if the task has not finished yet and will resume `awaiter` later.
  bool start(std::coroutine_handle<> self, std::coroutine_handle<> awaiter) {
    continuation_ = awaiter;
    self.resume();
    return !met_.exchange(true, std::memory_order_acq_rel);
  }

 protected:
  void rethrow_failure() {
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::move(failure_));
  }

 private:
  std::coroutine_handle<> continuation_;
  std::exception_ptr failure_;
  std::atomic<bool> met_{false};
};

template <class T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow_failure();
    PARTITA_CHECK(value_.has_value());
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void take() { rethrow_failure(); }
};

}  // namespace task_detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (frame_) frame_.destroy();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> awaiter) { return frame_.promise().start(frame_, awaiter); }
  T await_resume() { return frame_.promise().take(); }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

namespace task_detail {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// A coroutine that starts at once and destroys itself at its end.
struct Detached {
  struct promise_type : ReusedFrame {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

}  // namespace task_detail

// Starts `task` on this thread. `done` is called with its value, on the thread on which the task ends.
template <class T, class Done>
task_detail::Detached start(Task<T> task, Done done) {
  if constexpr (std::is_void_v<T>) {
    co_await task;
    done();
  } else {
    done(co_await task);
  }
}

namespace task_detail {

// Puts the value of `task`, `true` for void, into `value`; the lack of memory into `failure`.
template <class T, class Value, class Done>
Detached settle(Task<T> task, std::optional<Value>& value, std::exception_ptr& failure, Done done) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await task;
      value.emplace(true);
    } else {
      value.emplace(co_await task);
    }
  } catch (const std::bad_alloc&) {
    failure = std::current_exception();
  }
  done();
}

// What the thread that makes it waits for. A task that ends on that thread takes no lock.
class Completion {
 public:
  // The last that the task does with this.
  void finish() {
    if (pthread_equal(pthread_self(), waiting_) != 0) {
      finished_here_ = true;
      return;
    }
    const MutexLock lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }
  void wait() {
    if (finished_here_) return;
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return finished_; });
  }

 private:
  const pthread_t waiting_ = pthread_self();
  bool finished_here_ = false;  // only the waiting thread uses it
  Mutex mutex_;
  CondVar changed_;
  bool finished_ PARTITA_GUARDED_BY(mutex_) = false;
};

}  // namespace task_detail

// Runs `task` and blocks this thread until it has finished. For tests, tools and start-up, never on a serving thread.
// Throws std::bad_alloc where the task does.
template <class T>
T wait_for(Task<T> task) {
  task_detail::Completion completion;
  std::optional<std::conditional_t<std::is_void_v<T>, bool, T>> value;
  std::exception_ptr failure;
  task_detail::settle(std::move(task), value, failure, [&] { completion.finish(); });
  completion.wait();
  if (failure) std::rethrow_exception(failure);
  if constexpr (!std::is_void_v<T>) return std::move(*value);
}

}  // namespace partita
