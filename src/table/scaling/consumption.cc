#include "table/scaling/consumption.h"

#include <algorithm>
#include <utility>

#include "storage/range_cursor.h"

namespace partita::table {

namespace {

// What this server has counted. Tables and indexes that do not exist are absent.
MinuteUnits counters_of(TableContext& context, const std::vector<ScalableTarget>& targets) {
  MinuteUnits totals;
  for (const ScalableTarget& target : targets) {
    const auto named = scaled_resource(target.units.resource);
    const Table table = named ? context.catalog().find(named->table) : nullptr;
    if (table == nullptr) continue;
    api::Capacity consumed = table->units->consumed();
    if (!named->index.empty()) {
      const IndexInfo* const index = table->find_index(named->index);
      if (index == nullptr) continue;
      consumed = {index->costs->read.sum(), index->costs->write.sum()};
    }
    totals[target.units] = target.units.write ? consumed.write : consumed.read;
  }
  return totals;
}

}  // namespace

// A recreated table counts from zero.
MinuteUnits CountedConsumption::consumed_since(const MinuteUnits& totals) const {
  MinuteUnits consumed;
  for (const auto& [units, total] : totals) {
    const auto before = before_.find(units);
    const model::HalfUnits since = before == before_.end() ? total : before->second;
    const model::HalfUnits half_units = total >= since ? total - since : total;
    if (half_units != 0) consumed[units] = half_units;
  }
  return consumed;
}

Task<Result<void>> CountedConsumption::record(TableContext& context, const std::vector<ScalableTarget>& targets) {
  const int64_t minute = context.clock().now_ms() / kMsOfMinute;
  const MinuteUnits totals = counters_of(context, targets);
  if (minute_ == kNever || minute < minute_) {
    minute_ = minute;
    before_ = totals;
    stored_.reset();
  }
  for (const auto& [units, total] : totals) before_.try_emplace(units, total);
  if (minute != minute_) {
    PARTITA_CO_TRY_VOID(co_await end_minute(context, minute, consumed_since(totals)));
    minute_ = minute;
    before_ = totals;
    stored_.reset();
  }
  const MinuteUnits consumed = consumed_since(totals);
  if (stored_ != consumed) {
    PARTITA_CO_TRY_VOID(co_await store_minute(context, consumed));
    stored_ = consumed;
  }
  if (const int64_t hour = minute / 60; hour != swept_hour_) {
    const storage::Range old = minutes_between(0, minute - 2 * kKeptMinutes);
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(context.engine(), old));
    // Of a clock that was set back.
    const storage::Range ahead = minutes_between(minute + 2 * kKeptMinutes, INT64_MAX - 1);
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(context.engine(), ahead));
    swept_hour_ = hour;
  }
  co_return Result<void>();
}

Task<Result<void>> CountedConsumption::end_minute(TableContext& context, int64_t next,
                                                  const MinuteUnits& consumed) const {
  const storage::Decide decide = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    if (stored_ != consumed) changes.put(minute_key(minute_, server_), minute_row(consumed));
    for (int64_t idle = std::max(minute_ + 1, next - kKeptMinutes); idle < next; ++idle) {
      changes.put(minute_key(idle, server_), minute_row({}));
    }
    for (int64_t old = minute_ - kKeptMinutes; old < std::min(minute_, next - kKeptMinutes); ++old) {
      changes.erase(minute_key(old, server_));
    }
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> nothing;
  const auto stored = co_await context.engine().transact(std::move(none), std::move(nothing), decide);
  if (!stored.ok()) co_return stored.error();
  co_return Result<void>();
}

Task<Result<void>> CountedConsumption::store_minute(TableContext& context, const MinuteUnits& consumed) const {
  const storage::Decide decide = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(minute_key(minute_, server_), minute_row(consumed));
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> nothing;
  const auto stored = co_await context.engine().transact(std::move(none), std::move(nothing), decide);
  if (!stored.ok()) co_return stored.error();
  co_return Result<void>();
}

Task<Result<std::vector<std::optional<MinuteUnits>>>> CountedConsumption::read(TableContext& context, int64_t first,
                                                                               size_t count) {
  std::vector<std::optional<MinuteUnits>> minutes(count);
  const int64_t last = first + static_cast<int64_t>(count) - 1;
  storage::RangeCursor cursor(context.engine(), minutes_between(first, last));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    const auto minute = minute_of(cursor.row().key);
    if (!minute || *minute < first || *minute > last) continue;
    PARTITA_CO_TRY(const MinuteUnits seen, minute_from(cursor.row().value));
    auto& all = minutes[static_cast<size_t>(*minute - first)];
    if (!all) all.emplace();
    for (const auto& [units, half_units] : seen) (*all)[units] += half_units;
  }
  co_return minutes;
}

}  // namespace partita::table
