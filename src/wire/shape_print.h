// A value as AWS's messages show it: a scalar unchanged, [a, b] for a list, {k=v} for a map, Name(member=value) for a
// structure. Long values are cut. Internal to wire.
#pragma once

#include <string>

#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::wire {

std::string print_value(const JsonValue& value, const Shape& shape);

// The value as compact JSON. Long values are cut.
std::string print_json(const JsonValue& value);

// The text, or as many whole UTF-8 characters of it as fit, followed by "...".
std::string shortened(std::string_view text, size_t max_bytes);

// The name with its first letter in lower case, as in paths and messages.
std::string lower_first(std::string_view name);

}  // namespace partita::wire
