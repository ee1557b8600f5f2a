#include <algorithm>
#include <string>
#include <vector>

#include "model/fault.h"
#include "model/fault_detail.h"
#include "ops/driver.h"
#include "ops/items/transact_call.h"
#include "ops/json_codec.h"
#include "ops/statements/statement_call.h"
#include "partiql/reads.h"
#include "partiql/writes.h"
#include "wire/error_body.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using model::TransactionCancelledDetail;
using partiql::Statement;
using wire::Field;
using wire::JsonValue;
using wire::Members;
using Reasons = std::vector<TransactionCancelledDetail::Reason>;

struct TransactionRequest {
  struct Part {
    Statement statement;
    bool return_item_on_failure = false;
  };
  std::vector<Part> parts;
  std::string token;
  std::string digest;
  api::CapacityDetail capacity = api::CapacityDetail::kNone;

  bool reads() const { return parts.front().statement.reads(); }
};

Error in_statement(size_t which, const Error& error) {
  return refuse(Fault::kPartiqlInTransaction, {std::to_string(which), wire::message_of(error)});
}

Error cancelled(Reasons reasons) {
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(Fault::kTransactionCancelled), {},
               std::make_shared<TransactionCancelledDetail>(std::move(reasons)));
}

// A wrong key cancels the transaction instead of making it wrong.
std::optional<Error> as_reason(const Error& error) {
  switch (model::fault_of(error)) {
    case Fault::kPartiqlKeyAbsent:
      return refuse(Fault::kMissingKey, error.args());
    case Fault::kPartiqlKeyIncomplete:
    case Fault::kPartiqlKeyTwice:
    case Fault::kPartiqlKeyType:
    case Fault::kPartiqlKeyValueType:
      return refuse(Fault::kKeySchemaMismatch);
    default:
      return std::nullopt;
  }
}

// The requests of both kinds of transaction; one of them is in use.
struct Requests {
  std::vector<Result<table::Table>> tables;
  api::TransactWriteRequest writes;
  api::TransactGetRequest gets;
};

Result<void> check_part(const Statement& statement, const table::TableInfo& table) {
  PARTITA_TRY_VOID(partiql::check_table(statement, table));
  if (statement.returned != api::ReturnValues::kNone) return refuse(Fault::kPartiqlTransactionReturns);
  if (statement.reads() && statement.index) return refuse(Fault::kPartiqlTransactionIndex);
  return {};
}

Result<void> add_part(const TransactionRequest::Part& part, const table::TableInfo& table, Requests& made) {
  const Statement& statement = part.statement;
  PARTITA_TRY_VOID(check_part(statement, table));
  if (!statement.reads()) {
    PARTITA_TRY(api::WriteAction action, partiql::write_of(statement, table));
    action.return_item_on_failure = part.return_item_on_failure && statement.kind != Statement::Kind::kInsert;
    made.writes.parts.push_back({statement.table, std::move(action)});
    return {};
  }
  PARTITA_TRY(std::optional<model::Item> key, partiql::key_of_read(statement, table));
  if (!key) return refuse(Fault::kPartiqlTransactionKey);
  for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
    for (const model::KeyElement& element : *elements) {
      if (!key->find(element.name)->is(element.type)) return refuse(Fault::kPartiqlKeyType, {element.name});
    }
  }
  made.gets.parts.push_back({statement.table, *std::move(key), partiql::projection_of(statement)});
  return {};
}

// The table, or that there certainly is none.
Task<Result<table::Table>> known_table(std::string_view name, const Context& context) {
  for (int tries = 1;; ++tries) {
    auto table = find_table(name, context);
    if (table.ok()) co_return table;
    PARTITA_CO_TRY(const bool again, co_await tries_again(context, table.error(), tries));
    if (!again) co_return table;
  }
}

// Measured: a statement of a table that is not there is looked at no further, and cancels with all that have a wrong
// key; whatever else is wrong with one is told at once.
Task<Result<Requests>> requests_of(const TransactionRequest& request, const Context& context) {
  Requests made;
  Reasons reasons(request.parts.size());
  for (size_t i = 0; i < request.parts.size(); ++i) {
    const TransactionRequest::Part& part = request.parts[i];
    auto table = co_await known_table(part.statement.table, context);
    if (!table.ok()) {
      if (table.error().kind() != ErrorKind::kInvalid) co_return std::move(table).error();
      reasons[i].error = std::move(table).error();
      continue;
    }
    auto added = add_part(part, **table, made);
    if (!added.ok()) {
      reasons[i].error = as_reason(added.error());
      if (!reasons[i].error) co_return in_statement(i, added.error());
    }
    made.tables.push_back(std::move(table));
  }
  if (std::ranges::any_of(reasons, [](const auto& reason) { return reason.error.has_value(); })) {
    co_return cancelled(std::move(reasons));
  }
  made.writes.token = request.token;
  made.writes.digest = request.digest;
  made.writes.capacity = made.gets.capacity = request.capacity;
  PARTITA_CO_TRY_VOID(api::check_total_size(made.writes));
  co_return made;
}

