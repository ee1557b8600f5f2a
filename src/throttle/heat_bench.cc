// What heat costs an access. Prints nanoseconds; for instructions, count a run of each mode and of "empty" with
// valgrind --tool=callgrind, and divide the difference by the times.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "base/check.h"
#include "throttle/heat_testing.h"

namespace partita::throttle {
namespace {

constexpr size_t kAccesses = 65'536;

// Skewed: half of the accesses go to an eighth of the keys, and so on.
std::vector<std::string> positions_of(bool collection) {
  SeededRandom random(1);
  std::vector<std::string> positions;
  for (size_t i = 0; i < kAccesses; ++i) {
    size_t most = kAccesses;
    while (most > 8 && random.below(2) == 0) most /= 8;
    const std::string key = padded(random.below(most));
    positions.push_back(collection ? position_of("collection", key) : position_of(key));
  }
  return positions;
}

// Refuses until the sketches are in use.
void heat_up(Heat& heat, const std::vector<std::string>& positions, int64_t now_ns, Sampler& sampler) {
  for (size_t i = 0; i < 20'000; ++i) heat.take(positions[i], AccessKind::kWrite, 20, now_ns, sampler);
  static_cast<void>(heat.review(now_ns + 1'000'000'000));
}

// Divides the collection 50 times.
Heat divided() {
  std::vector<std::string> boundaries(1);
  for (size_t i = 0; i < 50; ++i) boundaries.push_back(position_of("collection", padded(i * kAccesses / 50)));
  return Heat(Collections::kDivisible, boundaries, 0);
}

void bench(const std::string& mode, size_t times) {
  const std::vector<std::string> positions = positions_of(mode == "divided");
  Sampler sampler(1);
  int64_t now_ns = 1'000'000'000;
  Heat one(Collections::kDivisible, 1, now_ns);
  Heat four(Collections::kDivisible, 4, now_ns);
  Heat many(Collections::kDivisible, 64, now_ns);
  Heat parts = divided();
  Heat& heat = mode == "four" ? four : mode == "many" ? many : mode == "divided" ? parts : one;
  if (mode == "sketch") heat_up(heat, positions, now_ns, sampler);
  now_ns += 100'000'000'000;
  const int64_t step_ns = mode == "refused" ? 0 : 3'000'000;
  uint64_t refused = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < times; ++i) {
    const std::string& position = positions[i % kAccesses];
    now_ns += step_ns;
    if (mode.front() == 'e') {
      refused += position.front() == 'x' ? 1 : 0;
      continue;
    }
    const Heat::Taken taken = heat.take(position, AccessKind::kWrite, 2, now_ns, sampler);
    refused += taken.wait_ns != 0 ? 1 : 0;
    if (mode.front() == 's' && mode[1] == 'e') Heat::settle(*taken.partition, position, AccessKind::kWrite, 2, sampler);
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::cout << mode << ": " << took.count() / static_cast<double>(times) << " ns, " << refused << " refused\n";
}

}  // namespace
}  // namespace partita::throttle

int main(int count, char** arguments) {
  PARTITA_CHECK(count == 3);
  partita::throttle::bench(arguments[1], static_cast<size_t>(std::atoll(arguments[2])));
  return EXIT_SUCCESS;
}
