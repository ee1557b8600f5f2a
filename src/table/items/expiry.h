// Time to live: which items expire, and when. A job deletes them (jobs/expire.cc).
#pragma once

#include <cstdint>
#include <optional>

#include "table/rows/row_maker.h"

namespace partita::table {

// When the item expires, in seconds since 1970. Absent: the attribute is missing, not a Number, negative, or too large
// for a time.
std::optional<int64_t> expiry_of(const TimeToLive& ttl, const model::Item& item);

// Adds, moves and erases the expiry rows of items when they change. Static storage; callable from any thread.
const RowMaker& expiry_row_maker();

}  // namespace partita::table
