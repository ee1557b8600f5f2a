// What the capacity of a table costs a request, from reserve() to charge(). Prints nanoseconds; for instructions, count
// a run of each mode and of "empty" with valgrind --tool=callgrind, and divide the difference by the times.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/check.h"
#include "throttle/heat_testing.h"
#include "throttle/reservations.h"

namespace partita::throttle {
namespace {

void bench(const std::string& mode, size_t times) {
  table::TableInfo table;
  table.name = std::string(1, 'T');
  table.throughput.read_units = table.throughput.write_units = mode == "refused" ? 1 : 6'000;  // of 8 partitions
  CapacityLimits limits(mode == "refused" ? CapacityMode::kEnforce : CapacityMode::kRecord);
  std::vector<std::string> positions;
  for (size_t i = 0; i < 4'096; ++i) positions.push_back(position_of(padded(i)));
  table::Access access;
  access.table = &table;
  access.verb = mode == "get" ? table::Verb::kGet : table::Verb::kPut;
  api::ConsumedCapacity consumed;
  (access.verb == table::Verb::kGet ? consumed.base.read : consumed.base.write) = 2;
  int64_t now_ns = 1'000'000'000;
  uint64_t refused = 0;
  const bool empty = mode == "empty";
  const bool refuses = mode == "refused";
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < times; ++i) {
    access.position = positions[i % positions.size()];
    now_ns += 100'000;
    if (empty) {
      refused += access.position.front() == 'x' ? 1 : 0;
      continue;
    }
    Reservations request(limits, "");
    refused += request.reserve(access, 2, now_ns) ? 1 : 0;
    if (!refuses) request.charge(access, consumed, now_ns);
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
