// A T for each thread, constructed when the thread first asks for it and destroyed with the thread. A `thread_local`
// with a destructor ends the process if there is no memory to register the destructor; this class throws instead.
#pragma once

#include <pthread.h>

#include "base/check.h"

namespace partita {

// T must be default constructible. All PerThread<T> of one T are the same object.
template <typename T>
class PerThread {
 public:
  // Throws std::bad_alloc, and what T's constructor throws.
  static T& get() { return mine_ != nullptr ? *mine_ : make(); }

  // Null if this thread has none yet.
  static T* find() noexcept { return mine_; }

 private:
  static T& make() {
    static const pthread_key_t key = [] {
      pthread_key_t made;
      PARTITA_CHECK(pthread_key_create(&made, end) == 0);
      return made;
    }();
    mine_ = new T;
    // If there is no memory for this, which only a process with many keys needs, the object outlives the thread.
    static_cast<void>(pthread_setspecific(key, mine_));
    return *mine_;
  }

  static void end(void* mine) noexcept {
    mine_ = nullptr;
    delete static_cast<T*>(mine);
  }

  static constinit thread_local T* mine_;
};

template <typename T>
constinit thread_local T* PerThread<T>::mine_ = nullptr;

}  // namespace partita
