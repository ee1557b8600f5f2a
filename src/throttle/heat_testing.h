// Positions and loads for tests of heat: units and a manual clock, no stopwatch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "throttle/heat.h"

namespace partita::throttle {

// As docs/formats/keys.md has it, for strings without zero bytes.
inline std::string position_of(std::string_view partition_key, std::string_view sort_key = {}) {
  const std::string end("\0\1", 2);
  const std::string partition = std::string(partition_key) + end;
  std::string position;
  append_u64(position, hash64(partition));
  position += partition;
  if (!sort_key.empty()) position.append(sort_key).append(end);
  return position;
}

inline std::string padded(size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - digits.size(), '0') + digits;
}

// What accesses one key, evenly over time.
struct Load {
  std::string position;
  AccessKind kind = AccessKind::kWrite;
  int64_t half_units = 2;
  double per_second = 0;
  double due = 0;
  uint64_t admitted = 0;
  uint64_t refused = 0;
};

// Runs loads against a Heat in steps of 10 ms, with a review each second.
class LoadDriver {
 public:
  static constexpr int64_t kStepMs = 10;

  LoadDriver(Collections collections, int64_t partitions, uint64_t seed)
      : heat(collections, partitions, clock.monotonic_ns()), random(seed), sampler(seed + 1) {}

  // `each`: called for each access with its load and what take() returned. `step`: called after each step.
  template <class Each, class Step>
  void run(int64_t seconds, Each each, Step step) {
    for (int64_t i = 0; i < seconds * 1'000 / kStepMs; ++i) {
      std::vector<Load*> due;
      for (Load& load : loads) {
        for (load.due += load.per_second * kStepMs / 1'000; load.due >= 1; load.due -= 1) due.push_back(&load);
      }
      for (size_t left = due.size(); left > 1; --left) std::swap(due[left - 1], due[random.below(left)]);
      for (Load* const load : due) {
        const auto taken = heat.take(load->position, load->kind, load->half_units, clock.monotonic_ns(), sampler);
        ++(taken.wait_ns == 0 ? load->admitted : load->refused);
        each(*load, taken);
      }
      step();
      clock.advance_ms(kStepMs);
      if (++steps % (1'000 / kStepMs) == 0 && heat.review(clock.monotonic_ns())) ++changes;
    }
  }
  void run(int64_t seconds) {
    run(seconds, [](const Load&, const Heat::Taken&) {}, [] {});
  }
  void forget_counts() {
    for (Load& load : loads) load.admitted = load.refused = 0;
  }

  ManualClock clock{1'700'000'000'000};
  Heat heat;
  SeededRandom random;
  Sampler sampler;
  std::vector<Load> loads;
  uint64_t steps = 0;
  int changes = 0;  // how often the boundaries changed
};

}  // namespace partita::throttle
