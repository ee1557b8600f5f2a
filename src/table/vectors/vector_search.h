// SearchVectors: the items of a vector index whose vectors are nearest to one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/vectors.h"
#include "base/result.h"
#include "base/workers.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "table/catalog/access.h"
#include "table/catalog/table_context.h"
#include "table/vectors/vector_graphs.h"

namespace partita::table {

// Equalities of an attribute and a constant, joined by AND. Faults: kSearchComparator.
Result<void> check_search_condition(const expr::Condition& condition);

// The request outlives its plan.
struct SearchPlan {
  Table table;
  const api::SearchRequest* request = nullptr;
  const IndexInfo* index = nullptr;
  storage::Range rows;                // the whole index, or what is under the HASH that is asked for
  std::vector<std::string> filtered;  // those of the condition; none when it asks for no more than the HASH
};

// Faults: kIndexNotFound, kVectorIndexBackfilling, kSearchVectorInvalid, kSearchVectorSize, kSearchAttribute,
// kSearchNested, kSearchTwice, kSearchConditionMissing, kSearchOperandType, kKeyEmpty.
Result<SearchPlan> bind(const api::SearchRequest& request, Table table);
Result<void> admit(const SearchPlan& plan, AccessChecker& checker);

// What searches need: the tables, the graphs of their vectors, and threads that compare vectors. Callable from any
// thread.
class VectorSearchContext {
 public:
  // The tables outlive it.
  explicit VectorSearchContext(TableContext& tables)
      : tables_(tables),
        graphs_(tables.engine(), tables.clock(), tables.options().graph_bytes, tables.options().graph_follow_ms) {}

  TableContext& tables() { return tables_; }
  VectorGraphs& graphs() { return graphs_; }
  Workers& workers() { return workers_; }

 private:
  static constexpr size_t kWorkers = 2;

  TableContext& tables_;
  VectorGraphs graphs_;
  Workers workers_{kWorkers};
};

// Runs on one of the context's workers. The reply holds at most model::kMaxSearchBytes of items. The plan outlives the
// task.
Task<Result<api::SearchReply>> run(VectorSearchContext& context, const SearchPlan& plan);
void charge(const SearchPlan& plan, const api::SearchReply& outcome, AccessChecker& checker);

}  // namespace partita::table
