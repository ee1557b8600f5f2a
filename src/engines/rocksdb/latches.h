// What keeps transactions on the same keys apart: locks over stripes of the key space, which coroutines wait for and
// threads never do.
#pragma once

#include <array>
#include <atomic>
#include <coroutine>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace partita::rocks {

// Each stripe is held by one transaction at a time, from reading its records to queueing its writes, and waited for in
// the order of asking. There is no deadlock: stripes are waited for in ascending order, what is wanted later is taken
// only if it is free, and nobody waits for room in the queue while holding one.
// Callable from any thread. Precondition for its end: nothing is held.
class Latches {
 public:
  static constexpr uint32_t kStripes = 4096;
  // By the key's hash64().
  static uint32_t stripe_of(uint64_t hash) { return static_cast<uint32_t>(hash % kStripes); }

  // What one transaction holds; lets go at its end. For one coroutine, on whatever threads it runs.
  class Held {
   public:
    explicit Held(Latches& latches) : latches_(latches) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { release(); }

    struct Lock {
      Held& held;
      bool await_ready() { return held.take_free(); }
      bool await_suspend(std::coroutine_handle<> handle) { return held.wait(handle); }
      void await_resume() const;
    };
    // `co_await held.lock(stripes, executor)` goes on once all are held: at once when nobody is in the way, else
    // through `executor`. Precondition: nothing is held; `stripes` are ascending, and stay where they are while they
    // are held.
    Lock lock(std::span<const uint32_t> stripes, Executor& executor);
    // Takes those of `stripes` that are not held, if all of them are free; then nothing but letting go may follow.
    // Precondition: distinct.
    bool try_extend(std::span<const uint32_t> stripes);
    void release();

   private:
    friend class Latches;
    bool take_free();
    bool wait(std::coroutine_handle<> handle);

    Latches& latches_;
    std::span<const uint32_t> wanted_;
    size_t got_ = 0;  // of wanted_, from its beginning
    std::vector<uint32_t> extra_;
    Executor* executor_ = nullptr;
    std::coroutine_handle<> handle_;
    Held* next_ = nullptr;  // behind this one in a queue
    bool queued_ = false;
  };

  // By whomever.
  bool is_held(uint32_t stripe) const { return words_[stripe].load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr size_t kShards = 64;
  struct Queue {
    Held* first = nullptr;
    Held* last = nullptr;
  };
  // The queues of every 64th stripe.
  struct Shard {
    Queue& queue_of(uint32_t stripe) PARTITA_REQUIRES(mutex) { return queues[stripe / kShards]; }
    Mutex mutex;
    std::array<Queue, kStripes / kShards> queues PARTITA_GUARDED_BY(mutex){};
  };

  bool try_lock(uint32_t stripe);
  // Takes the stripe, or puts `held` into its queue: then it may go on, and be gone, at any moment.
  bool lock_or_queue(Held& held, uint32_t stripe);
  bool advance(Held& held);
  void unlock(uint32_t stripe);
  // To the first who waits. Precondition: there is one.
  Held& hand_over(uint32_t stripe);

  std::array<std::atomic<uint32_t>, kStripes> words_{};  // 0 free, 1 held, 2 held and waited for
  std::array<Shard, kShards> shards_;
};

}  // namespace partita::rocks
