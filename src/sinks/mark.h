// The mark of an index, which the other end keeps: the highest version that was sent to each slice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sinks/progress.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

using Versions = std::array<uint64_t, table::kSinkSlices>;

std::string mark_text(const Versions& versions);
// What cannot be read counts as 0.
Versions versions_in(std::string_view mark);
// Grows with each of them; below 2^63.
uint64_t version_of_mark(const Versions& versions);
// Whether one of them is a version that the logs have not reached.
bool is_ahead(const Versions& versions, const Positions& ends);

}  // namespace partita::sinks
