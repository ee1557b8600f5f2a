// SearchVectors: the items of a vector index whose vectors are nearest to a given one.
//
// bind(), admit() and charge() do no I/O and are callable from any thread.
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

// A condition of a search must consist of equalities of an attribute and a constant, joined by AND. Fault:
// kSearchComparator.
Result<void> check_search_condition(const expr::Condition& condition);

// The request outlives its plan.
struct SearchPlan {
  Table table;
  const api::SearchRequest* request = nullptr;
  const IndexInfo* index = nullptr;   // of `table`
  storage::Range rows;                // the whole index, or the partition key that the condition names
  std::vector<std::string> filtered;  // attributes of the condition; empty if it names only the partition key
};

// Faults: kIndexNotFound, kVectorIndexBackfilling, kSearchVectorInvalid, kSearchVectorSize, kSearchAttribute,
// kSearchNested, kSearchTwice, kSearchConditionMissing, kSearchOperandType, kKeyEmpty.
Result<SearchPlan> bind(const api::SearchRequest& request, Table table);
Result<void> admit(const SearchPlan& plan, AccessChecker& checker);

// The resources of searches: the tables, the graphs, and the threads that compare vectors. Callable from any thread.
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

// Compares vectors on one of the context's workers, and continues through the Executor that was current at its start.
// The reply has at most model::kMaxSearchBytes of items. The context and the plan outlive the task.
Task<Result<api::SearchReply>> run(VectorSearchContext& context, const SearchPlan& plan);
void charge(const SearchPlan& plan, const api::SearchReply& outcome, AccessChecker& checker);

}  // namespace partita::table
