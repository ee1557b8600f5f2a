// Waits for a task on the calling thread. Most calls end on it, and take no lock then; wait_for() of base/task.h always
// takes one.
#pragma once

#include <pthread.h>

#include <coroutine>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "base/coroutine_frames.h"
#include "base/mutex.h"
#include "base/task.h"

namespace partita::library {

// What a thread waits for; it outlives the task.
template <class T>
class Awaited {
 public:
  Awaited() = default;
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  // Absent: there was no memory.
  std::optional<T> value;

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

// Starts at once and destroys itself at its end.
struct Begun {
  struct promise_type {
    Begun get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
    static void* operator new(size_t bytes) { return allocate_frame(bytes); }
    static void operator delete(void* frame, size_t bytes) noexcept { free_frame(frame, bytes); }
  };
};

template <class T>
Begun begin(Task<T> task, Awaited<T>& into) {
  try {
    into.value.emplace(co_await task);
  } catch (const std::bad_alloc&) {
    into.value.reset();
  }
  into.finish();
}

// Blocks until the task has ended. Absent: there was no memory.
template <class T>
std::optional<T> await(Task<T> task) {
  Awaited<T> awaited;
  begin(std::move(task), awaited);
  awaited.wait();
  return std::move(awaited.value);
}

}  // namespace partita::library
