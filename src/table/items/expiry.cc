#include "table/items/expiry.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/number.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;
using storage::Key;

constexpr int64_t kMsPerSecond = 1'000;

// Table, run, moment, the item's key.
Key key_of_run(uint32_t table_id, uint64_t run) {
  std::string rest;
  append_u32(rest, table_id);
  append_u64(rest, run);
  Key key = system_key(SystemRow::kExpiry, rest);
  key.place = static_cast<uint32_t>(key.bytes.size());
  return key;
}

Key expiry_key(const TableInfo& table, const Key& item, int64_t at_s) {
  Key key = key_of_run(table.id, table.ttl->run);
  append_u64(key.bytes, static_cast<uint64_t>(at_s));
  key.bytes += item.bytes;
  return key;
}

std::string at_moment(std::string prefix, int64_t at_s) {
  append_u64(prefix, static_cast<uint64_t>(std::max<int64_t>(at_s, 0)));
  return prefix;
}

Result<void> change_ttl(TableInfo& table, const TtlRequest& request, int64_t now_ms) {
  if (request.enable && table.ttl && table.ttl->attribute == request.attribute) return refuse(Fault::kTtlOnAlready);
  if (!request.enable && !table.ttl) return refuse(Fault::kTtlOffAlready);
  if (table.ttl && table.ttl->attribute != request.attribute) {
    return refuse(Fault::kTtlOfAnotherAttribute, {table.ttl->attribute});
  }
  // A clock that was set back begins no pause.
  const int64_t since_ms = now_ms - table.ttl_changed_ms;
  if (table.ttl_changed_ms != 0 && since_ms >= 0 && since_ms < kTtlPauseMs) return refuse(Fault::kTtlChangedJustNow);
  table.ttl_changed_ms = now_ms;
  std::erase(table.features, kTtlFeature);
  table.ttl.reset();
  if (request.enable) {
    table.ttl = TimeToLive{request.attribute, table.revision + 1};
    table.features.emplace_back(kTtlFeature);
  }
  return {};
}

}  // namespace

std::optional<int64_t> expiry_of(const TimeToLive& ttl, const model::Item& item) {
  constexpr double kEndOfTime = 1e15;
  const model::AttributeValue* value = item.find(ttl.attribute);
  if (value == nullptr || !value->is(model::Type::kN)) return std::nullopt;
  const model::Number& number = value->as_number();
  if (number.is_negative() || number.to_double() > kEndOfTime) return std::nullopt;
  if (const auto whole = number.to_int64()) return whole;
  return static_cast<int64_t>(std::floor(number.to_double()));
}

void put_expiry_row(const TableInfo& table, const Key& item, int64_t at_s, storage::Changes& changes) {
  std::string value;
  append_u32(value, item.place);
  changes.put(expiry_key(table, item, at_s), std::move(value));
}

void change_expiry(const TableInfo& table, const Key& item, const model::Item* before, const model::Item* after,
                   storage::Changes& changes) {
  const auto moment = [&](const model::Item* one) {
    return one == nullptr ? std::nullopt : expiry_of(*table.ttl, *one);
  };
  const std::optional<int64_t> was = moment(before);
  const std::optional<int64_t> is = moment(after);
  if (was == is) return;
  if (was) changes.erase(expiry_key(table, item, *was));
  if (is) put_expiry_row(table, item, *is, changes);
}

Result<ExpiryRow> expiry_row_from(std::string_view key, std::string_view value) {
  ExpiryRow row;
  const size_t prefix = key_of_run(0, 0).bytes.size();
  row.key.bytes = key;
  row.key.place = static_cast<uint32_t>(prefix);
  key.remove_prefix(std::min(key.size(), prefix));
  const auto at_s = take_u64(key);
  const auto place = take_u32(value);
  if (!at_s || !place || *place > key.size()) return Error(ErrorKind::kCorrupt, "an expiry row is damaged");
  row.at_s = static_cast<int64_t>(*at_s);
  row.item.bytes = key;
  row.item.place = *place;
  return row;
}

storage::Range due_rows(const TableInfo& table, int64_t now_ms, int64_t oldest_s) {
  const std::string run = key_of_run(table.id, table.ttl->run).bytes;
  const int64_t end_s = (now_ms - 1) / kMsPerSecond + 1;
  storage::Range range = storage::range_of(run);
  range.begin = at_moment(run, now_ms / kMsPerSecond - oldest_s);
  range.end = at_moment(run, end_s);
  return range;
}

storage::Range expiry_rows(uint32_t table_id) {
  std::string rest;
  append_u32(rest, table_id);
  return storage::range_of(system_key(SystemRow::kExpiry, rest).bytes);
}

storage::Range expiry_rows_upto(uint32_t table_id, uint64_t run) {
  storage::Range range = expiry_rows(table_id);
  range.end = key_of_run(table_id, run + 1).bytes;
  return range;
}

Task<Result<void>> update_ttl(Database& database, const TtlRequest& request) {
  PARTITA_CO_TRY_VOID(co_await database.idle_table(request.name));
  const int64_t now_ms = database.clock().now_ms();
  const Catalog::Change change = [&](TableInfo& table) { return change_ttl(table, request, now_ms); };
  PARTITA_CO_TRY_VOID(co_await database.catalog().change(request.name, change));
  database.upkeep().poke();
  co_return Result<void>();
}

}  // namespace partita::table
