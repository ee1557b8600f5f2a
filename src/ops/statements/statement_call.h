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

// Parameters, whose faults DynamoDB finds before it reads the statement, in the order of the text. Faults: those of
// values.
Result<partiql::Parameters> decode_parameters(const wire::Members& in);

// The statement's table, which check_table() has passed. Faults: kResourceNotFound, those of check_table(); or an error
// that binds_again() knows.
Result<table::Table> find_table(const partiql::Statement& statement, const Context& context);

// Of Execution::visit_names().
void visit_named(const partiql::Statement& statement, VisitName visit);
// See RequestAuthorizer::worded().
Error worded(RequestAuthorizer& checker, const partiql::Statement& statement, Error error);

// In PartiQL's words: what came of running a statement.
Error worded_for(const partiql::Statement& statement, Error error);

// An INSERT, UPDATE or DELETE by itself.
struct StatementWrite {
  api::CapacityDetail capacity = api::CapacityDetail::kNone;
  bool return_item_on_failure = false;
};

// What came of a statement, also when it failed.
struct StatementOutcome {
  std::optional<Error> error;
  table::Table table;                  // null unless the statement came as far as to run
  std::optional<api::FoundItem> item;  // what was read, or RETURNING asked for; not when that is empty
  std::optional<api::ConsumedCapacity> consumed;
};

// Precondition: `statement` is an INSERT, UPDATE or DELETE. All of the arguments outlive the task.
Task<StatementOutcome> run_write(const Context& context, RequestAuthorizer& checker,
                                 const partiql::Statement& statement, const StatementWrite& options);

}  // namespace partita::ops
