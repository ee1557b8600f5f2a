// A statement with its parameters. Whatever needs no table is interpreted already.
//
//   PARTITA_TRY(Statement statement, Statement::parse("SELECT * FROM Music WHERE Artist = ?", {"Acme"}));
//   table::Table table = ...;  // of statement.table
//   PARTITA_TRY_VOID(check_table(statement, *table));
//   PARTITA_TRY(Selection selection, reads_of(statement, *table, options));       // reads.h
//   PARTITA_TRY(table::WriteAction action, write_of(statement, *table));          // writes.h
//
// A value; const use is safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "base/result.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "model/value.h"
#include "partiql/conditions.h"
#include "table/rows/schema.h"

namespace partita::partiql {

struct Order {
  std::string attribute;
  bool descending = false;
};

struct Statement {
  enum class Kind : uint8_t { kSelect, kInsert, kUpdate, kDelete, kExists };

  // Faults: what DynamoDB refuses before it looks for the table; see "PartiQL" in model/faults.inc.
  // Precondition: UTF-8.
  static Result<Statement> parse(std::string_view text, const Parameters& parameters);

  bool reads() const { return kind == Kind::kSelect; }

  Kind kind = Kind::kSelect;
  std::string table;
  std::optional<std::string> index;
  // An error that DynamoDB reports only after it has checked the index against the table.
  std::optional<Error> late;

  // Of kSelect and kExists: empty for `*`.
  std::vector<expr::Projection::Column> columns;
  std::vector<Order> order;
  std::optional<expr::ConditionNode> where;  // not of kInsert
  model::Item item;                          // of kInsert
  expr::Update update;                       // of kUpdate
  api::ReturnValues returned = api::ReturnValues::kNone;
};

// Faults: kPartiqlIndexNotFound, kPartiqlManyKeyAttributes, then statement.late.
Result<void> check_table(const Statement& statement, const table::TableInfo& table);

}  // namespace partita::partiql
