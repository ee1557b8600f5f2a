#include "partiql/statement.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "expr/placeholders.h"
#include "model/fault.h"
#include "partiql/key_plan.h"
#include "partiql/literals.h"
#include "partiql/reads.h"
#include "partiql/writes.h"

namespace partita::partiql {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Number;

AttributeValue text(std::string value) { return AttributeValue::string(std::move(value)); }
AttributeValue number(int64_t value) { return AttributeValue::number(Number::of(value)); }

// pk S, sk N, and an index of `kind` and `rank` that holds `title` too.
table::TableInfo music() {
  table::TableInfo table;
  table.name = "music";
  table.keys = {{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}};
  table::IndexInfo index;
  index.id = 1;
  index.name = "by_kind";
  index.keys = {{{"kind", model::Type::kS}}, {{"rank", model::Type::kN}}};
  index.projection = {api::ProjectionKind::kInclude, {"title"}};
  table.indexes.push_back(index);
  return table;
}

Statement statement(std::string_view said, const Parameters& parameters = {}) {
  auto parsed = Statement::parse(said, parameters);
  EXPECT_TRUE(parsed.ok()) << said;
  if (!parsed.ok()) return {};
  EXPECT_TRUE(check_table(*parsed, music()).ok()) << said;
  return std::move(parsed).value();
}

std::vector<api::RangeRequest> reads(std::string_view where) {
  auto made = reads_of(statement("SELECT * FROM music WHERE " + std::string(where)), music(), {});
  EXPECT_TRUE(made.ok()) << where;
  return made.ok() ? std::move(made).value() : std::vector<api::RangeRequest>();
}

Fault refusal(std::string_view where) {
  auto made = reads_of(statement("SELECT * FROM music WHERE " + std::string(where)), music(), {});
  EXPECT_FALSE(made.ok()) << where;
  return made.ok() ? Fault::kCount : model::fault_of(made.error());
}

TEST(PartiqlReads, AKeyIsAQueryAndNothingElseIs) {
  EXPECT_EQ(reads("pk = 'a'").size(), 1U);
  EXPECT_TRUE(reads("pk = 'a'")[0].keys);
  EXPECT_FALSE(reads("pk = 'a'")[0].filter);
  EXPECT_FALSE(reads("pk = 'a' AND sk = 1")[0].filter);
  EXPECT_TRUE(reads("pk = 'a' AND x = 1")[0].filter);
  for (const char* scanned :
       {"pk > 'a'", "x = 1", "pk = 'a' OR x = 1", "NOT pk = 'a'", "pk = 'a' AND pk = 'b'", "pk = x"}) {
    EXPECT_FALSE(reads(scanned)[0].keys) << scanned;
    EXPECT_TRUE(reads(scanned)[0].filter) << scanned;
  }
}

TEST(PartiqlReads, BranchesAreReadInTheOrderOfTheirKeys) {
  const auto all = reads("pk IN ['b', 'a'] AND sk IN [2, 1]");
  ASSERT_EQ(all.size(), 4U);
  std::string order;
  for (const auto& read : all) {
    const auto& children = read.keys->root().children;
    order += children[0].operands[1].value->as_string() + children[1].operands[1].value->as_number().to_string() + " ";
  }
  EXPECT_EQ(order, "a1 a2 b1 b2 ");
}

TEST(PartiqlReads, OneConditionOfTheSortKeyNarrowsTheRange) {
  const auto range = reads("pk = 'a' AND sk > 1 AND sk <= 5");
  ASSERT_EQ(range.size(), 1U);
  const auto& sort = range[0].keys->root().children[1];
  EXPECT_EQ(sort.op, expr::ConditionOp::kBetween);
  EXPECT_EQ(*sort.operands[1].value, number(1));
  EXPECT_EQ(*sort.operands[2].value, number(5));
  EXPECT_EQ(range[0].filter->root().children.size(), 2U);
  EXPECT_EQ(reads("pk = 'a' AND sk = 1 AND sk > 0")[0].keys->root().children[1].op, expr::ConditionOp::kEqual);
}

TEST(PartiqlReads, OverlapsAndTypes) {
  EXPECT_EQ(refusal("pk = 'a' OR pk = 'a'"), Fault::kPartiqlOverlap);
  EXPECT_EQ(refusal("pk = 'a' AND (sk BETWEEN 1 AND 5 OR sk = 5)"), Fault::kPartiqlOverlap);
  EXPECT_EQ(reads("pk = 'a' AND (sk BETWEEN 1 AND 5 OR sk > 5 OR sk < 1)").size(), 3U);
  EXPECT_EQ(reads("pk = 'a' AND (sk < 1 OR sk = 1)").size(), 2U);
  EXPECT_EQ(reads("pk = 'a' AND (sk = 1 AND sk = 2 OR sk = 1)").size(), 1U);  // the other would find nothing
  EXPECT_EQ(refusal("pk = 1"), Fault::kPartiqlKeyType);
  EXPECT_EQ(refusal("pk = 'a' AND sk IN [1, 'x']"), Fault::kPartiqlKeyType);
  EXPECT_EQ(refusal("pk = [1]"), Fault::kPartiqlKeyValueType);
}

TEST(PartiqlReads, ManyBranchesCostNoMoreThanTheyAreLong) {
  std::string both = "x = 1";
  for (int i = 0; i < 12; ++i)
    both = "(" + both + ") AND (sk = " + std::to_string(i) + " OR x = " + std::to_string(i) + ")";
  EXPECT_FALSE(reads(both)[0].keys);
  EXPECT_EQ(refusal("pk = 'a' AND " + both), Fault::kPartiqlTooManyReads);
}

TEST(PartiqlReads, ALongConditionIsTakenApartInNoTime) {
  std::string where = "pk = 'a' AND sk IN [0, 1, 2, 3, 4, 5, 6] AND sk IN [0, 1, 2, 3, 4, 5, 6]";
  while (where.size() < 8100) where += " AND x=1";
  const std::clock_t start = std::clock();
  EXPECT_EQ(refusal(where + " AND sk IN [0, 1]"), Fault::kPartiqlTooManyReads);
  EXPECT_EQ(reads(where).size(), 7U);
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 5);  // of CPU; it takes 0.03, with a sanitizer 0.6
}

