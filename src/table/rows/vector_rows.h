// The rows of vector indexes: like those of any index, with the vector as one binary of 4 bytes per dimension
// (docs/formats/keys.md), so that its size is what DynamoDB charges for.
//
// The item keeps its numbers as they were written; the index holds them as 32-bit floats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/rows/schema.h"

namespace partita::table {

// The feature of tables with vector indexes, see TableInfo::features: a server that does not know it would not write
// their rows.
inline constexpr std::string_view kVectorFeature = "vectors";
// Has the table name that feature while it has such an index.
void note_vectors(TableInfo& table);
bool has_vectors(const TableInfo& table);

// The attributes of an item that the index reads: absent or right. What is as it was `before`, unless that is null, is
// not looked at. Faults: kVectorSize, kVectorType, kVectorElementType, kVectorElementRange, kSearchValueType,
// kIndexKeyEmpty, kSearchHashTooLong, kSearchFilterTooLong.
Result<void> check_vector_values(const IndexInfo& index, const model::Item& item, const model::Item* before);

// Whether the item has what the index needs, and all of it right.
bool is_in_vector_index(const IndexInfo& index, const model::Item& item);

// What the index stores of it. Precondition: is_in_vector_index().
model::Item vector_view(const TableInfo& table, const IndexInfo& index, const model::Item& item);

// Whether a search may answer with the vector itself.
bool projects_vector(const IndexInfo& index);

// What a read or a write of the item is charged for: a vector that an index reads counts its name and 4 bytes a
// dimension, whatever its numbers weigh. `bytes` is model::item_size() of it.
size_t charged_bytes(const TableInfo& table, const model::Item& item, size_t bytes);
// The same of an item as it is stored. Errors: kCorrupt.
Result<size_t> charged_bytes(const TableInfo& table, std::string_view stored, size_t bytes);

// At least so much is charged of a write to a vector index, and of a search.
int64_t vector_request_bytes(size_t bytes);

// The number as the nearest 32-bit float; nothing when it is out of their range.
std::optional<float> float_of(const model::AttributeValue& value);
// Floats as rows hold them, and back. Precondition of the latter: whole floats.
std::string packed(std::span<const float> floats);
std::vector<float> unpacked(std::string_view bytes);
// The float as DynamoDB writes those of an index: the shortest decimal that is it, with a point and no exponent.
std::string float_text(float value);

// The packed vector in an index's row, of `dimensions` floats. Error: kCorrupt.
Result<std::string_view> vector_in(const IndexInfo& index, std::string_view row);

// The topic of the log in which writes name the rows of a vector index that they change (vectors/vector_log.h).
std::string vector_topic(uint32_t table_id, uint16_t index_id);

}  // namespace partita::table