// In PartiQL's words: each reason for itself.
Error each_worded(const TransactionRequest& request, Error error) {
  const auto* detail = dynamic_cast<const TransactionCancelledDetail*>(error.detail().get());
  if (detail == nullptr) return error;
  Reasons reasons = detail->reasons;
  for (size_t i = 0; i < reasons.size() && i < request.parts.size(); ++i) {
    if (reasons[i].error) reasons[i].error = worded_for(request.parts[i].statement, *std::move(reasons[i].error));
  }
  return cancelled(std::move(reasons));
}

class TransactionExecution final : public Execution {
 public:
  explicit TransactionExecution(TransactionRequest request) : request_(std::move(request)) {}

  Task<Result<void>> run(const Context& context) override {
    RequestAuthorizer checker(context, request_.capacity);
    const auto word = [&](Error error) {
      for (const auto& part : request_.parts) error = worded(checker, part.statement, std::move(error));
      return error;
    };
    for (int tries = 1;; ++tries) {
      auto done = co_await try_once(context, checker);
      if (done.ok()) co_return done;
      Error refusal = std::move(done).error();
      PARTITA_CO_TRY(const bool again, co_await tries_again(context, checker, refusal, tries, word));
      if (!again) co_return each_worded(request_, std::move(refusal));
    }
  }
  void visit_names(VisitName visit) override {
    for (const auto& part : request_.parts) visit_named(part.statement, visit);
  }

  template <class Codec>
  static Task<Result<std::string>> encode(const TransactionExecution& done, const Context& /*context*/) {
    const api::CapacityDetail capacity = done.request_.capacity;
    return done.request_.reads() ? Codec::encode_reads(done.got_, capacity)
                                 : Codec::encode_writes(done.written_, capacity);
  }

 private:
  Task<Result<void>> try_once(const Context& context, RequestAuthorizer& checker) {
    PARTITA_CO_TRY(made_, co_await requests_of(request_, context));
    if (request_.reads()) {
      PARTITA_CO_TRY(const table::TransactGetPlan plan, table::bind(made_.gets, std::move(made_.tables)));
      tables_ = plan.tables;  // which the checker needs after the plan too
      PARTITA_CO_TRY_VOID(table::admit(plan, checker));
      PARTITA_CO_TRY(got_, co_await table::run(context.database, plan));
      table::charge(plan, got_, checker);
      co_return Result<void>();
    }
    PARTITA_CO_TRY(plan_, table::bind(made_.writes, std::move(made_.tables)));
    PARTITA_CO_TRY_VOID(table::admit(plan_, checker));
    auto written = co_await table::run(context.database, plan_);
    if (!written.ok()) table::charge_refused(plan_, written.error(), checker);
    PARTITA_CO_TRY(written_, std::move(written));
    table::charge(plan_, written_, checker);
    co_return Result<void>();
  }

  const TransactionRequest request_;
  Requests made_;
  // Of a transaction that reads:
  std::vector<table::Table> tables_;  // whose names stand in what was consumed
  api::TransactGetReply got_;
  // Of one that writes:
  table::WritesPlan plan_;
  api::WritesReply written_;
};

struct ExecuteTransaction {
  using Execution = TransactionExecution;
  using Request = TransactionRequest;

  static Result<Request> decode(const Members& in) {
    Request request;
    const wire::Shape& shape = in.element_shape(Field::kTransactStatements);
    std::vector<partiql::Parameters> parameters;
    for (const JsonValue entry : in[Field::kTransactStatements].elements()) {
      PARTITA_TRY(partiql::Parameters one, decode_parameters(Members(entry, shape)));
      parameters.push_back(std::move(one));
    }
    for (const JsonValue entry : in[Field::kTransactStatements].elements()) {
      const Members one(entry, shape);
      const size_t which = request.parts.size();
      auto statement = Statement::parse(one.text(Field::kStatement), parameters[which]);
      if (!statement.ok()) return in_statement(which, statement.error());
      request.parts.push_back({std::move(statement).value(), returns_item_on_failure(one)});
    }
    const bool reads = request.reads();
    const bool mixed =
        std::ranges::any_of(request.parts, [&](const auto& part) { return part.statement.reads() != reads; });
    if (mixed) return refuse(Fault::kPartiqlTransactionMixed);
    request.token = in.text(Field::kClientRequestToken);
    if (!request.token.empty()) request.digest = digest(in[Field::kTransactStatements]);
    request.capacity = capacity_detail(in);
    return request;
  }

  static Task<Result<std::string>> encode_writes(const api::WritesReply& reply, api::CapacityDetail capacity) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("Responses");
    json.end_array();
    write_costs(json, reply, capacity, CapacityKind::kTransactionWrite);
    json.end_object();
    co_return std::move(json).take();
  }

  static Task<Result<std::string>> encode_reads(const api::TransactGetReply& outcome, api::CapacityDetail capacity) {
    wire::JsonWriter json(4096);
    json.begin_object();
    PARTITA_CO_TRY_VOID(co_await write_found_items(json, outcome, capacity));
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec execute_transaction = json_codec<ExecuteTransaction>(wire::shapes::kExecuteTransaction);

}  // namespace partita::ops
