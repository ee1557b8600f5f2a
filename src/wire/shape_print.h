// A value as AWS's messages show it: a scalar as it is, [a, b] for a list, {k=v} for a map, Name(member=value) for a
// structure. Long values are cut short. Internal to wire.
#pragma once

#include <string>

#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::wire {

std::string print_value(const JsonValue& value, const Shape& shape);

// The value as JSON without blanks. Long ones are cut short.
std::string print_json(const JsonValue& value);

// The text, or as many whole UTF-8 characters of it as fit and "...".
std::string shortened(std::string_view text, size_t max_bytes);

// The name with its first letter in lower case, as paths and prints have it.
std::string lower_first(std::string_view name);

}  // namespace partita::wire
