#include "api/capacity.h"

#include <algorithm>

namespace partita::api {

Capacity ConsumedCapacity::total() const {
  Capacity sum = base;
  for (const auto& [name, capacity] : local_indexes) sum += capacity;
  for (const auto& [name, capacity] : global_indexes) sum += capacity;
  return sum;
}

void ConsumedCapacity::add(const ConsumedCapacity& other) {
  base += other.base;
  for (const auto& [name, capacity] : other.local_indexes) local_indexes[name] += capacity;
  for (const auto& [name, capacity] : other.global_indexes) global_indexes[name] += capacity;
  for (const auto& [name, bytes] : other.vector_bytes) vector_bytes[name] += bytes;
}

void ConsumedCapacity::twice() {
  base += Capacity(base);
  for (auto& [name, capacity] : local_indexes) capacity += Capacity(capacity);
  for (auto& [name, capacity] : global_indexes) capacity += Capacity(capacity);
}

void add_by_table(std::vector<ConsumedCapacity>& sums, const ConsumedCapacity& part) {
  const auto sum = std::ranges::find(sums, part.table, &ConsumedCapacity::table);
  if (sum == sums.end()) {
    sums.push_back(part);
  } else {
    sum->add(part);
  }
}

}  // namespace partita::api
