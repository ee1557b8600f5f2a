// A graph of the vectors of one collection (HNSW, Malkov and Yashunin 2016; the library is hnswlib), in memory only. It
// finds approximately the nearest rows and compares a few thousand vectors for it, however many there are.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/rows/vector_schema.h"

namespace partita::table {

// Threads: put(), erase(), grow() and use_width() need exclusive access. nearest() and good_width() may run side by
// side in any number. After an error other than that of grow(), the graph may be half changed: discard it.
class VectorGraph {
 public:
  // `room`: the number of places for rows; a few at least are made. Error: kUnavailable if there is no memory.
  static Result<std::unique_ptr<VectorGraph>> make(api::Distance distance, size_t dimensions, size_t room);
  ~VectorGraph();

  // Adds or replaces the row of that key. Precondition: !is_full(). Errors: kUnavailable; kTooLarge if the vector is so
  // long that its distances exceed 32-bit floats.
  Result<void> put(std::string_view key, std::string_view packed);
  Result<void> erase(std::string_view key);

  // Keys of approximately the `count` nearest rows, the nearest first. There may be fewer keys, even if the graph has
  // more rows. Errors: those of put().
  Result<std::vector<std::string>> nearest(std::span<const float> sought, size_t count) const;

  // The search width (HNSW's ef) with which nearest() finds 99 % of the nearest rows, measured with samples of these
  // vectors. 0: the width would be so large that comparing all vectors is faster. Takes about a second.
  size_t good_width() const;
  // Sets the search width. 0: nearest() compares all vectors.
  void use_width(size_t width);

  size_t size() const;  // of rows
  // Places without a row. Rows with equal vectors share a place; a place stays empty after its rows were erased or
  // replaced.
  size_t empty() const;
  size_t room() const;  // in places
  bool is_full() const;
  // Doubles the room. Error: kUnavailable; the graph is then unchanged.
  Result<void> grow();

  // The approximate bytes of a full graph with that room.
  static size_t memory_of(size_t room, size_t dimensions, size_t key_bytes);

 private:
  struct Parts;
  explicit VectorGraph(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::table
