// The scrub reads all table files of an open store in the background, slowly, round after round, so that damage is
// found while there still is a backup without it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace partita {

struct ScrubOptions {
  int64_t rest_ms = 0;  // from the end of one round to the beginning of the next
  uint64_t bytes_per_second = uint64_t{16} << 20;
};

struct ScrubState {
  uint64_t rounds = 0;               // finished
  int64_t ended_ms = 0;              // when the last round ended, since 1970; 0: none has
  bool reads = false;                // a round is in progress
  uint64_t done_bytes = 0;           // read in this round, ...
  uint64_t all_bytes = 0;            // ... of so many
  std::vector<std::string> damaged;  // a sentence for each damaged file of the current or last round
};

// Runs until it is destroyed. The destructor waits for the read in progress only.
class Scrub {
 public:
  Scrub() = default;
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;
  virtual ~Scrub() = default;
  // Callable from any thread.
  virtual ScrubState state() const = 0;
};

// Begins the first round. Damage is logged, counted and reported by the engine's health(); a round without damage
// clears it. Precondition: `engine` is from open_rocksdb_engine() and outlives this. Error: kUnavailable, with one
// sentence, if the system refuses a thread.
Result<std::unique_ptr<Scrub>> begin_rocksdb_scrub(storage::Engine& engine, const ScrubOptions& options);

}  // namespace partita
