#include "partiql/statement.h"

#include <algorithm>
#include <set>

#include "model/fault.h"
#include "model/size.h"
#include "partiql/literals.h"
#include "partiql/updates.h"
#include "table/items/write.h"

namespace partita::partiql {

namespace {

using model::Fault;
using model::refuse;
using Kind = Statement::Kind;

Result<void> check_table_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (name.size() < 3 || name.size() > 255 || !std::ranges::all_of(name, allowed)) {
    return refuse(Fault::kPartiqlTableName);
  }
  return {};
}

// The table, and the index if there is one.
Result<void> read_source(const Node& source, Statement& made) {
  std::vector<std::string> names;
  const Node& root = source.kind == NodeKind::kPath ? source.children.front() : source;
  if (root.kind != NodeKind::kName) return refuse(Fault::kPartiqlSource);
  names.push_back(root.text);
  if (source.kind == NodeKind::kPath) {
    for (size_t i = 1; i < source.children.size(); ++i) {
      const Node& step = source.children[i];
      if (step.kind != NodeKind::kMember) return refuse(Fault::kPartiqlSource);
      names.push_back(step.text);
    }
  }
  if (names.size() > 2) return refuse(Fault::kPartiqlSourceTooLong);
  if (std::ranges::any_of(names, &std::string::empty)) return refuse(Fault::kPartiqlEmptyName);
  PARTITA_TRY_VOID(check_table_name(names[0]));
  made.table = names[0];
  if (names.size() > 1) made.index = names[1];
  return {};
}

// As the column of a result is called: from the last name on.
std::string column_name(const expr::Path& path) {
  std::string name = path.attribute;
  for (const expr::PathStep& step : path.steps) {
    if (const auto* member = std::get_if<std::string>(&step)) {
      name = *member;
    } else {
      name += "[" + std::to_string(std::get<uint32_t>(step)) + "]";
    }
  }
  return name;
}

class StatementReader {
 public:
  StatementReader(const Parameters& parameters, Statement& made) : parameters_(parameters), made_(made) {}

  Result<void> read(const Node& node) {
    if (node.kind == NodeKind::kStatement) return read_statement(*node.statement);
    const bool exists = node.kind == NodeKind::kCall && node.text == "exists" && node.children.size() == 1 &&
                        node.children.front().kind == NodeKind::kStatement &&
                        node.children.front().statement->kind == Syntax::Kind::kSelect;
    if (!exists) return refuse(Fault::kPartiqlUnsupported, {kind_name(node)});
    PARTITA_TRY_VOID(read_statement(*node.children.front().statement));
    made_.kind = Kind::kExists;
    return {};
  }

 private:
  Result<void> read_statement(const Syntax& said) {
    const bool insert = said.kind == Syntax::Kind::kChange && !said.changes.empty() &&
                        std::ranges::any_of(said.changes, [](const UpdateClause& change) {
                          return change.kind == UpdateClause::Kind::kInsert;
                        });
    if (insert) return read_insert(said);
    if (said.alias) return refuse(Fault::kPartiqlAlias);
    if (said.several) return refuse(Fault::kPartiqlSeveralSources);
    PARTITA_TRY_VOID(read_source(said.source, made_));
    auto rest = read_rest(said);
    if (!rest.ok()) made_.late = std::move(rest).error();
    return {};
  }

  Result<void> read_rest(const Syntax& said) {
    if (said.kind == Syntax::Kind::kSelect) {
      made_.kind = Kind::kSelect;
      PARTITA_TRY_VOID(read_columns(said));
      if (said.clause) return refuse(Fault::kPartiqlClause, {said.clause->name, describe(said.clause->place)});
    } else {
      made_.kind = said.kind == Syntax::Kind::kDelete ? Kind::kDelete : Kind::kUpdate;
      if (made_.index) return refuse(Fault::kPartiqlChangeOfIndex);
      PARTITA_TRY_VOID(read_returning(said));
    }
    if (made_.kind == Kind::kUpdate) {
      PARTITA_TRY(made_.update, update_of(said.changes, parameters_));
    }
    if (said.where) {
      PARTITA_TRY(made_.where, condition_of(*said.where, parameters_));
    }
    return read_order(said);
  }

  Result<void> read_columns(const Syntax& said) {
    if (said.value_only) return refuse(Fault::kPartiqlSelectValue);
    const bool star = std::ranges::any_of(said.items, &SelectItem::star);
    if (star && said.items.size() > 1) return refuse(Fault::kPartiqlStarAndOthers);
    if (star) return {};
    std::set<std::string> names;
    for (const SelectItem& item : said.items) {
      if (item.alias) return refuse(Fault::kPartiqlAlias);
      if (!is_path(item.value)) return refuse(Fault::kPartiqlPathComponent, {describe(item.value.place)});
      PARTITA_TRY(expr::Path path, path_of(item.value));
      std::string name = column_name(path);
      if (!names.insert(name).second) return refuse(Fault::kPartiqlSameColumn, {std::move(name)});
      made_.columns.push_back({std::move(name), std::move(path)});
    }
    return {};
  }

