// Whether JSON has the kinds that a request's shape requires, and AWS's error if not: a SerializationException in the
// words of its Java deserialiser. Null passes everywhere and counts as absent. Internal to wire.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "model/value.h"
#include "wire/json_reader.h"

namespace partita::wire {

// The place of a structure decides the message about a scalar in its place.
enum class ValuePlace : uint8_t { kField, kElement };

// All faults are kSerialization.
Result<void> check_string(const JsonValue& value);
Result<void> check_boolean(const JsonValue& value);  // the words true, false, yes, no, 1 and 0 count too
Result<void> check_number(const JsonValue& value, std::string_view java_name);  // "Integer", "Long" or "Double"
Result<void> check_whole(const JsonValue& value, std::string_view java_name);   // the same without a point or exponent
Result<void> check_blob(const JsonValue& value);                                // strict base64
Result<void> check_list(const JsonValue& value, ValuePlace place);
Result<void> check_map(const JsonValue& value, std::string_view java_element, ValuePlace place);  // full class name
Result<void> check_structure(const JsonValue& value, std::string_view java_name, ValuePlace place);

// A whole AttributeValue, to any depth.
Result<void> check_attribute_value(const JsonValue& value, ValuePlace place);

// Whether check_blob and check_attribute_value certainly find nothing. False for null.
bool is_blob(const JsonValue& value);
bool is_attribute_value(const JsonValue& value);

// "S", "N" and so on, as a type; nullopt for any other name.
std::optional<model::Type> type_named(std::string_view name);

// The meaning of a value that passed check_boolean.
bool truth_of(const JsonValue& value);
// The same for a member that may be absent.
bool truth(const JsonValue& value, bool otherwise = false);

}  // namespace partita::wire
