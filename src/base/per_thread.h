// A T of each thread's own, made when the thread first asks for it and ended with the thread. A `thread_local` with a
// destructor ends the process when there is no memory to note the destructor; this throws.
#pragma once

#include <pthread.h>

#include "base/check.h"

namespace partita {

// T is default constructible, and used in one place only: every PerThread<T> is the same one.
template <typename T>
class PerThread {
 public:
  // Throws std::bad_alloc, and whatever T's constructor throws.
  static T& get() { return mine_ != nullptr ? *mine_ : make(); }

  // Null while this thread has none.
  static T* find() noexcept { return mine_; }

 private:
  static T& make() {
    static const pthread_key_t key = [] {
      pthread_key_t made;
      PARTITA_CHECK(pthread_key_create(&made, end) == 0);
      return made;
    }();
    mine_ = new T;
    // Without memory for this, which only a process of many keys asks for, it outlives the thread.
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
