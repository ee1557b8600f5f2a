// What ExecuteStatement, BatchExecuteStatement and ExecuteTransaction share.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "ops/admission.h"
#include "ops/execution.h"
#include "ops/request.h"
#include "partiql/statement.h"
#include "table/items/query.h"
#include "table/items/write.h"
#include "wire/members.h"

namespace partita::ops {

// The values of Parameters, in their order. DynamoDB checks them before it parses the statement. Faults: those of
// values.
Result<partiql::Parameters> decode_parameters(const wire::Members& in);

// The statement's table, checked by check_table(). Faults: kResourceNotFound, those of check_table(). Error: one with
// TableContext::binds_again().
Result<table::Table> find_table(const partiql::Statement& statement, const Context& context);

// For Execution::visit_names().
void visit_named(const partiql::Statement& statement, VisitName visit);
// See RequestAuthorizer::worded().
Error worded(RequestAuthorizer& checker, const partiql::Statement& statement, Error error);

// An error of running a statement, with the text that DynamoDB has for PartiQL.
Error worded_for(const partiql::Statement& statement, Error error);

// Options of run_write().
struct StatementWrite {
  api::CapacityDetail capacity = api::CapacityDetail::kNone;
  bool return_item_on_failure = false;
};

// The result of a statement, which may be an error.
struct StatementOutcome {
  std::optional<Error> error;
  table::Table table;                  // null: the statement did not run
  std::optional<api::FoundItem> item;  // the item read, or the one that RETURNING requests; absent if that is empty
  std::optional<api::ConsumedCapacity> consumed;
};

// Runs a single INSERT, UPDATE or DELETE. Precondition: `statement` is one of these. The arguments outlive the task.
Task<StatementOutcome> run_write(const Context& context, RequestAuthorizer& checker,
                                 const partiql::Statement& statement, const StatementWrite& options);

}  // namespace partita::ops
