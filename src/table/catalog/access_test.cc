#include "table/catalog/access.h"

#include "table/items/query.h"
#include "table/items/read.h"
#include "table/items/transact.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

// Keeps what the checker is shown, as long as the plan lives.
class Watcher final : public AccessChecker {
 public:
  Result<void> admit(const Access& access) override {
    seen.push_back(access);
    if (refuses) return model::refuse(Fault::kResourceNotFound);
    return {};
  }
  void charge(const Access& access, const api::ConsumedCapacity& consumed) override {
    static_cast<void>(access);
    costs.push_back(consumed.total());
  }

  std::vector<Access> seen;
  std::vector<api::Capacity> costs;
  bool refuses = false;
};

class AccessTest : public TableTest {
 protected:
  AccessTest() {
    api::CreateTableRequest request = plain_table();
    request.definitions.push_back({"g", Type::kS});
    request.global_indexes = {{index_request("by-g", {hash("g")})}};
    create(request);
  }
  using Type = model::Type;
  using Names = std::vector<std::string>;

  static expr::Placeholders given() {
    return expr::Placeholders::make(std::nullopt, item({{":a", s("a")}, {":b", n(1)}})).value();
  }
  static std::vector<AttributeValue> values(const Access& access) {
    std::vector<AttributeValue> found;
    for (const AttributeValue* value : access.leading_keys()) found.push_back(*value);
    return found;
  }

  Watcher checker_;
};

TEST_F(AccessTest, OfAnUpdate) {
  api::WriteRequest request;
  request.action.kind = api::WriteAction::Kind::kUpdate;
  request.action.key = item({{"pk", s("p")}, {"sk", n(1)}});
  auto placeholders = given();
  request.action.update = expr::parse_update("SET x.y = if_not_exists(z, :b) + w REMOVE v", placeholders).value();
  request.action.condition = expr::parse_condition("u = :a", expr::ExpressionKind::kCondition, placeholders).value();
  request.returned = api::ReturnValues::kAllNew;
  auto plan = table::bind(request, find("T"));
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(admit(*plan, checker_).ok());
  ASSERT_EQ(checker_.seen.size(), 1u);
  const Access& access = checker_.seen[0];
  EXPECT_EQ(access.verb, Verb::kUpdate);
  EXPECT_EQ(access.name, "T");
  EXPECT_EQ(access.index, nullptr);
  EXPECT_EQ(values(access), std::vector<AttributeValue>{s("p")});
  EXPECT_EQ(access.attributes(), (Names{"pk", "sk", "u", "v", "w", "x", "z"}));
  EXPECT_EQ(access.returned, api::ReturnValues::kAllNew);
}

TEST_F(AccessTest, OfAQueryOfAnIndexAndOfAScan) {
  auto placeholders = given();
  api::RangeRequest request;
  request.index = "by-g";
  request.keys = expr::parse_key_condition("g = :a", placeholders).value();
  request.filter = expr::parse_condition("f > :b", expr::ExpressionKind::kFilter, placeholders).value();
  request.projection = expr::parse_projection("p1, p2.q", placeholders).value();
  request.select = api::Select::kSpecific;
  auto plan = table::bind(request, find("T"));
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(admit(*plan, checker_).ok());
  const Access& access = checker_.seen.back();
  EXPECT_EQ(access.verb, Verb::kQuery);
  ASSERT_NE(access.index, nullptr);
  EXPECT_EQ(access.index->name, "by-g");
  EXPECT_EQ(values(access), std::vector<AttributeValue>{s("a")});
  EXPECT_EQ(access.attributes(), (Names{"f", "g", "p1", "p2"}));
  EXPECT_EQ(access.select, api::Select::kSpecific);

  const api::RangeRequest all;
  const auto scan = table::bind(all, find("T"));
  ASSERT_TRUE(admit(*scan, checker_).ok());
  EXPECT_EQ(checker_.seen.back().verb, Verb::kScan);
  EXPECT_TRUE(checker_.seen.back().leading_keys().empty());
}

TEST_F(AccessTest, OfEachPartOfATransactionUntilOneIsRefused) {
  api::TransactWriteRequest request;
  for (const auto kind :
       {api::WriteAction::Kind::kPut, api::WriteAction::Kind::kCheck, api::WriteAction::Kind::kDelete}) {
    api::TransactWriteRequest::Part part;
    part.action = action_of(kind, item({{"pk", s("p")}, {"sk", n(static_cast<int64_t>(kind))}}));
    request.parts.push_back(part);
  }
  auto plan = table::bind(request, std::vector<Result<Table>>(3, find("T")));
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(admit(*plan, checker_).ok());
  ASSERT_EQ(checker_.seen.size(), 3u);
  EXPECT_EQ(checker_.seen[0].verb, Verb::kPut);
  EXPECT_EQ(checker_.seen[1].verb, Verb::kCheck);
  EXPECT_EQ(checker_.seen[2].verb, Verb::kDelete);
  const auto outcome = wait_for(run(db(), *plan));
  ASSERT_TRUE(outcome.ok());
  charge(*plan, *outcome, checker_);
  ASSERT_EQ(checker_.costs.size(), 3u);
  for (const api::Capacity& cost : checker_.costs) EXPECT_EQ(cost.write, 4);

  checker_.refuses = true;
  EXPECT_EQ(model::fault_of(admit(*plan, checker_).error()), Fault::kResourceNotFound);
  EXPECT_EQ(checker_.seen.size(), 4u);
}

TEST_F(AccessTest, AnIndexIsReadOnlyWhileItIsActive) {
  api::RangeRequest request;
  request.index = "by-g";
  const auto fault_at = [&](Status status) {
    TableInfo table = *find("T");
    table.find_index("by-g")->status = status;
    auto plan = table::bind(request, std::make_shared<const TableInfo>(std::move(table)));
    return plan.ok() ? std::nullopt : std::optional(model::fault_of(plan.error()));
  };
  EXPECT_EQ(fault_at(Status::kActive), std::nullopt);
  EXPECT_EQ(fault_at(Status::kCreating), Fault::kIndexBackfilling);
  EXPECT_EQ(fault_at(Status::kDeleting), Fault::kIndexNotFound);
}

// A plan is made anew from the same request, as when the table's description changed meanwhile.
TEST_F(AccessTest, ARequestCanBeBoundAgain) {
  api::WriteRequest request;
  request.action.item = model::encode_item(item({{"pk", s("p")}, {"sk", n(1)}, {"g", s("x")}}));
  ASSERT_TRUE(table::bind(request, find("T")).ok());
  update(drop_index("T", "by-g"));
  wait_for_jobs();
  auto plan = table::bind(request, find("T"));
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(admit(*plan, checker_).ok());
  EXPECT_EQ(checker_.seen.back().attributes(), (Names{"g", "pk", "sk"}));
  const auto outcome = wait_for(run(db(), *plan));
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->written.consumed.total().write, 2);
  EXPECT_EQ(rows("T").size(), 1u);
}

}  // namespace
}  // namespace partita::table
