// Keys: what identifies an item in a table or a row in an index, and the encoding of keys as ordered bytes.
//
// Bytes of a stored row (docs/formats/keys.md):
//   table id (4) | index id (2) | hash64 of the encoded partition values (8) | partition values | sort values
// An index row is followed by the base table's key values. Each value is order-preserving and self-delimiting,
// so byte order within a partition is DynamoDB's sort-key order, and no key is a prefix of another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/value.h"

namespace partita::model {

struct KeyElement {
  std::string name;
  Type type = Type::kS;  // kS, kN or kB
  bool operator==(const KeyElement&) const = default;
};

// One partition attribute and at most one sort attribute; a global index may have up to four of each.
struct KeySchema {
  std::vector<KeyElement> partition;
  std::vector<KeyElement> sort;
  bool operator==(const KeySchema&) const = default;
  bool names(std::string_view attribute) const;  // true if the attribute is part of this schema
};

inline constexpr uint16_t kBaseIndex = 0;  // the table itself; its indexes count from 1

// Appends one key value in its order-preserving, self-delimiting form. Precondition: S, N or B.
void append_key_value(const AttributeValue& value, std::string& out);
// As above without the end mark, for S and B: every key whose value begins with `value` starts with these bytes.
void append_key_prefix(const AttributeValue& value, std::string& out);
// Takes one value of that type from the front of `in`; nullopt, and `in` unchanged, if the bytes are not one.
// Precondition: S, N or B.
std::optional<AttributeValue> take_key_value(Type type, std::string_view& in);

// The prefix of an item collection: everything up to and including the partition values. Rows that share it stay
// together and are ordered by their sort values.
std::string collection_prefix(uint32_t table_id, uint16_t index_id, std::span<const AttributeValue* const> partition);

// The first 6 bytes of every row of that index, and the first 14 of every row with that hash.
std::string index_prefix(uint32_t table_id, uint16_t index_id);
std::string hash_prefix(uint32_t table_id, uint16_t index_id, uint64_t hash);

// The common start of every row, decoded.
inline constexpr size_t kRowPlaceBytes = 14;
inline constexpr size_t kRowIdBytes = 6;  // of these: the ids of table and index
struct RowPlace {
  uint32_t table_id = 0;
  uint16_t index_id = 0;
  uint64_t hash = 0;
  bool operator==(const RowPlace&) const = default;
};
// Takes it from the front of `in`; nullopt, and `in` unchanged, if `in` is too short.
std::optional<RowPlace> take_row_place(std::string_view& in);
// Takes one value for each element, in order; nullopt, and `in` unchanged, if the bytes are not those values.
std::optional<std::vector<AttributeValue>> take_key_values(const std::vector<KeyElement>& elements,
                                                           std::string_view& in);

}  // namespace partita::model
