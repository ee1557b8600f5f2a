#include "app/cache_times.h"

#include <chrono>

#include "base/log.h"
#include "clusters/settings.h"
#include "table/open/database.h"

namespace partita::app {

Result<std::unique_ptr<CacheTimesThread>> CacheTimesThread::start(ops::Service& service) {
  auto times = std::make_unique<CacheTimesThread>(service);
  CacheTimesThread& self = *times;
  PARTITA_TRY_VOID(self.thread_.start("dax-cache-times", std::chrono::seconds(1), [&self] { self.tick(); }));
  return times;
}

void CacheTimesThread::tick() {
  service_.with_database([this](table::Database& database) { read(database); });
}

void CacheTimesThread::read(table::Database& database) {
  const auto times = wait_for(clusters::cache_times(database));
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
