// Where items and index entries live in the key space, and what one item's change does to them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"
#include "table/rows/capacity.h"
#include "table/rows/row_maker.h"
#include "table/rows/schema.h"

namespace partita::table {

// A key as a request names it: exactly the table's key attributes, rightly typed, not empty, not too long.
// Faults: kKeySchemaMismatch, kKeyEmpty, kPartitionKeyTooLong, kSortKeyTooLong.
Result<void> check_key(const TableInfo& table, const model::Item& key);
// The same of the key attributes of a whole item.
Result<void> check_key_within(const TableInfo& table, const model::Item& item);

// The key attributes of a whole item: present and right. Faults: kMissingKey, kKeyTypeMismatch, kKeyEmpty, ...
Result<void> check_item_key(const TableInfo& table, const model::Item& item);

// The item in a row of the table; nothing when the row is damaged, which whoever reads it is told.
std::optional<model::Item> item_in(const TableInfo& table, std::string_view row);

// Only that the key attributes that are there are not empty, which a transaction checks before the rest.
// Fault: kKeyEmpty.
Result<void> check_key_values(const TableInfo& table, const model::Item& item);

// The attributes of an item that are keys of indexes: absent or right. Of what a vector index reads only what is not as
// it was `before`, unless that is null: an item may be older than the index.
// Faults: kIndexKeyTypeMismatch, kIndexKeyEmpty, kIndexKeyTooLong, those of check_vector_values().
Result<void> check_index_keys(const TableInfo& table, const model::Item& item, const model::Item* before = nullptr);

// No path may look inside of a key attribute of the table or of an index. `nested` is nested_attributes() of a
// condition, a projection or an update. Faults: kKeyNotScalar, kIndexKeyNotScalar.
Result<void> check_scalar_keys(const TableInfo& table, const std::vector<std::string>& nested);

// Precondition of both: the item's key attributes were checked.
storage::Key item_key(const TableInfo& table, const model::Item& item);
// Nothing when the item lacks one of the index's key attributes: then it is not in the index.
std::optional<storage::Key> index_key(const TableInfo& table, const IndexInfo& index, const model::Item& item);

// At least the needed_attributes() of an encoded item. Errors: kCorrupt.
Result<model::Item> needed_of(const TableInfo& table, std::string_view stored);

// Only the table's key attributes of an item.
model::Item key_of(const TableInfo& table, const model::Item& item);
// Only the key attributes of the table and, unless null, of the index: what LastEvaluatedKey holds.
model::Item position_of(const TableInfo& table, const IndexInfo* index, const model::Item& item);

// What the index stores of an item. Precondition: index_key() is something.
model::Item index_view(const TableInfo& table, const IndexInfo& index, const model::Item& item);

// By how much a change moves what an index holds.
struct CountChange {
  uint16_t index;
  Count by;
};

// What changing one item from `before` to `after` (null: absent) does.
struct ItemChange {
  ConsumedCapacity consumed;  // by the larger of the two, for the table and each index whose stored entry changes
  Count count;                // of the table itself
  std::vector<CountChange> index_counts;
};

// Adds to `changes` the writes of the item's row, of its index rows, and of the table's row makers. A deletion of an
// item that does not exist writes nothing and is charged the minimum. Preconditions: the keys were checked; the
// description is from the catalogue.
ItemChange change_item(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                       const Origin& origin, storage::Changes& changes);

}  // namespace partita::table
