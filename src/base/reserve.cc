#include "base/reserve.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/log.h"
#include "base/mutex.h"

namespace partita {

namespace {

// More than what every thread together allocates until it comes to its next request.
constexpr size_t kReserveBytes = size_t{32} << 20;

std::atomic<bool> wanted{false};
std::atomic<void*> reserve{nullptr};

// What `operator new` calls before it fails; it tries again when this returns. Of threads that fail at once all try
// again after the reserve was given up.
void give_up_reserve() {
  static Mutex mutex;
  static uint64_t times = 0;
  thread_local uint64_t seen = 0;
  const MutexLock lock(mutex);
  if (void* const held = reserve.exchange(nullptr)) {
    munmap(held, kReserveBytes);
    ++times;
  }
  if (seen == times) std::set_new_handler(nullptr);  // so this time `operator new` fails
  seen = times;
}

bool take_reserve() {
  void* const taken = mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (taken == MAP_FAILED) return false;
  if (void* const other = reserve.exchange(taken)) munmap(other, kReserveBytes);  // two threads at once
  std::set_new_handler(give_up_reserve);
  return true;
}

}  // namespace

void hold_memory_reserve() {
  wanted = true;
  take_reserve();
}

bool memory_reserve_held() {
  if (reserve.load(std::memory_order_relaxed) != nullptr || !wanted.load(std::memory_order_relaxed)) return true;
  if (take_reserve()) return true;
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) log(LogLevel::kError, "There is no memory left for requests.");
  return false;
}

}  // namespace partita
