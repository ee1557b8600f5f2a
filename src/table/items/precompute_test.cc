#include "table/items/precompute.h"

#include <thread>
#include <vector>

#include "base/executor.h"
#include "model/fault_detail.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;

constexpr int64_t kItems = 10;

// Holds back what gives way until the test lets it go on.
class HeldExecutor final : public Executor {
 public:
  HeldExecutor() { set_current(this); }
  ~HeldExecutor() override { set_current(nullptr); }
  void resume(std::coroutine_handle<> handle) override { held_ = handle; }
  bool holds() const { return held_ != nullptr; }
  void let_go() { std::exchange(held_, nullptr).resume(); }

 private:
  std::coroutine_handle<> held_;
};

class PrecomputeTest : public TableTest {
 protected:
  PrecomputeTest() { create(plain_table()); }

  Item key(int64_t number) { return item({{"pk", s("p")}, {"sk", n(number)}}); }
  Item large(int64_t number) {
    Item made = key(number);
    made.set("f", s(std::string(390'000, 'a')));
    return made;
  }
  void fill() {
    for (int64_t i = 0; i < kItems; ++i) put("T", large(i));
  }
  void spoil(int64_t number, int64_t times) {
    Item spoiled = large(number);
    spoiled.set("bad", n(times));
    put("T", spoiled);
  }

  // Checks of all items that together take too long to be done in one piece.
  api::TransactWriteRequest checks() {
    std::string condition = "attribute_not_exists(bad)";
    for (int i = 0; i < 20; ++i) condition += " AND NOT contains(f, needle)";
    api::TransactWriteRequest request;
    for (int64_t i = 0; i < kItems; ++i) {
      request.parts.push_back({"T", {}});
      api::WriteAction& action = request.parts.back().action;
      action.kind = Kind::kCheck;
      action.key = key(i);
      expr::Placeholders none;
      action.condition = expr::parse_condition(condition, expr::ExpressionKind::kCondition, none).value();
    }
    request.parts.push_back({"T", {}});
    request.parts.back().action.item = model::encode_item(key(kItems));
    return request;
  }
  api::BatchWriteRequest batch(int64_t puts) {
    api::BatchWriteRequest request;
    request.parts.push_back({"T", {}});
    for (int64_t i = 0; i < puts; ++i) {
      request.parts[0].actions.emplace_back();
      request.parts[0].actions.back().item = model::encode_item(large(i));
    }
    return request;
  }
  template <class Request>
  auto bound(const Request& request) {
    std::vector<Result<Table>> tables;
    for (const auto& part : request.parts) tables.push_back(db().ready_table(part.table));
    return bind(request, std::move(tables)).value();
  }
  std::vector<std::optional<ErrorKind>> reasons(const Result<api::WritesReply>& cancelled) {
    std::vector<std::optional<ErrorKind>> kinds;
    EXPECT_FALSE(cancelled.ok());
    if (cancelled.ok()) return kinds;
    const auto* detail = dynamic_cast<const model::TransactionCancelledDetail*>(cancelled.error().detail().get());
    EXPECT_NE(detail, nullptr);
    if (detail == nullptr) return kinds;
    for (const auto& reason : detail->reasons) {
      kinds.push_back(reason.error ? std::optional(reason.error->kind()) : std::nullopt);
    }
    return kinds;
  }
};

TEST_F(PrecomputeTest, ALongTransactionGivesWayBetweenItsItems) {
  fill();
  const auto request = checks();
  const auto plan = bound(request);
  std::optional<Result<api::WritesReply>> outcome;
  int pieces = 0;
  {
    HeldExecutor executor;
    start(run(db(), plan), [&](Result<api::WritesReply>&& done) { outcome.emplace(std::move(done)); });
    for (; executor.holds(); ++pieces) executor.let_go();
  }
  EXPECT_GT(pieces, kItems);
  ASSERT_TRUE(outcome && outcome->ok());
  EXPECT_EQ(rows("T").size(), kItems + 1u);
  expect_consistent("T");
}

TEST_F(PrecomputeTest, ALongTransactionSeesWhatChangedWhileItWasWorkedOut) {
  fill();
  int reads = 0;
  engine_.after_read = [&, here = std::this_thread::get_id()] {
    if (std::this_thread::get_id() == here && ++reads == kItems) spoil(1, 1);
  };
  std::vector<std::optional<ErrorKind>> expected(kItems + 1);
  expected[1] = ErrorKind::kInvalid;
  EXPECT_EQ(reasons(carry_out(db(), checks())), expected);
  engine_.after_read = nullptr;
  EXPECT_EQ(rows("T").size(), size_t{kItems});
}

TEST_F(PrecomputeTest, ALongTransactionThatAlwaysLosesIsAConflict) {
  fill();
  int64_t reads = 0;
  engine_.after_read = [&, here = std::this_thread::get_id()] {
    if (std::this_thread::get_id() != here) return;  // jobs read too, now and then
    ++reads;
    for (int64_t i = 0; reads % (kItems + 1) == 0 && i < kItems; ++i) {
      Item changed = large(i);
      changed.set("v", n(reads));
      put("T", changed);
    }
  };
  const auto lost = reasons(carry_out(db(), checks()));
  engine_.after_read = nullptr;
  EXPECT_EQ(lost, std::vector<std::optional<ErrorKind>>(kItems + 1, ErrorKind::kConflict));
}

TEST_F(PrecomputeTest, WhatATransactionMayWriteIsBounded) {
  for (const char* name : {"A", "B", "C", "D"}) {
    update(add_index("T", index_request(name, {hash("pk"), range("sk")}),
                     {{"pk", model::Type::kS}, {"sk", model::Type::kN}}));
    wait_for_jobs();
  }
  constexpr int64_t kUpdates = 70;
  api::TransactWriteRequest request;
  for (int64_t i = 0; i < kUpdates; ++i) {
    put("T", large(i));
    request.parts.push_back({"T", {}});
    api::WriteAction& action = request.parts.back().action;
    action.kind = Kind::kUpdate;
    action.key = key(i);
    expr::Placeholders none;
    action.update = expr::parse_update("SET v = sk", none).value();
  }
  const auto refused = carry_out(db(), request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kTransactionItemsTooLarge);
  request.parts.resize(60);
  EXPECT_TRUE(carry_out(db(), request).ok());
  expect_consistent("T");
}

TEST_F(PrecomputeTest, ALargeBatchIsWrittenInPieces) {
  wait_for_jobs();
  engine_.writes_left = 1;
  const auto failed = carry_out(db(), batch(25));
  engine_.writes_left = INT64_MAX;
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kUnavailable);
  const size_t first = rows("T").size();
  EXPECT_GT(first, 15u);
  EXPECT_LT(first, 25u);
  EXPECT_EQ(carry_out(db(), batch(25)).value().written.size(), 25u);
  EXPECT_EQ(rows("T").size(), 25u);
  expect_consistent("T");
}

TEST_F(PrecomputeTest, AChangedTableEndsALargeBatchBetweenItsPieces) {
  const auto request = batch(25);
  const auto plan = bound(request);
  std::optional<Result<api::WritesReply>> outcome;
  {
    HeldExecutor executor;
    start(run(db(), plan), [&](Result<api::WritesReply>&& done) { outcome.emplace(std::move(done)); });
    ASSERT_TRUE(executor.holds());
    Executor::set_current(nullptr);
    update(add_index("T", index_request("A", {hash("pk")}), {{"pk", model::Type::kS}}));
    wait_for_jobs();
    Executor::set_current(&executor);
    executor.let_go();
    ASSERT_FALSE(executor.holds());
  }
  ASSERT_TRUE(outcome && outcome->ok());
  const size_t written = (*outcome)->written.size();
  EXPECT_GT(written, 15u);
  EXPECT_LT(written, 25u);
  EXPECT_EQ(rows("T").size(), written);
  EXPECT_EQ(rows("T", "A").size(), written);
  expect_consistent("T");
}

}  // namespace
}  // namespace partita::table
