#include "base/notifier.h"

#include <cerrno>
#include <chrono>
#include <ctime>

#include "base/check.h"
#include "base/clock.h"

namespace partita {

#if defined(__linux__)

namespace {

constexpr int64_t kMsPerS = 1'000;
constexpr int64_t kNsPerS = kMsPerS * kNsPerMs;

}  // namespace

Notifier::Notifier() { PARTITA_CHECK(sem_init(&notifications_, 0, 0) == 0); }
Notifier::~Notifier() { sem_destroy(&notifications_); }

void Notifier::notify() { PARTITA_CHECK(sem_post(&notifications_) == 0); }

void Notifier::wait() {
  while (sem_wait(&notifications_) != 0) PARTITA_CHECK(errno == EINTR);
}

bool Notifier::wait_for(int64_t ms) {
  timespec due{};
  PARTITA_CHECK(clock_gettime(CLOCK_MONOTONIC, &due) == 0);
  const int64_t ns = due.tv_nsec + ms % kMsPerS * kNsPerMs;
  due.tv_sec += static_cast<time_t>(ms / kMsPerS + ns / kNsPerS);
  due.tv_nsec = static_cast<long>(ns % kNsPerS);
  while (sem_clockwait(&notifications_, CLOCK_MONOTONIC, &due) != 0) {
    if (errno == ETIMEDOUT) return false;
    PARTITA_CHECK(errno == EINTR);
  }
  return true;
}

#else

Notifier::Notifier() = default;
Notifier::~Notifier() = default;

void Notifier::notify() { notifications_.release(); }
void Notifier::wait() { notifications_.acquire(); }
bool Notifier::wait_for(int64_t ms) { return notifications_.try_acquire_for(std::chrono::milliseconds(ms)); }

#endif

}  // namespace partita
