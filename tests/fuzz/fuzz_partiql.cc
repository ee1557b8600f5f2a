// Statements: what parses prints to the same statement, and what a SELECT reads and filters is what its WHERE says.
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "expression.h"
#include "model/fault.h"
#include "model/limits.h"
#include "partiql/key_plan.h"
#include "partiql/print_testing.h"
#include "partiql/reads.h"
#include "partiql/statement.h"
#include "partiql/writes.h"

namespace partita::fuzz {
namespace {

using model::AttributeValue;
using model::Number;
using partiql::Statement;

// pk S, sk N; by_owner: owner S, sk N; by_code: code N, which holds title too.
table::TableInfo described() {
  table::TableInfo table;
  table.name = "t00";
  table.keys = {{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}};
  table::IndexInfo owner;
  owner.id = 1;
  owner.name = "by_owner";
  owner.keys = {{{"owner", model::Type::kS}}, {{"sk", model::Type::kN}}};
  table::IndexInfo code;
  code.id = 2;
  code.name = "by_code";
  code.keys = {{{"code", model::Type::kN}}, {}};
  code.projection = {api::ProjectionKind::kInclude, {"title"}};
  table.indexes = {owner, code};
  return table;
}

std::vector<model::Item> samples() {
  std::vector<model::Item> items;
  for (const char* pk : {"a", "b", "x"}) {
    for (const int64_t sk : {-1, 1, 2, 5}) {
      model::Item item;
      item.set("pk", AttributeValue::string(pk));
      item.set("sk", AttributeValue::number(Number::of(sk)));
      item.set("a", AttributeValue::number(Number::of(sk)));
      if (sk > 0) item.set("owner", AttributeValue::string(pk));
      if (sk > 1) item.set("title", AttributeValue::string("title"));
      if (sk > 2) item.set("m", AttributeValue::map(item));
      items.push_back(std::move(item));
    }
  }
  return items;
}

// One for each mark, of several types in turn.
partiql::Parameters parameters(size_t count) {
  static const std::vector<expr::ValuePtr> kValues = [] {
    std::vector<expr::ValuePtr> values;
    for (AttributeValue value : {AttributeValue::string("a"), AttributeValue::number(Number::of(1)),
                                 AttributeValue::string_set({"x", "y"}), AttributeValue::boolean(true)}) {
      values.push_back(std::make_shared<const AttributeValue>(std::move(value)));
    }
    return values;
  }();
  partiql::Parameters made;
  for (size_t i = 0; i < count; ++i) made.push_back(kValues[i % kValues.size()]);
  return made;
}

void check_printed(const partiql::Node& node) {
  const auto text = partiql::print(node);
  if (!text) return;
  const auto again = partiql::parse(*text);
  if (!again.ok()) {
    // Parentheses that were not there have made it too deep.
    PARTITA_CHECK(model::fault_of(again.error()) == model::Fault::kPartiqlUnreadable);
    return;
  }
  PARTITA_CHECK(again.value().node == node);
}

// An item is found by one of the reads, and by no more than one, when the whole condition holds for it.
void check_reads(const Statement& statement, const table::TableInfo& table) {
  const auto reads = partiql::reads_of(statement, table, {});
  if (!reads.ok()) {
    refusal(reads.error());
    return;
  }
  PARTITA_CHECK(!reads.value().empty());
  static const std::vector<model::Item> kItems = samples();
  for (const model::Item& item : kItems) {
    size_t found = 0;
    for (const api::RangeRequest& read : reads.value()) {
      const bool here =
          (!read.keys || expr::evaluate(*read.keys, item)) && (!read.filter || expr::evaluate(*read.filter, item));
      found += here ? 1 : 0;
      if (!here || !read.projection) continue;
      check_item_is_sound(expr::project(*read.projection, item));
    }
    const bool wanted = !statement.where || expr::evaluate(expr::Condition(*statement.where), item);
    PARTITA_CHECK(found == (wanted ? 1U : 0U));
  }
  const auto key = partiql::key_of_read(statement, table);
  if (key.ok() && key.value()) PARTITA_CHECK(key.value()->size() == 2);
}

void check_write(const Statement& statement, const table::TableInfo& table) {
  const auto action = partiql::write_of(statement, table);
  if (!action.ok()) {
    refusal(action.error());
    return;
  }
  const bool insert = statement.kind == Statement::Kind::kInsert;
  const model::Item named = insert ? model::decode_item(action.value().item).value() : action.value().key;
  PARTITA_CHECK(named.contains("pk") && named.contains("sk"));
  const bool removal = statement.kind == Statement::Kind::kDelete;
  const auto& condition = action.value().condition;
  PARTITA_CHECK(condition || removal);
  if (condition) PARTITA_CHECK(expr::evaluate(*condition, model::Item()) == (insert || removal));
  static const std::vector<model::Item> kItems = samples();
  for (const model::Item& item : kItems) {
    const auto after = expr::apply(action.value().update, &item, named);
    if (after.ok()) {
      check_item_is_sound(after.value());
    } else {
      refusal(after.error());
    }
  }
}

void check(std::string_view text) {
  const auto parsed = partiql::parse(text);
  if (!parsed.ok()) {
    refusal(parsed.error());
    return;
  }
  check_printed(parsed.value().node);
  const auto statement = Statement::parse(text, parameters(parsed.value().parameters));
  if (!statement.ok()) {
    refusal(statement.error());
    return;
  }
  static const table::TableInfo kTable = described();
  if (const auto checked = partiql::check_table(statement.value(), kTable); !checked.ok()) {
    refusal(checked.error());
  } else if (statement.value().reads()) {
    check_reads(statement.value(), kTable);
  } else {
    check_write(statement.value(), kTable);
  }
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > partita::model::kMaxStatementCharacters || !partita::is_utf8(text)) return -1;
  partita::fuzz::check(text);
  return 0;
}
