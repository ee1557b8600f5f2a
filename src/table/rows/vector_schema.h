// The schema of a vector index, in the terms of SearchVectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/tables.h"
#include "model/key.h"

namespace partita::table {

// An attribute that a search may name. The index is partitioned by the one with `hash`, if there is one.
struct SearchElement {
  model::KeyElement attribute;
  bool hash = false;
  bool operator==(const SearchElement&) const = default;
};

struct VectorSchema {
  std::string attribute;    // holds the vector: a list of numbers
  uint32_t dimensions = 0;  // at most model::kMaxDimensions
  api::Distance distance = api::Distance::kCosine;
  std::vector<SearchElement> search;  // in the order of SearchSchema

  // Null if a search may not name it.
  const SearchElement* find(std::string_view name) const {
    const auto found = std::ranges::find(search, name, [](const auto& one) { return one.attribute.name; });
    return found == search.end() ? nullptr : &*found;
  }
  bool operator==(const VectorSchema&) const = default;
};

}  // namespace partita::table
