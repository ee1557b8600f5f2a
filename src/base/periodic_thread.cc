#include "base/periodic_thread.h"

#include <algorithm>
#include <stop_token>
#include <utility>

namespace partita {

Result<void> PeriodicThread::start(std::string_view name, std::chrono::milliseconds interval,
                                   std::function<void()> tick) {
  PARTITA_TRY(thread_, Thread::start(name, [this, interval, tick = std::move(tick)](const std::stop_token& stop) {
                run(stop, interval, tick);
              }));
  return {};
}

void PeriodicThread::run(const std::stop_token& stop, std::chrono::milliseconds interval,
                         const std::function<void()>& tick) {
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    wake_.notify_all();
  });
  auto next = std::chrono::steady_clock::now();
  while (true) {
    tick();
    next = std::max(next + interval, std::chrono::steady_clock::now());
    const MutexLock lock(mutex_);
    if (wake_.wait_until(mutex_, next, [&] { return stop.stop_requested(); })) return;
  }
}

}  // namespace partita
