// Random numbers, injected, so that a run can be replayed from its seed.
#pragma once

#include <cstdint>
#include <string>

#include "base/mutex.h"

namespace partita {

class Random {
 public:
  virtual ~Random() = default;
  // 64 uniform bits. Callable from any thread.
  virtual uint64_t next() = 0;

  // Uniform in [0, bound). Precondition: bound > 0.
  uint64_t below(uint64_t bound);
  // A version 4 UUID in lower case, such as "2c0a9f5e-6c1e-4b0e-9d53-0f6f2d9d6f5e".
  std::string uuid();
};

// Seeded from the system. Valid for the whole program.
Random& system_random();

// The next number of splitmix64, which advances `state`: for seeds, and where numbers may be predictable.
uint64_t splitmix64(uint64_t& state);

// The same numbers for the same seed, on every machine (xoshiro256**).
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed);
  uint64_t next() override;

 private:
  Mutex mutex_;
  uint64_t state_[4] PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita
