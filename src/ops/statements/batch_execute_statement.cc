#include <string>
#include <vector>

#include "base/executor.h"
#include "model/fault.h"
#include "ops/driver.h"
#include "ops/items/transact_call.h"
#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/statements/statement_call.h"
#include "partiql/reads.h"
#include "wire/error_body.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::Members;

struct BatchRequest {
  struct Part {
    Result<partiql::Statement> statement;  // what is wrong with one of them is told in its place
    bool consistent = false;
    bool return_item_on_failure = false;
  };
  std::vector<Part> parts;
  api::CapacityDetail capacity = api::CapacityDetail::kNone;
};

// A SELECT of one item, which is a GetItem. One try.
Task<Result<void>> try_read(const Context& context, RequestAuthorizer& checker, const BatchRequest::Part& part,
                            StatementOutcome& outcome) {
  const partiql::Statement& statement = *part.statement;
  PARTITA_CO_TRY(const table::Table table, find_table(statement, context));
  api::GetRequest request;
  if (statement.index) co_return refuse(Fault::kPartiqlBatchKey);
  PARTITA_CO_TRY(std::optional<model::Item> key, partiql::key_of_read(statement, *table));
  if (!key) co_return refuse(Fault::kPartiqlBatchKey);
  request.key = *std::move(key);
  request.projection = partiql::projection_of(statement);
  request.consistent = part.consistent;
  PARTITA_CO_TRY(const table::GetPlan plan, table::bind(request, table));
  PARTITA_CO_TRY_VOID(table::admit(plan, checker));
  outcome.table = table;
  PARTITA_CO_TRY(api::GetReply got, co_await table::run(context.database, plan));
  table::charge(plan, got, checker);
  outcome.consumed = std::move(got.consumed);
  outcome.item = std::move(got.read.item);
  co_return Result<void>();
}

Task<StatementOutcome> run_read(const Context& context, RequestAuthorizer& checker, const BatchRequest::Part& part) {
  const auto word = [&](Error error) { return worded(checker, *part.statement, std::move(error)); };
  for (int tries = 1;; ++tries) {
    StatementOutcome outcome;
    auto done = co_await try_read(context, checker, part, outcome);
    if (done.ok()) co_return outcome;
    Error error = std::move(done).error();
    auto again = co_await tries_again(context, checker, error, tries, word);
    if (again.ok() && *again) continue;
    outcome.error = again.ok() ? std::move(error) : std::move(again).error();
    co_return outcome;
  }
}

Task<StatementOutcome> run_part(const Context& context, RequestAuthorizer& checker, const BatchRequest::Part& part) {
  if (!part.statement.ok()) {
    StatementOutcome outcome;
    outcome.error = part.statement.error();
    co_return outcome;
  }
  if (part.statement->reads()) co_return co_await run_read(context, checker, part);
  const StatementWrite options{api::CapacityDetail::kNone, part.return_item_on_failure};
  co_return co_await run_write(context, checker, *part.statement, options);
}

class BatchExecution final : public Execution {
 public:
  explicit BatchExecution(BatchRequest request) : request_(std::move(request)) {}

  Task<Result<void>> run(const Context& context) override {
    for (const BatchRequest::Part& part : request_.parts) {
      if (!outcomes_.empty()) co_await Yield();
      RequestAuthorizer checker(context, request_.capacity);
      outcomes_.push_back(co_await run_part(context, checker, part));
    }
    co_return Result<void>();
  }
  void visit_names(VisitName visit) override {
    for (const BatchRequest::Part& part : request_.parts) {
      if (part.statement.ok()) visit_named(*part.statement, visit);
    }
  }

  template <class Codec>
  static auto encode(const BatchExecution& done, const Context& /*context*/) {
    return Codec::encode(done.request_, done.outcomes_);
  }

 private:
  const BatchRequest request_;
  std::vector<StatementOutcome> outcomes_;
};

// Error: kCorrupt.
Result<void> write_response(wire::JsonWriter& json, const StatementOutcome& outcome) {
  json.begin_object();
  if (outcome.error) {
    json.begin_object("Error");
    json.member("Code", wire::code_of(*outcome.error));
    json.member("Message", wire::message_of(*outcome.error));
    PARTITA_TRY_VOID(wire::write_failed_item(json, *outcome.error));
    json.end_object();
  }
  if (outcome.table != nullptr) {
    json.member("TableName", outcome.table->name);
  }
  if (outcome.item) {
    json.key("Item");
    PARTITA_TRY_VOID(write_found(json, *outcome.item));
  }
  json.end_object();
  return {};
}

struct BatchExecuteStatement {
  using Execution = BatchExecution;
  using Request = BatchRequest;

  static Result<partiql::Statement> decode_statement(const Members& in) {
    PARTITA_TRY(const partiql::Parameters parameters, decode_parameters(in));
    PARTITA_TRY(partiql::Statement statement, partiql::Statement::parse(in.text(Field::kStatement), parameters));
    if (statement.kind == partiql::Statement::Kind::kExists) return refuse(Fault::kPartiqlExistsAlone);
    return statement;
  }

  static Result<Request> decode(const Members& in) {
    Request request;
    const wire::Shape& shape = in.element_shape(Field::kStatements);
    for (const wire::JsonValue entry : in[Field::kStatements].elements()) {
      const Members one(entry, shape);
      request.parts.push_back({decode_statement(one), one.flag(Field::kConsistentRead), returns_item_on_failure(one)});
    }
    request.capacity = capacity_detail(in);
    return request;
  }

  static Task<Result<std::string>> encode(const BatchRequest& request, const std::vector<StatementOutcome>& outcomes) {
    wire::JsonWriter json(4096);
    json.begin_object();
    json.begin_array("Responses");
    YieldBudget budget(YieldBudget::Start::kBegun);
    const auto write = [&json](const StatementOutcome& outcome) { return write_response(json, outcome); };
    PARTITA_CO_TRY_VOID(co_await write_each(json, budget, outcomes, write));
    json.end_array();
    std::vector<api::ConsumedCapacity> sums;
    for (const StatementOutcome& outcome : outcomes) {
      if (outcome.consumed) add_by_table(sums, *outcome.consumed);
    }
    write_capacity_list(json, sums, request.capacity);
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec batch_execute_statement =
    json_codec<BatchExecuteStatement>(wire::shapes::kBatchExecuteStatement);

}  // namespace partita::ops
