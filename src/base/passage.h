// A way that any number go through side by side, until somebody shuts it to be alone. Going through costs a few
// nanoseconds: each thread counts in a place of its own.
//
//   Passage::Visit visit(passage);
//   co_await visit;  // waits while it is shut
//   ...              // nobody is alone while this is inside
//
// Callable from any thread.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/meter.h"
#include "base/suspended.h"

namespace partita {

class Passage {
 public:
  // One that goes through: inside from the end of `co_await` to the end of its life. Goes on through the Executor that
  // was current when it had to wait.
  class Visit {
   public:
    explicit Visit(Passage& passage) : passage_(passage) {}
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
      if (inside_) passage_.leave(place_);
    }

    // In place of `co_await`, once: inside at once, or, when this is false, not at all.
    bool enters() { return await_ready(); }

    bool await_ready() {
      place_ = meter_place();
      inside_ = passage_.enter(place_);
      return inside_;
    }
    bool await_suspend(std::coroutine_handle<> handle) { return passage_.wait(*this, handle); }
    void await_resume() const noexcept {}

   private:
    friend class Passage;
    Passage& passage_;
    size_t place_ = 0;
    bool inside_ = false;
    Suspended waiting_;
  };

  // Blocks until nobody is inside; whoever comes waits from now on. Preconditions: it is open; the calling thread is
  // not needed by those inside. Only one at a time.
  void shut();
  // Lets those in who wait.
  void open();

 private:
  struct alignas(64) Place {
    std::atomic<uint64_t> inside{0};
  };

  // False: it is shut. Either the one who enters sees that it is shut, or who shuts it sees him inside.
  bool enter(size_t place) {
    places_[place].inside.fetch_add(1);
    if (!shut_.load()) [[likely]]
      return true;
    leave(place);
    return false;
  }
  void leave(size_t place) {
    places_[place].inside.fetch_sub(1);
    if (shut_.load()) [[unlikely]]
      left();
  }
  // False: it was opened meanwhile, and the visitor is inside.
  bool wait(Visit& visit, std::coroutine_handle<> handle);
  void left();
  bool is_empty() const;

  std::atomic<bool> shut_{false};  // changed with the lock held
  std::array<Place, kMeterPlaces> places_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Visit*> waiting_;
};

}  // namespace partita