TEST(PartiqlReads, OfOneItem) {
  const auto key = [](std::string_view where) {
    auto found = key_of_read(statement("SELECT * FROM music WHERE " + std::string(where)), music());
    return found.ok() && *found;
  };
  EXPECT_TRUE(key("pk = 'a' AND sk = 1"));
  EXPECT_TRUE(key("(sk IN [1]) AND pk = 'a' AND pk = 'a'"));
  for (const char* other : {"pk = 'a'", "pk = 'a' AND sk > 1", "pk = 'a' AND sk = 1 AND x = 1",
                            "pk = 'a' AND sk = 1 AND sk = 2", "pk = 'a' AND sk IN [1, 2]", "x = 1"}) {
    EXPECT_FALSE(key(other)) << other;
  }
}

TEST(PartiqlWrites, TheKeyLeavesTheConditionBehind) {
  const auto write = [](std::string_view said) { return write_of(statement(said), music()); };
  auto update = write("UPDATE music SET x = 1 WHERE pk = 'a' AND (sk = 1 AND y = 2)");
  ASSERT_TRUE(update.ok());
  EXPECT_EQ(*update->key.find("sk"), number(1));
  model::Item item;
  EXPECT_FALSE(expr::evaluate(*update->condition, item));
  item = update->key;
  EXPECT_FALSE(expr::evaluate(*update->condition, item));
  item.set("y", number(2));
  EXPECT_TRUE(expr::evaluate(*update->condition, item));
  auto bare = write("UPDATE music SET x = 1 WHERE pk = 'a' AND sk = 1");
  ASSERT_TRUE(bare.ok());
  EXPECT_FALSE(expr::evaluate(*bare->condition, model::Item()));
  EXPECT_TRUE(expr::evaluate(*bare->condition, bare->key));
  auto removal = write("DELETE FROM music WHERE pk = 'a' AND sk = 1 AND y = 3");
  ASSERT_TRUE(removal.ok());
  EXPECT_FALSE(expr::evaluate(*removal->condition, item));
  EXPECT_TRUE(expr::evaluate(*removal->condition, model::Item()));
  EXPECT_FALSE(write("DELETE FROM music WHERE pk = 'a' AND sk = 1")->condition);
  EXPECT_EQ(model::fault_of(write("DELETE FROM music WHERE pk = 'a'").error()), Fault::kPartiqlKeyIncomplete);
  EXPECT_EQ(model::fault_of(write("DELETE FROM music WHERE pk = 'a' AND sk = 1 AND sk = 2").error()),
            Fault::kPartiqlKeyTwice);
}

