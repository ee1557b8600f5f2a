// SearchVectors: the items of a vector index whose vectors are nearest to one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "table/catalog/access.h"
#include "table/open/database.h"

namespace partita::table {

struct SearchRequest {
  std::string table;  // a name or an ARN
  std::string index;
  std::optional<std::vector<float>> sought;  // nothing: not every element is a 32-bit float
  size_t top = 1;                            // TopK: 1 to model::kMaxTopK
  std::optional<expr::Condition> condition;  // of equalities joined by AND, see check_search_condition()
  std::optional<expr::Projection> projection;
  CapacityDetail capacity = CapacityDetail::kNone;
};

// Equalities of an attribute and a constant, joined by AND. Faults: kSearchComparator.
Result<void> check_search_condition(const expr::Condition& condition);

// The request outlives its plan.
struct SearchPlan {
  Table table;
  const SearchRequest* request = nullptr;
  const IndexInfo* index = nullptr;
  storage::Range rows;                // the whole index, or what is under the HASH that is asked for
  std::vector<std::string> filtered;  // those of the condition; none when it asks for no more than the HASH
};

struct SearchHit {
  std::string item;    // without the vector, encoded: the trees of a hundred may take a gigabyte
  std::string vector;  // packed; empty when it is not wanted
  double score = 0;
};

struct SearchOutcome {
  std::vector<SearchHit> hits;  // the nearest first; of equal scores in the order of the keys
  ConsumedCapacity consumed;
};

// Faults: kIndexNotFound, kVectorIndexBackfilling, kSearchVectorInvalid, kSearchVectorSize, kSearchAttribute,
// kSearchNested, kSearchTwice, kSearchConditionMissing, kSearchOperandType, kKeyEmpty.
Result<SearchPlan> bind(const SearchRequest& request, Table table);
Result<void> admit(const SearchPlan& plan, Gate& gate);
// Reckons on one of Database::searchers(). At most model::kMaxSearchBytes of items are answered. The plan outlives the
// task.
Task<Result<SearchOutcome>> run(Database& database, const SearchPlan& plan);
void charge(const SearchPlan& plan, const SearchOutcome& outcome, Gate& gate);

}  // namespace partita::table
