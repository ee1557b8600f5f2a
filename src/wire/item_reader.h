// Decodes attribute values and items from a request's JSON, with all of DynamoDB's checks.
//
// Faults of all functions: kSerialization for JSON of the wrong kind (none of them once check_shape has passed the
// request), then kEmptyAttributeValue, kAmbiguousAttributeValue, the kNumber... faults, kNullNotTrue, kEmpty...Set,
// kDuplicateIn...Set, kNullInSet, kNestingTooDeep; after those kEmptyAttributeName and kAttributeNameTooLong. The
// results own their contents.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/value.h"
#include "wire/json_reader.h"

namespace partita::wire {

// Where the levels of a value are counted from: an item around it, or the value alone, which may have one more level.
enum class Nesting : uint8_t { kInItem, kAlone };

// {"S":"..."} and so on.
Result<model::AttributeValue> decode_value(const JsonValue& value, Nesting nesting = Nesting::kInItem);

// An item in the encoding of model::encode_item(). Common items are encoded without an intermediate object.
Result<std::string> decode_encoded_item(const JsonValue& map);

// An item or a key: {"pk":{"S":"..."},...}. Null and {} give an empty item; the caller decides whether that is allowed.
// An empty name at the top level is reported before all other faults.
Result<model::Item> decode_item(const JsonValue& map);

}  // namespace partita::wire
