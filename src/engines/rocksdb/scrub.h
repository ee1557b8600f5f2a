// The scrub: reads all table files of an open store in the background, slowly, round after round, so that damage is
// found while there is a backup of what was there before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace partita {

struct ScrubOptions {
  int64_t rest_ms = 0;  // from the end of a round to the next
  uint64_t bytes_per_second = uint64_t{16} << 20;
};

struct ScrubState {
  uint64_t rounds = 0;   // that ended
  int64_t ended_ms = 0;  // when the last one did, since 1970; 0: none has
  bool reads = false;    // one is under way, of which so much ...
  uint64_t done_bytes = 0;
  uint64_t all_bytes = 0;            // ... of so much is read
  std::vector<std::string> damaged;  // a sentence for each damaged file of this round or, between two, of the last one
};

// Reads until it is destroyed, which waits for hardly anything.
class Scrub {
 public:
  Scrub() = default;
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;
  virtual ~Scrub() = default;
  // Callable from any thread.
  virtual ScrubState state() const = 0;
};

// Begins the first round. Damage is logged, counted and makes the engine's health() say so; a whole round without any
// takes that back. Precondition: one of open_rocksdb_engine(), which outlives it. Error: kUnavailable, with one
// sentence, when there is no thread for it.
Result<std::unique_ptr<Scrub>> begin_rocksdb_scrub(storage::Engine& engine, const ScrubOptions& options);

}  // namespace partita
