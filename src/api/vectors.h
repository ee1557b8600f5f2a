// SearchVectors. See reads.h for what holds for all requests and replies.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/capacity.h"
#include "api/options.h"
#include "expr/condition.h"
#include "expr/projection.h"

namespace partita::api {

struct SearchRequest {
  std::string table;  // a name or an ARN
  std::string index;
  std::optional<std::vector<float>> sought;  // absent if an element is not a 32-bit float
  size_t top = 1;                            // TopK: 1 to model::kMaxTopK
  std::optional<expr::Condition> condition;  // equalities joined by AND, see table::check_search_condition()
  std::optional<expr::Projection> projection;
  CapacityDetail capacity = CapacityDetail::kNone;
};

struct SearchHit {
  std::string item;    // without the vector, encoded: the trees of a hundred may take a gigabyte
  std::string vector;  // packed 32-bit floats; empty if it is not wanted
  double score = 0;
};

struct SearchReply {
  std::string attribute;        // that holds the vectors
  std::vector<SearchHit> hits;  // the nearest first; of equal scores in the order of the keys
  ConsumedCapacity consumed;
};

}  // namespace partita::api