TEST(PartiqlStatement, WhatIsWrongIsKeptUntilTheTableIsKnown) {
  auto counted = Statement::parse("SELECT COUNT(*) FROM music", {});
  ASSERT_TRUE(counted.ok());
  ASSERT_TRUE(counted->late);
  EXPECT_EQ(model::fault_of(*counted->late), Fault::kPartiqlPathComponent);
  EXPECT_FALSE(check_table(*counted, music()).ok());
}

// The same condition as a WHERE clause and as a ConditionExpression, of which only the marks of the values differ.
class SameCondition {
 public:
  explicit SameCondition(uint32_t seed) : random_(seed) {}

  size_t below(size_t limit) { return random_() % limit; }

  AttributeValue value() {
    switch (below(6)) {
      case 0:
        return text(std::string(1 + below(2), 'p'));
      case 1:
        return AttributeValue::string_set({"p", "q"});
      case 2:
        return AttributeValue::boolean(below(2) == 0);
      default:
        return number(static_cast<int64_t>(below(4)));
    }
  }

  model::Item item() {
    model::Item made;
    for (const char* name : {"a", "b", "m"}) {
      if (below(4) > 0) made.set(name, value());
    }
    if (below(2) == 0) {
      model::AttributeMap map;
      map.set("c", value());
      made.set("m", AttributeValue::map(std::move(map)));
    }
    return made;
  }

  void mark() {
    both(" ");
    statement += "?";
    native += ":v" + std::to_string(values.size());
    values.push_back(value());
  }

  void both(std::string_view said) {
    statement += said;
    native += said;
  }

  void path() {
    static constexpr std::string_view kPaths[] = {"a", "b", "m.c", "m"};
    both(kPaths[below(4)]);
  }

  void leaf() {
    static constexpr std::string_view kSigns[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    switch (below(6)) {
      case 0:
        both("begins_with(");
        path();
        both(",");
        mark();
        return both(")");
      case 1:
        both("contains(");
        path();
        both(",");
        mark();
        return both(")");
      case 2:
        path();
        both(" IN (");
        mark();
        both(",");
        mark();
        return both(")");
      case 3:
        both("size(");
        path();
        both(")");
        both(kSigns[below(6)]);
        return mark();
      default:
        path();
        both(kSigns[below(6)]);
        return mark();
    }
  }

  void tree(size_t depth) {
    const size_t kind = below(4);
    if (depth == 0 || kind == 0) return leaf();
    if (kind == 1) {
      both("NOT ");
      return leaf();
    }
    const std::string_view word = kind == 2 ? " AND " : " OR ";
    leaf();
    both(word);
    tree(depth - 1);
  }

  std::string statement;
  std::string native;
  std::vector<AttributeValue> values;

 private:
  std::mt19937 random_;
};

TEST(PartiqlConditions, MeanWhatConditionExpressionsMean) {
  size_t compared = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    SameCondition same(seed);
    same.tree(3);
    Parameters parameters;
    model::AttributeMap map;
    for (size_t i = 0; i < same.values.size(); ++i) {
      parameters.push_back(std::make_shared<const AttributeValue>(same.values[i]));
      map.set(":v" + std::to_string(i), same.values[i]);
    }
    const auto where = Statement::parse("SELECT * FROM music WHERE " + same.statement, parameters);
    ASSERT_TRUE(where.ok()) << same.statement;
    auto given = expr::Placeholders::make(std::nullopt, std::move(map));
    ASSERT_TRUE(given.ok());
    const auto native = expr::parse_condition(same.native, expr::ExpressionKind::kFilter, *given);
    ASSERT_EQ(native.ok(), !where->late) << same.statement;
    if (!native.ok()) continue;
    const expr::Condition condition(*where->where);
    for (int i = 0; i < 8; ++i) {
      const model::Item item = same.item();
      EXPECT_EQ(expr::evaluate(condition, item), expr::evaluate(*native, item)) << same.statement;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000U);
}

}  // namespace
}  // namespace partita::partiql
