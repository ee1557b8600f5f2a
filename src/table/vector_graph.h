// The vectors of one collection as a graph of near ones (HNSW, Malkov and Yashunin 2016; the library is hnswlib): asked
// for the rows that are about the nearest, it looks at a few thousands of any number. In memory only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/vector_schema.h"

namespace partita::table {

// put() and erase() by one at a time, nearest() by any number while neither runs.
class VectorGraph {
 public:
  // `expected` is how many rows there will be, about. Error: kUnavailable, there is no memory.
  static Result<std::unique_ptr<VectorGraph>> make(Distance distance, size_t dimensions, size_t expected);
  ~VectorGraph();

  // Adds or replaces the row of that key. Error: kUnavailable.
  Result<void> put(std::string_view key, std::string_view packed);
  void erase(std::string_view key);

  // Keys of up to `count` rows, about the nearest first. Error: kUnavailable.
  Result<std::vector<std::string>> nearest(std::span<const float> sought, size_t count) const;

  size_t size() const;
  // What was erased or replaced takes room in the graph until another is made.
  size_t erased() const;

  // What a graph of so many rows takes, about.
  static size_t memory_of(size_t rows, size_t dimensions, size_t key_bytes);

 private:
  struct Parts;
  explicit VectorGraph(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::table
