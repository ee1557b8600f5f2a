// What makes an index one of vectors, in SearchVectors' words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/key.h"

namespace partita::table {

// How near two vectors are: for the first two less is nearer, for kDotProduct more.
enum class Distance : uint8_t { kCosine, kEuclidean, kDotProduct };

// An attribute that a search may name. There is at most one of `hash`, and the index is partitioned by it.
struct SearchElement {
  model::KeyElement attribute;
  bool hash = false;
  bool operator==(const SearchElement&) const = default;
};

struct VectorSchema {
  std::string attribute;    // holds the vector: a list of numbers
  uint32_t dimensions = 0;  // at most model::kMaxDimensions
  Distance distance = Distance::kCosine;
  std::vector<SearchElement> search;  // in the order of SearchSchema

  // Null when a search may not name it.
  const SearchElement* find(std::string_view name) const {
    const auto found = std::ranges::find(search, name, [](const auto& one) { return one.attribute.name; });
    return found == search.end() ? nullptr : &*found;
  }
  bool operator==(const VectorSchema&) const = default;
};

}  // namespace partita::table
