#include "api/capacity.h"

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

}  // namespace partita::api
