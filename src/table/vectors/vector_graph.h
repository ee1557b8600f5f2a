// The vectors of one collection as a graph of near ones (HNSW, Malkov and Yashunin 2016; the library is hnswlib): asked
// for the rows that are about the nearest, it looks at a few thousands of any number. In memory only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/rows/vector_schema.h"

namespace partita::table {

// put(), erase(), grow() and use_width() by one at a time, nearest() and good_width() by any number while none of them
// runs. After any error the graph may be half changed and is to be thrown away.
class VectorGraph {
 public:
  // With room for so many rows, a few at least. Error: kUnavailable, there is no memory.
  static Result<std::unique_ptr<VectorGraph>> make(api::Distance distance, size_t dimensions, size_t room);
  ~VectorGraph();

  // Adds or replaces the row of that key. Precondition: it is not full. Errors: kUnavailable; kTooLarge for a vector so
  // long that its distances are beyond 32-bit floats.
  Result<void> put(std::string_view key, std::string_view packed);
  Result<void> erase(std::string_view key);

  // Keys of the `count` nearest rows, about, the nearest first. Fewer than there are only if it did not find its way to
  // more. Errors: as of put().
  Result<std::vector<std::string>> nearest(std::span<const float> sought, size_t count) const;

  // How wide a walk has to be on these vectors, by a look at all of them for some: how many places it keeps in sight to
  // find 99 % of the nearest. 0: so wide that nearest() had better look at each place, as it does then. Takes a second.
  size_t good_width() const;
  void use_width(size_t width);

  size_t size() const;  // of rows
  // Rows of equal vectors share a place. What was erased or replaced leaves it empty, until another graph is made.
  size_t empty() const;
  size_t room() const;  // in places
  bool is_full() const;
  // Makes twice the room. Error: kUnavailable; then the graph is as it was.
  Result<void> grow();

  // What a graph with so much room takes when it is full, about.
  static size_t memory_of(size_t room, size_t dimensions, size_t key_bytes);

 private:
  struct Parts;
  explicit VectorGraph(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::table
