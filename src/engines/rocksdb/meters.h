// What the engine counts of itself.
#pragma once

#include "base/meter.h"

namespace partita::rocks {

// Callable from any thread.
struct Meters {
  Timing commits;         // a group's write and fsync
  Sizes groups;           // transactions in one
  Meter memory_reads;     // answered from a cache, of ours or of the system's
  Timing disk_reads;      // the others: until they were answered
  Meter compactions;      // that ended
  Meter compacted_bytes;  // that they wrote
  Meter compacted_us;     // that they took
};

}  // namespace partita::rocks
