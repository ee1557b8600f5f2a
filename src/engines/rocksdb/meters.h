// The engine's metrics.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/meter.h"

namespace partita::rocks {

// Callable from any thread.
struct Meters {
  Timing commits;                          // write and fsync of a group
  Sizes groups;                            // transactions in a group
  Meter memory_reads;                      // answered from a cache, the engine's or the system's
  Timing disk_reads;                       // all other reads
  Meter compactions;                       // finished
  Meter compacted_bytes;                   // written by compactions
  Meter compacted_us;                      // time in compactions
  Meter scrubbed_bytes;                    // read by the scrub (storage/backup.h)
  Meter scrub_rounds;                      // finished rounds of the scrub
  std::atomic<int64_t> scrub_ended_ms{0};  // when the last round ended, since 1970
  std::atomic<uint64_t> scrub_damaged{0};  // damaged files found in the newest round
};

}  // namespace partita::rocks
