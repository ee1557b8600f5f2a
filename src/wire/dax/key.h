// Keys of items as DAX has them: one byte string. Without a sort key it holds the partition key: S and B as they are, N
// as CBOR. With one it holds the partition key as a CBOR value, then the sort key to the end: S and B as they are, N as
// LexDecimal.
//
// A compound key, with which a page on an index begins, holds a map from the names of all key attributes of index and
// table to their values, of indefinite length.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "model/key.h"
#include "model/number.h"
#include "model/value.h"
#include "wire/cbor.h"
#include "wire/dax/decoded_bytes.h"

namespace partita::wire::dax {

// The key that `bytes`, the content of the byte string, hold. Whether its values are empty or too long is not checked.
// Faults: kKeySchemaMismatch; those of numbers; kDaxMalformed for a text that is not UTF-8. Precondition: `schema` is
// that of a table, with one partition key and at most one sort key.
Result<model::Item> read_key(std::string_view bytes, const model::KeySchema& schema);

// One value of a key. Precondition of the functions below: S, N or B.
struct KeyPart {
  model::Type type = model::Type::kS;
  std::string_view bytes;  // of S and B
  model::Number number;    // of N
};
KeyPart key_part(const model::AttributeValue& value);

// Writes the byte string. `sort` is null for a table without a sort key.
void write_key(CborWriter& out, const KeyPart& partition, const KeyPart* sort);
// The same from an item that has the key attributes, and maybe others. Precondition: it has them, of the schema's
// types.
void write_key(CborWriter& out, const model::Item& item, const model::KeySchema& schema);

// Whether the attributes are those of the index is not checked, nor their types. The map may have a definite length.
// Faults: those of read_value(); kDaxMalformed.
// kStartKeyInvalid: there are more attributes than an index and its table have.
Result<model::Item> read_compound_key(std::string_view bytes, DecodedBytes* memory = nullptr);
// Writes the byte string with all attributes of `key`.
void write_compound_key(CborWriter& out, const model::Item& key);

}  // namespace partita::wire::dax
