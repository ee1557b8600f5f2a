#include "app/cache_times.h"

#include <chrono>

#include "base/log.h"
#include "clusters/settings.h"
#include "table/open/database.h"

namespace partita::app {

Result<std::unique_ptr<CacheTimesThread>> CacheTimesThread::start(ops::Service& service) {
  auto times = std::make_unique<CacheTimesThread>(service);
  CacheTimesThread& self = *times;
  PARTITA_TRY(self.thread_, Thread::start("dax-cache-times", [&self](const std::stop_token& stop) { self.run(stop); }));
  return times;
}

void CacheTimesThread::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    wake_.notify_all();
  });
  while (true) {
    tick();
    const MutexLock lock(mutex_);
    const auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    if (wake_.wait_until(mutex_, next, [&] { return stop.stop_requested(); })) return;
  }
}

void CacheTimesThread::tick() {
  DrainLock::SharedGuard guard(service_.drain_lock());
  if (!guard.try_enter() || service_.database() == nullptr) return;
  const auto times = wait_for(clusters::cache_times(*service_.database()));
  if (!times.ok()) {
    static LogThrottle throttle;
    uint64_t unsaid = 0;
    if (throttle.pass(unsaid)) {
      log(LogLevel::kWarn, {"The times to live of DAX's caches could not be read. ", times.error().sentence()});
    }
    return;
  }
  item_ttl_ms_.store(times->item_ttl_ms, std::memory_order_relaxed);
  query_ttl_ms_.store(times->query_ttl_ms, std::memory_order_relaxed);
}

}  // namespace partita::app
