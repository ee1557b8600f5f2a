// What a request consumed, in exact half units, by table and by index ("Read and write request units" in the
// developer guide; rounding and sharing between indexes as measured, see tests/api).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/size.h"

namespace partita::api {

struct Capacity {
  model::HalfUnits read = 0;
  model::HalfUnits write = 0;
  model::HalfUnits total() const { return read + write; }
  Capacity& operator+=(const Capacity& other) {
    read += other.read;
    write += other.write;
    return *this;
  }
};

// One table's share of a request. Indexes that consumed nothing are absent.
struct ConsumedCapacity {
  std::string_view table;  // its name, kept by its description
  Capacity base;
  std::map<std::string, Capacity, std::less<>> local_indexes;
  std::map<std::string, Capacity, std::less<>> global_indexes;
  std::map<std::string, int64_t, std::less<>> vector_bytes;  // by vector index: no units, and never doubled
  int64_t searched_bytes = 0;                                // of SearchVectors

  Capacity total() const;
  // The same table's consumption of another part of the request.
  void add(const ConsumedCapacity& other);
  // Doubles everything, as transactions are charged.
  void twice();
};

// Adds the capacity of a part to the sum of its table. Tables are in the order of their first part.
void add_by_table(std::vector<ConsumedCapacity>& sums, const ConsumedCapacity& part);

}  // namespace partita::api
