// Sizes of items in bytes, exactly as DynamoDB counts them for its 400 KB limit and its capacity units ("DynamoDB item
// sizes and formats" in the developer guide; number costs measured against DynamoDB, see Number::size_bytes).
#pragma once

#include <cstddef>
#include <string_view>

#include "model/value.h"

namespace partita::model {

// Overhead of a map or a list, and of each of its members.
inline constexpr size_t kContainerBytes = 3;
inline constexpr size_t kMemberBytes = 1;

// Bytes of one value without its name: S UTF-8 bytes, B bytes, N Number::size_bytes, BOOL and NULL 1,
// M and L 3 + 1 for each member + the members (and their names), sets the sum of their members.
size_t value_size(const AttributeValue& value);

// Names and values of all attributes, without the 100 bytes per item of storage billing.
size_t item_size(const Item& item);

// Capacity units in halves, so that sums stay exact: an eventually consistent read of up to 4 KB is 1 half.
using HalfUnits = int64_t;
HalfUnits read_half_units(size_t bytes, bool consistent);  // at least one unit, even for 0 bytes
HalfUnits write_half_units(size_t bytes);

}  // namespace partita::model
