#include "ops/statements/statement_call.h"

#include "model/fault.h"
#include "model/item_codec.h"
#include "model/java_number.h"
#include "model/limits.h"
#include "ops/driver.h"
#include "ops/items/write_call.h"
#include "partiql/writes.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using partiql::Statement;
using wire::Field;
using wire::JsonValue;
using wire::Members;

Result<void> check_number(std::string_view text) {
  if (text.empty()) return refuse(Fault::kNumberEmpty);
  if (!model::has_scale(text)) return refuse(Fault::kNumberSyntax, {std::string(text)});
  PARTITA_TRY_VOID(model::read_as_java(text));
  return {};
}

// Nesting and numbers, in the order of the text. `depth` counts the maps and lists around the value.
Result<void> check_in_order(const JsonValue& value, int depth) {
  if (depth >= model::kMaxNestingDepth) return refuse(Fault::kNestingTooDeep);
  for (const auto& [type, member] : value.members()) {
    if (!member.present()) continue;
    if (type == "N") PARTITA_TRY_VOID(check_number(member.as_string()));
    if (type == "NS") {
      for (const JsonValue number : member.elements()) {
        if (number.present()) PARTITA_TRY_VOID(check_number(number.as_string()));
      }
    }
    if (type == "L") {
      for (const JsonValue element : member.elements()) PARTITA_TRY_VOID(check_in_order(element, depth + 1));
    }
    if (type == "M") {
      for (const auto& [name, one] : member.members()) PARTITA_TRY_VOID(check_in_order(one, depth + 1));
    }
  }
  return {};
}

table::Verb verb_of(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::kInsert:
      return table::Verb::kPut;
    case Statement::Kind::kUpdate:
      return table::Verb::kUpdate;
    case Statement::Kind::kDelete:
      return table::Verb::kDelete;
    case Statement::Kind::kSelect:
    case Statement::Kind::kExists:
      break;
  }
  return table::Verb::kGet;
}

// One try; fills `outcome` as far as it comes.
Task<Result<void>> try_write(const Context& context, RequestAuthorizer& checker, const Statement& statement,
                             const StatementWrite& options, StatementOutcome& outcome) {
  PARTITA_CO_TRY(const table::Table table, find_table(statement, context));
  api::WriteRequest request;
  request.table = statement.table;
  PARTITA_CO_TRY(request.action, partiql::write_of(statement, *table));
  request.action.return_item_on_failure = options.return_item_on_failure && statement.kind != Statement::Kind::kInsert;
  request.returned = statement.returned;
  request.capacity = options.capacity;
  PARTITA_CO_TRY(table::WritePlan plan, table::bind(request, table));
  PARTITA_CO_TRY_VOID(table::admit(plan, checker));
  outcome.table = table;
  auto written = co_await table::run(context.database, plan);
  if (!written.ok()) table::charge_refused(plan, written.error(), checker);
  PARTITA_CO_TRY(const api::WriteReply done, std::move(written));
  table::charge(plan, done, checker);
  outcome.consumed = done.written.consumed;
  model::Item touched;
  const model::Item* const returned = returned_item(request.returned, request.action.update, done.written, touched);
  if (returned != nullptr) outcome.item = model::encode_item(*returned);
  co_return Result<void>();
}

}  // namespace

Result<partiql::Parameters> decode_parameters(const Members& in) {
  partiql::Parameters parameters;
  if (!in.has(Field::kParameters)) return parameters;
  for (const JsonValue value : in[Field::kParameters].elements()) {
    PARTITA_TRY_VOID(check_in_order(value, 0));
    PARTITA_TRY(model::AttributeValue decoded, wire::decode_value(value));
    parameters.push_back(std::make_shared<const model::AttributeValue>(std::move(decoded)));
  }
  return parameters;
}

Result<table::Table> find_table(const Statement& statement, const Context& context) {
  auto table = find_table(statement.table, context);
  if (!table.ok() && statement.late) return *statement.late;
  if (table.ok()) PARTITA_TRY_VOID(partiql::check_table(statement, **table));
  return table;
}

void visit_named(const Statement& statement, VisitName visit) {
  const std::string_view index = statement.index ? std::string_view(*statement.index) : std::string_view();
  visit(statement.table, index, verb_of(statement));
}

Error worded(RequestAuthorizer& checker, const Statement& statement, Error error) {
  auto visit = [&](const std::string& name, std::string_view index, table::Verb verb) {
    error = checker.worded(std::move(error), name, index, verb);
  };
  visit_named(statement, visit);
  return error;
}

Error worded_for(const Statement& statement, Error error) {
  if (error.kind() != ErrorKind::kInvalid) return error;
  const Fault fault = model::fault_of(error);
  if (fault == Fault::kNestingTooDeep) return refuse(Fault::kPartiqlNestingTooDeep);
  const bool insert = statement.kind == Statement::Kind::kInsert;
  if (insert && fault == Fault::kConditionFailed) return refuse(Fault::kPartiqlDuplicateItem);
  return error;
}

Task<StatementOutcome> run_write(const Context& context, RequestAuthorizer& checker, const Statement& statement,
                                 const StatementWrite& options) {
  const auto word = [&](Error error) { return worded(checker, statement, std::move(error)); };
  for (int tries = 1;; ++tries) {
    StatementOutcome outcome;
    auto done = co_await try_write(context, checker, statement, options, outcome);
    if (done.ok()) co_return outcome;
    Error error = std::move(done).error();
    auto again = co_await tries_again(context, checker, error, tries, word);
    if (again.ok() && *again) continue;
    outcome.error = worded_for(statement, again.ok() ? std::move(error) : std::move(again).error());
    co_return outcome;
  }
}

}  // namespace partita::ops
