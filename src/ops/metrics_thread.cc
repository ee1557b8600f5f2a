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

Task<Result<void>> erase_old_rows(storage::Engine& engine, Random& random, int64_t now_ms) {
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
  PARTITA_TRY_VOID(self.thread_.start("metric-history", kTick, [&self] { self.tick(); }));
  return metrics;
}

void MetricsThread::tick() {
  if (!service_.with_database([this](table::Database& database) { end_minute(database); })) return;
  if (!service_.with_database([this](table::Database& database) { follow_policies(database); })) return;
  if (waited_ && ++*waited_ >= kTicksOfOthers) {
    waited_.reset();
    evaluated_.emplace();
  }
  if (!evaluated_) return;
  while (evaluated_) {
    // The next tick goes on.
    if (!service_.with_database([this](table::Database& database) { evaluate_page(database); })) return;
  }
  service_.with_database([this](table::Database& database) { sweep(database); });
}

void MetricsThread::end_minute(table::Database& database) {
  const int64_t minute = database.clock().now_ms() / metrics::kMsPerMinute;
  service_.follow_insights();
  if (minute_ == kNever) minute_ = minute;
  const int64_t rolled_back = service_.iterators_from_ms();
  if (rolled_back_.value_or(rolled_back) != rolled_back) recorder_.write_again();
  rolled_back_ = rolled_back;
  if (minute == minute_) return;
  // A clock that was moved far ahead leaves a gap, and one that was set back adds to a minute; what was counted is of
  // the last one.
  record(database, minute - 1);
  minute_ = minute;
  waited_ = 0;
  evaluated_.reset();
}

void MetricsThread::record(table::Database& database, int64_t minute) {
  storage::Engine& engine = database.engine();
  auto recorded = wait_for(recorder_.record(engine, service_.counts(), minute));
  auto insights = wait_for(insights_.record(engine, service_.take_insights(), minute));
  if (recorded.ok()) recorded = std::move(insights);
  if (recorded.ok()) return;
  log_failure("The metrics of a minute could not be stored, and are tried again with the next one. ", recorded.error());
}

void MetricsThread::follow_policies(table::Database& database) {
  const auto followed = wait_for(scaling_alarms_.follow(database, random_));
  if (!followed.ok()) log_failure("The alarms of auto scaling could not all be stored. ", followed.error());
}

void MetricsThread::evaluate_page(table::Database& database) {
  auto evaluated = wait_for(metrics::evaluate_alarms(database.engine(), random_, *evaluated_, minute_,
                                                     database.clock().now_ms(), service_.alarm_actions()));
  evaluated_ = evaluated.ok() ? std::move(evaluated->last) : std::nullopt;
  const Result<void> outcome = evaluated.ok() ? std::move(evaluated->outcome) : Result<void>(evaluated.error());
  if (!outcome.ok()) log_failure("Not all alarms could be evaluated. ", outcome.error());
}

void MetricsThread::sweep(table::Database& database) {
  const int64_t hour = minute_ / metrics::kMinutesPerHour;
  if (std::exchange(swept_hour_, hour) == hour) return;
  const auto swept = wait_for(erase_old_rows(database.engine(), random_, database.clock().now_ms()));
  if (!swept.ok()) log_failure("Old metrics could not be erased. ", swept.error());
}

}  // namespace partita::ops
