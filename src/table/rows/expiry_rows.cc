#include "table/rows/expiry_rows.h"

#include <algorithm>

#include "base/bytes.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

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

std::string at_moment(std::string prefix, int64_t at_s) {
  append_u64(prefix, static_cast<uint64_t>(std::max<int64_t>(at_s, 0)));
  return prefix;
}

}  // namespace

Key expiry_key(const TableInfo& table, const Key& item, int64_t at_s) {
  Key key = key_of_run(table.id, table.ttl->run);
  append_u64(key.bytes, static_cast<uint64_t>(at_s));
  key.bytes += item.bytes;
  return key;
}

void put_expiry_row(const TableInfo& table, const Key& item, int64_t at_s, storage::Changes& changes) {
  std::string value;
  append_u32(value, item.place);
  changes.put(expiry_key(table, item, at_s), std::move(value));
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

}  // namespace partita::table
