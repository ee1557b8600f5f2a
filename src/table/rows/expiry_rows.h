// The expiry rows of a table with TTL: one for each item that expires, ordered by the time, so that the items that are
// due are found at the beginning. A row is written in its item's transaction; a job adds the rows of items that were
// there before TTL was enabled. Rows belong to a run: enabling TTL begins a new one. docs/formats/catalogue.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "storage/engine.h"
#include "table/rows/schema.h"

namespace partita::table {

// The feature of tables with TTL, see TableInfo::features: a server that does not know it would write no expiry rows.
inline constexpr const char* kTtlFeature = "ttl";

// Items that expired longer ago are kept: "Using time to live (TTL) in DynamoDB", developer guide.
inline constexpr int64_t kOldestExpirySeconds = 5 * 365 * 24 * 60 * 60LL;

struct ExpiryRow {
  storage::Key key;   // its own
  storage::Key item;  // of the item
  int64_t at_s = 0;   // since 1970
};

// Precondition of all that take a table: it has TTL.
storage::Key expiry_key(const TableInfo& table, const storage::Key& item, int64_t at_s);
void put_expiry_row(const TableInfo& table, const storage::Key& item, int64_t at_s, storage::Changes& changes);
// Errors: kCorrupt.
Result<ExpiryRow> expiry_row_from(std::string_view key, std::string_view value);
// The rows of items that expired before `now_ms`, but at most `oldest_s` before.
storage::Range due_rows(const TableInfo& table, int64_t now_ms, int64_t oldest_s = kOldestExpirySeconds);

// All rows of the table, and those of runs up to that one.
storage::Range expiry_rows(uint32_t table_id);
storage::Range expiry_rows_upto(uint32_t table_id, uint64_t run);

}  // namespace partita::table
