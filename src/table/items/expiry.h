// Time to live: which items expire, and when. Jobs delete them (jobs/expire_items.cc).
#pragma once

#include <cstdint>
#include <optional>

#include "table/rows/row_maker.h"

namespace partita::table {

// When the item expires, in seconds since 1970. Nothing if the attribute is not a Number, negative, or beyond all time.
std::optional<int64_t> expiry_of(const TimeToLive& ttl, const model::Item& item);

// Moves the expiry rows of the items of a table with TTL.
const RowMaker& expiry_row_maker();

}  // namespace partita::table
