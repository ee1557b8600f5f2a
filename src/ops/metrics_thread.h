// Records a service's metrics once a minute, and evaluates alarms, on a thread of its own. Nothing is written while
// requests are answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/periodic_thread.h"
#include "base/random.h"
#include "base/result.h"
#include "metrics/insights.h"
#include "metrics/recorder.h"
#include "metrics/scaling_alarms.h"
#include "ops/service.h"

namespace partita::ops {

// For the default database of a server.
class MetricsThread {
 public:
  // Both outlive it. Error: kUnavailable if the system provides no thread.
  static Result<std::unique_ptr<MetricsThread>> start(Service& service, Random& random);
  // Without a thread, for tests, which call tick().
  MetricsThread(Service& service, Random& random)
      : service_(service), random_(random), recorder_(random.next()), insights_(random.next()) {}

  // What the thread does every second. It holds the drain lock for one step at a time, so that a rollback need not wait
  // for all alarms; while the database is changed it does nothing.
  void tick();

 private:
  static constexpr int64_t kNever = INT64_MIN;

  void end_minute(table::Database& database);
  void record(table::Database& database, int64_t minute);
  void follow_policies(table::Database& database);
  void evaluate_page(table::Database& database);
  void sweep(table::Database& database);

  Service& service_;
  Random& random_;
  metrics::Recorder recorder_;
  metrics::ScalingAlarms scaling_alarms_;
  metrics::InsightRecorder insights_;
  int64_t minute_ = kNever;  // whose counts are not recorded yet, since 1970
  int64_t swept_hour_ = kNever;
  std::optional<int64_t> rolled_back_;    // Service::iterators_from_ms() at the last tick
  std::optional<int64_t> waited_;         // ticks since the last minute was recorded; nullopt: alarms are evaluated
  std::optional<std::string> evaluated_;  // the alarm that evaluation has come to; nullopt: the last one
  PeriodicThread thread_;
};

}  // namespace partita::ops
