// Reading items by their keys: GetItem, BatchGetItem and the reads of a transaction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "expr/projection.h"
#include "table/database.h"
#include "table/rows.h"

namespace partita::table {

// An item as it is stored (see model/item_codec.h), or what a projection left of it.
using FoundItem = std::variant<std::string, model::Item>;

struct ReadKeys {
  Table table;
  std::vector<model::Item> keys;  // checked by check_key, distinct as stored keys or not
  std::optional<expr::Projection> projection;
  bool consistent = false;
};

struct ReadItem {
  std::optional<FoundItem> item;
  size_t bytes = 0;  // of the whole item, as charged; 0 when absent
};

// One element for each key, in order. Everything is from the moment of the read; consistent or not differs in its
// charge alone.
Task<Result<std::vector<ReadItem>>> read_items(Database& database, ReadKeys request);

// A stored item as the reader wants it. Errors: kCorrupt.
Result<ReadItem> found_item(std::string stored, const std::optional<expr::Projection>& projection);

// The charge of reading those items one by one.
ConsumedCapacity read_charge(const TableInfo& table, std::span<const ReadItem> items, bool consistent);

}  // namespace partita::table