  Result<void> read_order(const Syntax& said) {
    if (said.order.empty()) return {};
    if (!said.where) return refuse(Fault::kPartiqlOrderWithoutWhere);
    for (const OrderTerm& term : said.order) {
      if (term.value.kind != NodeKind::kName) return refuse(Fault::kPartiqlOrderTerm, {kind_name(term.value)});
      made_.order.push_back({term.value.text, term.descending});
    }
    return {};
  }

  Result<void> read_returning(const Syntax& said) {
    if (!said.returning) return {};
    const Returning& returning = *said.returning;
    if (returning.several) return refuse(Fault::kPartiqlReturningSeveral);
    if (!returning.star) return refuse(Fault::kPartiqlReturningStar);
    using api::ReturnValues;
    if (returning.modified) {
      made_.returned = returning.old ? ReturnValues::kUpdatedOld : ReturnValues::kUpdatedNew;
    } else {
      made_.returned = returning.old ? ReturnValues::kAllOld : ReturnValues::kAllNew;
    }
    if (made_.kind == Kind::kDelete && made_.returned != ReturnValues::kAllOld) {
      const std::string asked =
          std::string(returning.modified ? "MODIFIED" : "ALL") + (returning.old ? " OLD" : " NEW");
      return refuse(Fault::kPartiqlReturningOfDelete, {asked + " *"});
    }
    return {};
  }

  Result<void> read_insert(const Syntax& said) {
    const UpdateClause& change = said.changes.front();
    if (said.changes.size() > 1 || said.source.kind == NodeKind::kName || said.where) {
      return refuse(Fault::kPartiqlSeveralOperations);
    }
    made_.kind = Kind::kInsert;
    if (change.target.kind == NodeKind::kPath) {
      return refuse(Fault::kPartiqlInsertIntoIndex, {describe(change.target.place)});
    }
    PARTITA_TRY_VOID(read_source(change.target, made_));
    auto rest = read_item(said, change);
    if (!rest.ok()) made_.late = std::move(rest).error();
    return {};
  }

  Result<void> read_item(const Syntax& said, const UpdateClause& change) {
    if (!change.one) return refuse(Fault::kPartiqlSeveralInserts);
    if (change.at) return refuse(Fault::kPartiqlInsertAt);
    if (said.returning) return refuse(Fault::kPartiqlInsertReturns);
    const Node& value = change.value;
    if (value.kind != NodeKind::kStruct) return refuse(Fault::kPartiqlInsertForm);
    std::vector<model::Item::Entry> entries;
    std::set<std::string_view> names;
    for (size_t i = 0; i < value.children.size(); i += 2) {
      const Node& name = value.children[i];
      if (name.kind != NodeKind::kString) return refuse(Fault::kPartiqlStructKey, {kind_name(name), "root"});
      if (name.text.empty()) return refuse(Fault::kEmptyAttributeName);
      if (!names.insert(name.text).second) return refuse(Fault::kPartiqlSameStructKey, {name.text, "root"});
      PARTITA_TRY(model::AttributeValue one, attribute(value.children[i + 1]));
      entries.push_back({name.text, std::move(one)});
    }
    made_.item = model::Item::of(std::move(entries));
    return api::check_item_size(model::item_size(made_.item));
  }

  Result<model::AttributeValue> attribute(const Node& node) {
    if (node.kind == NodeKind::kParameter) return *parameters_[node.position];
    return value_of(node);
  }

  const Parameters& parameters_;
  Statement& made_;
};

}  // namespace

Result<Statement> Statement::parse(std::string_view text, const Parameters& parameters) {
  PARTITA_TRY(const Parsed parsed, partiql::parse(text));
  if (parsed.parameters != parameters.size()) return refuse(Fault::kPartiqlParameterCount);
  Statement made;
  PARTITA_TRY_VOID(StatementReader(parameters, made).read(parsed.node));
  return made;
}

Result<void> check_table(const Statement& statement, const table::TableInfo& table) {
  const bool indexed = statement.index && (statement.reads() || statement.kind == Kind::kExists);
  if (indexed) {
    const table::IndexInfo* const index = table.find_index(*statement.index);
    const bool many = index != nullptr && (index->keys.partition.size() > 1 || index->keys.sort.size() > 1);
    if (many) return refuse(Fault::kPartiqlManyKeyAttributes);
  }
  if (statement.late) return *statement.late;
  return {};
}

}  // namespace partita::partiql
