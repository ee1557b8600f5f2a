// Time to live: items that are deleted once the moment in one of their attributes has passed.
//
// A table with TTL has an expiry row for each item that has such a moment, in the order of these moments, so that what
// is due stands at the beginning and is never searched for. A row is written by the transaction that writes its item;
// those of items that were there before are filled in by a job. Rows belong to a run: each switching on begins another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/open/database.h"
#include "table/rows/schema.h"

namespace partita::table {

// The feature of tables with TTL, see TableInfo::features: who does not know it would write items without their rows.
inline constexpr const char* kTtlFeature = "ttl";

// How long TTL stays as it is after a change: between the last refusal and the first success that were measured, 1,812
// and 1,872 seconds.
inline constexpr int64_t kTtlPauseMs = 31 * 60 * 1'000LL;
// An item that expired longer ago stays: "Using time to live (TTL) in DynamoDB" in its developer guide.
inline constexpr int64_t kOldestExpirySeconds = 5 * 365 * 24 * 60 * 60LL;

// When the item expires, in seconds since 1970: nothing when the attribute is no Number, negative, or beyond all time.
std::optional<int64_t> expiry_of(const TimeToLive& ttl, const model::Item& item);

// What an item's change does to its expiry row; null: no item. Precondition: the table has TTL.
void change_expiry(const TableInfo& table, const storage::Key& item, const model::Item* before,
                   const model::Item* after, storage::Changes& changes);

struct ExpiryRow {
  storage::Key key;   // its own
  storage::Key item;  // of the item
  int64_t at_s = 0;
};
void put_expiry_row(const TableInfo& table, const storage::Key& item, int64_t at_s, storage::Changes& changes);
// Errors: kCorrupt.
Result<ExpiryRow> expiry_row_from(std::string_view key, std::string_view value);

// The rows of items that expired before `now_ms`, but no more than `oldest_s` before. Precondition: the table has TTL.
storage::Range due_rows(const TableInfo& table, int64_t now_ms, int64_t oldest_s = kOldestExpirySeconds);
// All rows of the table, and those of runs up to that one.
storage::Range expiry_rows(uint32_t table_id);
storage::Range expiry_rows_upto(uint32_t table_id, uint64_t run);

// An UpdateTimeToLive.
struct TtlRequest {
  std::string name;
  bool enable = false;
  std::string attribute;
};
// Faults: kTableNotFound, kTtlOnAlready, kTtlOffAlready, kTtlOfAnotherAttribute, kTtlChangedJustNow.
Task<Result<void>> update_ttl(Database& database, const TtlRequest& request);

}  // namespace partita::table
