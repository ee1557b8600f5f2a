// The rows of items and indexes: their keys, and the effect of an item's change on them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/rows/row_maker.h"
#include "table/rows/schema.h"

namespace partita::table {

// Checks a key in a request: exactly the table's key attributes, of the right types, not empty, not too long.
// Faults: kKeySchemaMismatch, kKeyEmpty, kPartitionKeyTooLong, kSortKeyTooLong.
Result<void> check_key(const TableInfo& table, const model::Item& key);
// The same for the key attributes in a whole item.
Result<void> check_key_within(const TableInfo& table, const model::Item& item);

// Checks that a whole item has its key attributes and that they are valid. Faults: kMissingKey, kKeyTypeMismatch,
// kKeyEmpty, ...
Result<void> check_item_key(const TableInfo& table, const model::Item& item);

// The item in a row of the table; nothing if the row is damaged.
std::optional<model::Item> item_in(const TableInfo& table, std::string_view row);

// Checks only that existing key attributes are not empty, which a transaction does first. Fault: kKeyEmpty.
Result<void> check_key_values(const TableInfo& table, const model::Item& item);

// Checks the attributes of an item that are keys of indexes, if they exist. Attributes of a vector index are checked
// only if they differ from `before` (null: always), since an item may be older than the index.
// Faults: kIndexKeyTypeMismatch, kIndexKeyEmpty, kIndexKeyTooLong, those of check_vector_values().
Result<void> check_index_keys(const TableInfo& table, const model::Item& item, const model::Item* before = nullptr);

// No path may lead into a key attribute of the table or an index. `nested`: nested_attributes() of a condition, a
// projection or an update. Faults: kKeyNotScalar, kIndexKeyNotScalar.
Result<void> check_scalar_keys(const TableInfo& table, const std::vector<std::string>& nested);

// Precondition of both: the item's key attributes were checked.
storage::Key item_key(const TableInfo& table, const model::Item& item);
// Nothing if the item lacks a key attribute of the index, and so is not in it.
std::optional<storage::Key> index_key(const TableInfo& table, const IndexInfo& index, const model::Item& item);

// The needed_attributes() of an encoded item, perhaps more. Errors: kCorrupt.
Result<model::Item> needed_of(const TableInfo& table, std::string_view stored);

// An item's key attributes of the table.
model::Item key_of(const TableInfo& table, const model::Item& item);
// An item's key attributes of the table and, unless null, the index, as in LastEvaluatedKey.
model::Item position_of(const TableInfo& table, const IndexInfo* index, const model::Item& item);

// The part of an item that the index stores. Precondition: index_key() is something.
model::Item index_view(const TableInfo& table, const IndexInfo& index, const model::Item& item);

// The change of an index's count.
struct CountChange {
  uint16_t index;
  Count by;
};

// The effect of changing one item from `before` to `after` (null: absent).
struct ItemChange {
  api::ConsumedCapacity consumed;  // by the larger of the two, for the table and each index whose stored entry changes
  Count count;                     // of the table itself
  std::vector<CountChange> index_counts;
};

// Adds to `changes` the writes of the item's row, of its index rows, and of the table's row makers. A deletion of an
// item that does not exist writes nothing and is charged the minimum. Preconditions: the keys were checked; the
// description is from the catalogue.
ItemChange change_item(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                       const Origin& origin, storage::Changes& changes);

}  // namespace partita::table
