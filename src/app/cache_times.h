// The times to live of DAX's caches, as the parameter group of the stored cluster has them (src/clusters). A thread
// reads them once a second, so that also those count that another server of the store has changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "api/cache_times.h"
#include "base/periodic_thread.h"
#include "base/result.h"
#include "ops/service.h"

namespace partita::app {

class CacheTimesThread {
 public:
  // The service outlives it. Error: kUnavailable if the system provides no thread.
  static Result<std::unique_ptr<CacheTimesThread>> start(ops::Service& service);
  // Without a thread, for tests, which call tick().
  explicit CacheTimesThread(ops::Service& service) : service_(service) {}

  // What was read last; DAX's defaults at first. Callable from any thread.
  api::CacheTimes times() const {
    return {.item_ttl_ms = item_ttl_ms_.load(std::memory_order_relaxed),
            .query_ttl_ms = query_ttl_ms_.load(std::memory_order_relaxed)};
  }
  // What the thread does every second. While the database is changed it does nothing.
  void tick();

 private:
  void read(table::Database& database);

  ops::Service& service_;
  std::atomic<int64_t> item_ttl_ms_{api::CacheTimes().item_ttl_ms};
  std::atomic<int64_t> query_ttl_ms_{api::CacheTimes().query_ttl_ms};
  PeriodicThread thread_;
};

}  // namespace partita::app
