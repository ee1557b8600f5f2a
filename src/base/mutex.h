// std::mutex and std::condition_variable with the annotations that clang's analysis needs (thread_annotations.h), at no
// cost in time or memory. Classes that threads share use these.
//
//   const MutexLock lock(mutex_);
//   changed_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return stopping_; });
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "base/thread_annotations.h"

namespace partita {

// Not recursive. Callable from any thread; unlocked by the thread that locked it.
class PARTITA_CAPABILITY("mutex") Mutex {
 public:
  void lock() PARTITA_ACQUIRE() { mutex_.lock(); }
  void unlock() PARTITA_RELEASE() { mutex_.unlock(); }
  bool try_lock() PARTITA_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds the mutex to the end of its scope.
class PARTITA_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PARTITA_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() PARTITA_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Held by one writer, or by any number of readers.
class PARTITA_CAPABILITY("mutex") SharedMutex {
 public:
  void lock() PARTITA_ACQUIRE() { mutex_.lock(); }
  void unlock() PARTITA_RELEASE() { mutex_.unlock(); }
  void lock_shared() PARTITA_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() PARTITA_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class PARTITA_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) PARTITA_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriterLock() PARTITA_RELEASE() { mutex_.unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class PARTITA_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) PARTITA_ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~ReaderLock() PARTITA_RELEASE() { mutex_.unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Waits with the mutex released, and returns with it held. `holds` is called with it held.
class CondVar {
 public:
  void notify_one() noexcept { changed_.notify_one(); }
  void notify_all() noexcept { changed_.notify_all(); }

  // These two may return before the time and without a notification.
  void wait(Mutex& mutex) PARTITA_REQUIRES(mutex) {
    const Adopted adopted(mutex);
    changed_.wait(adopted.lock);
  }
  template <class Clock, class Duration>
  void wait_until(Mutex& mutex, std::chrono::time_point<Clock, Duration> until) PARTITA_REQUIRES(mutex) {
    const Adopted adopted(mutex);
    changed_.wait_until(adopted.lock, until);
  }

  template <class Predicate>
  void wait(Mutex& mutex, Predicate holds) PARTITA_REQUIRES(mutex) {
    const Adopted adopted(mutex);
    changed_.wait(adopted.lock, holds);
  }
  // False: the time is over, and the predicate does not hold.
  template <class Rep, class Period, class Predicate>
  bool wait_for(Mutex& mutex, std::chrono::duration<Rep, Period> time, Predicate holds) PARTITA_REQUIRES(mutex) {
    return wait_until(mutex, std::chrono::steady_clock::now() + time, holds);
  }
  template <class Clock, class Duration, class Predicate>
  bool wait_until(Mutex& mutex, std::chrono::time_point<Clock, Duration> until, Predicate holds)
      PARTITA_REQUIRES(mutex) {
    const Adopted adopted(mutex);
    return changed_.wait_until(adopted.lock, until, holds);
  }

 private:
  // std::condition_variable takes no other lock. It leaves the mutex held.
  struct Adopted {
    explicit Adopted(Mutex& mutex) : lock(mutex.mutex_, std::adopt_lock) {}
    ~Adopted() { lock.release(); }
    Adopted(const Adopted&) = delete;
    Adopted& operator=(const Adopted&) = delete;
    mutable std::unique_lock<std::mutex> lock;
  };
  std::condition_variable changed_;
};

}  // namespace partita
