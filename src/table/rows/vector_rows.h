// The rows of vector indexes: like those of any index, with the vector as one binary of 4 bytes per dimension
// (docs/formats/keys.md), the size that DynamoDB charges. The item keeps its numbers as written; the index has 32-bit
// floats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/rows/schema.h"

namespace partita::table {

// The feature of tables with vector indexes, see TableInfo::features.
inline constexpr std::string_view kVectorFeature = "vectors";
// Adds the feature to a table with a vector index, or removes it.
void note_vectors(TableInfo& table);
bool has_vectors(const TableInfo& table);

// Checks the attributes of an item that the index reads, if they exist and differ from `before` (null: always). Faults:
// kVectorSize, kVectorType, kVectorElementType, kVectorElementRange, kSearchValueType, kIndexKeyEmpty,
// kSearchHashTooLong, kSearchFilterTooLong.
Result<void> check_vector_values(const IndexInfo& index, const model::Item& item, const model::Item* before);

// Whether the item has all attributes that the index needs, with valid values.
bool is_in_vector_index(const IndexInfo& index, const model::Item& item);

// The part of an item that the index stores. Precondition: is_in_vector_index().
model::Item vector_view(const TableInfo& table, const IndexInfo& index, const model::Item& item);

// Whether a search may return the vector.
bool projects_vector(const IndexInfo& index);

// The size that a read or a write of the item is charged for: an indexed vector counts its name and 4 bytes per
// dimension. `bytes`: model::item_size() of the item.
size_t charged_bytes(const TableInfo& table, const model::Item& item, size_t bytes);
// The same for an encoded item. Errors: kCorrupt.
Result<size_t> charged_bytes(const TableInfo& table, std::string_view stored, size_t bytes);

// The bytes charged for a write to a vector index or a search: `bytes`, or the minimum.
int64_t vector_request_bytes(size_t bytes);

// The number as the nearest 32-bit float; nothing if it is out of range.
std::optional<float> float_of(const model::AttributeValue& value);
// Floats as in rows, and back. Precondition of unpacked(): whole floats.
std::string packed(std::span<const float> floats);
std::vector<float> unpacked(std::string_view bytes);
// The float as DynamoDB writes it: the shortest exact decimal, with a point and without exponent.
std::string float_text(float value);

// The packed vector in an index's row, of `dimensions` floats. Error: kCorrupt.
Result<std::string_view> vector_in(const IndexInfo& index, std::string_view row);

// The topic of the log of changed rows of a vector index (vectors/vector_log.h).
std::string vector_topic(uint32_t table_id, uint16_t index_id);

}  // namespace partita::table
