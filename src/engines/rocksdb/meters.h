// What the engine counts of itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/meter.h"

namespace partita::rocks {

// Callable from any thread.
struct Meters {
  Timing commits;                          // a group's write and fsync
  Sizes groups;                            // transactions in one
  Meter memory_reads;                      // answered from a cache, of ours or of the system's
  Timing disk_reads;                       // the others: until they were answered
  Meter compactions;                       // that ended
  Meter compacted_bytes;                   // that they wrote
  Meter compacted_us;                      // that they took
  Meter scrubbed_bytes;                    // that the scrub has read (scrub.h)
  Meter scrub_rounds;                      // of it that ended, ...
  std::atomic<int64_t> scrub_ended_ms{0};  // ... the last one then, since 1970
  std::atomic<uint64_t> scrub_damaged{0};  // files that its newest round found damaged
};

}  // namespace partita::rocks
