#include "ops/metrics_thread.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "metrics/alarm.h"
#include "metrics/watch.h"
#include "table/open/database.h"

namespace partita::ops {

namespace {

constexpr auto kTick = std::chrono::seconds(1);
// Other servers of the store have recorded their minute by then.
constexpr int64_t kTicksOfOthers = 3;
constexpr int64_t kMinutesOfAnHour = 60;

Task<Result<void>> sweep(storage::Engine& engine, Random& random, int64_t now_ms) {
  PARTITA_CO_TRY_VOID(co_await metrics::erase_old(engine, now_ms / metrics::kMsPerMinute));
  PARTITA_CO_TRY_VOID(co_await metrics::erase_old_insights(engine, now_ms / metrics::kMsPerMinute));
  const metrics::AlarmStore alarms(engine, random);
  co_return co_await alarms.erase_old(now_ms);
}

void log_failure(std::string_view what, const Error& error) {
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) log(LogLevel::kWarn, {what, error.sentence()});
}

}  // namespace

Result<std::unique_ptr<MetricsThread>> MetricsThread::start(Service& service, Random& random) {
  auto metrics = std::make_unique<MetricsThread>(service, random);
  MetricsThread& self = *metrics;
  PARTITA_TRY(self.thread_, Thread::start("metric-history", [&self](const std::stop_token& stop) { self.run(stop); }));
  return metrics;
}

void MetricsThread::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    wake_.notify_all();
  });
  auto next = std::chrono::steady_clock::now();
  while (true) {
    {
      // Nothing is recorded while the database is rolled back or its clock is moved.
      DrainLock::SharedGuard guard(service_.drain_lock());
      if (guard.try_enter() && service_.database() != nullptr) tick(service_.database()->clock().now_ms());
    }
    next = std::max(next + kTick, std::chrono::steady_clock::now());
    const MutexLock lock(mutex_);
    if (wake_.wait_until(mutex_, next, [&] { return stop.stop_requested(); })) return;
  }
}

void MetricsThread::tick(int64_t now_ms) {
  const int64_t minute = now_ms / metrics::kMsPerMinute;
  service_.follow_insights();
  if (minute_ == kNever) minute_ = minute;
  const int64_t rolled_back = service_.iterators_from_ms();
  if (rolled_back_.value_or(rolled_back) != rolled_back) recorder_.write_again();
  rolled_back_ = rolled_back;
  // A clock that was moved far ahead leaves a gap; what was counted is of the last minute.
  if (minute != minute_) {
    record(minute - 1);
    minute_ = minute;
    waited_ = 0;
  }
  follow_policies();
  if (waited_ && ++*waited_ >= kTicksOfOthers) evaluate(now_ms);
}

void MetricsThread::record(int64_t minute) {
  storage::Engine& engine = service_.database()->engine();
  auto recorded = wait_for(recorder_.record(engine, service_.counts(), minute));
  auto insights = wait_for(insights_.record(engine, service_.take_insights(), minute));
  if (recorded.ok()) recorded = std::move(insights);
  if (recorded.ok()) return;
  log_failure("The metrics of a minute could not be stored, and are tried again with the next one. ", recorded.error());
}

void MetricsThread::follow_policies() {
  const auto followed = wait_for(scaling_alarms_.follow(*service_.database(), random_));
  if (!followed.ok()) log_failure("The alarms of auto scaling could not all be stored. ", followed.error());
}

void MetricsThread::evaluate(int64_t now_ms) {
  waited_.reset();
  storage::Engine& engine = service_.database()->engine();
  const auto evaluated = wait_for(metrics::evaluate_alarms(engine, random_, minute_, now_ms, service_.alarm_actions()));
  if (!evaluated.ok()) log_failure("Not all alarms could be evaluated. ", evaluated.error());
  const int64_t hour = minute_ / kMinutesOfAnHour;
  if (std::exchange(swept_hour_, hour) == hour) return;
  const auto swept = wait_for(sweep(engine, random_, now_ms));
  if (!swept.ok()) log_failure("Old metrics could not be erased. ", swept.error());
}

}  // namespace partita::ops
