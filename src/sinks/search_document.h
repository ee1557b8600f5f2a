// What a search engine is given of an item: the document, and the id of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/key.h"
#include "model/value.h"
#include "wire/json_writer.h"

namespace partita::sinks {

// The most that OpenSearch and Elasticsearch take; a longer id fails a whole request.
inline constexpr size_t kMaxDocumentIdBytes = 512;

// The key values as text: numbers in DynamoDB's form, binary in base64. Of a partition key alone it is that text. With
// a sort key it is the length of the partition key's text in bytes, ":", that text, "|", and the sort key's text:
// "5:alice|2026-11-27". If that is too long it is "sha256:" and its hash, in hexadecimal; so is a partition key alone
// that begins with "sha256:". Different keys of a table have different ids. Precondition: one or two values, S, N or B.
std::string search_id(std::span<const model::AttributeValue> keys);

// The id of a stored key of a table with these keys. Error: kCorrupt, if the bytes are no such key.
Result<std::string> search_id_of(const model::KeySchema& schema, std::string_view stored_key);

// The attributes as a JSON object: numbers with all their digits, sets as arrays, binary in base64. If `fields` is not
// empty, only those attributes of the top level are in it. Equal items give equal text.
void write_search_object(wire::JsonWriter& json, const model::Item& item, std::span<const std::string> fields);

}  // namespace partita::sinks
