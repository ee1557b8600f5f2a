// A change of an item as JSON: the record that DynamoDB puts into a Kinesis stream.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "sinks/change_destination.h"

namespace partita::sinks {

enum class TimePrecision : uint8_t { kMillisecond, kMicrosecond };

// An object without a line break. Its eventID is that of the change: the same text for the same settings, slice and
// change, however often it is sent. Error: kCorrupt, if the keys or an image are not encoded items.
Result<std::string> change_json(const ChangeSettings& settings, size_t slice, const Change& change,
                                TimePrecision precision = TimePrecision::kMillisecond);

}  // namespace partita::sinks
