// Attribute values and items out of a request's JSON, with all that DynamoDB has to say against them.
//
// Faults of all functions: kSerialization for JSON of the wrong kind (none of them once check_shape has passed the
// request), then kEmptyAttributeValue, kAmbiguousAttributeValue, the kNumber... faults, kNullNotTrue, kEmpty...Set,
// kDuplicateIn...Set, kNullInSet, kNestingTooDeep; behind those kEmptyAttributeName and kAttributeNameTooLong. What is
// returned owns all that it holds.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/value.h"
#include "wire/json_reader.h"

namespace partita::wire {

// What a value's levels are counted from: an item around it, or the value alone, which leaves it one level more.
enum class Nesting : uint8_t { kInItem, kAlone };

// {"S":"..."} and its like.
Result<model::AttributeValue> decode_value(const JsonValue& value, Nesting nesting = Nesting::kInItem);

// An item as model::encode_item() writes what decode_item() makes of it. For an ordinary item nothing is made in
// between.
Result<std::string> decode_encoded_item(const JsonValue& map);

// An item or a key: {"pk":{"S":"..."},...}. Null and {} give an empty item; whether that will do is the caller's
// matter. An empty name of its own comes before all other faults.
Result<model::Item> decode_item(const JsonValue& map);

}  // namespace partita::wire
