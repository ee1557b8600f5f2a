// Striped latches that serialise transactions on the same keys. Coroutines wait for them; threads never do.
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

// A stripe is held by one transaction at a time, from reading its records to queueing its writes, and granted in the
// order of arrival. Deadlock is impossible: stripes are acquired in ascending order, additional stripes only if they
// are free, and no holder waits for room in the committer's queue. Callable from any thread. Precondition of the
// destructor: nothing is held.
class Latches {
 public:
  static constexpr uint32_t kStripes = 4096;
  // By the key's hash64().
  static uint32_t stripe_of(uint64_t hash) { return static_cast<uint32_t>(hash % kStripes); }

  // The latches of one transaction, released at the end. For one coroutine, on any thread.
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
    // `co_await held.lock(stripes, executor)` resumes when all are held: at once if they are free, otherwise through
    // `executor`. Preconditions: nothing is held; `stripes` is ascending and stays valid while they are held.
    Lock lock(std::span<const uint32_t> stripes, Executor& executor);
    // Takes those of `stripes` that this does not hold yet, if all of them are free. Only release() may follow.
    // Precondition: `stripes` are distinct.
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

  // By any transaction.
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
  // Takes the stripe, or queues `held`, which then may be granted, and be gone, at any moment.
  bool lock_or_queue(Held& held, uint32_t stripe);
  bool advance(Held& held);
  void unlock(uint32_t stripe);
  // Grants the stripe to the first that waits. Precondition: there is one.
  Held& hand_over(uint32_t stripe);

  std::array<std::atomic<uint32_t>, kStripes> words_{};  // 0 free, 1 held, 2 held and waited for
  std::array<Shard, kShards> shards_;
};

}  // namespace partita::rocks
