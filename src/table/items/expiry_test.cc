#include "table/items/expiry.h"

#include <chrono>
#include <thread>

#include "expr/update.h"
#include "storage/ranges.h"
#include "table/control/ttl.h"
#include "table/open/table_testing.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;
using model::Type;

class ExpiryTest : public TableTest {
 protected:
  ExpiryTest() { create(plain_table()); }

  int64_t now_s() const { return clock_.now_ms() / 1000; }
  Item row(int64_t number, AttributeValue expires) {
    return item({{"pk", s("p" + std::to_string(number % 3))}, {"sk", n(number)}, {"expires", std::move(expires)}});
  }
  Item key(int64_t number) { return item({{"pk", s("p" + std::to_string(number % 3))}, {"sk", n(number)}}); }
  Result<void> switch_ttl(bool on, const std::string& attribute = "expires") {
    return wait_for(update_ttl(db(), {"T", on, attribute}));
  }
  // The pause after a change is over.
  void pass_pause() { clock_.advance_ms(kTtlPauseMs); }

  // The expiry rows of all tables and runs.
  size_t expiry_rows_stored() {
    auto page =
        wait_for(engine_.scan(system_rows(SystemRow::kExpiry), storage::Direction::kAscending, 10'000, 1 << 24));
    return page.ok() ? page->size() : SIZE_MAX;
  }
  // Waits until so many items are left and nothing is to do.
  void expect_left(size_t items, const std::string& table = "T") {
    using namespace std::chrono_literals;
    for (int i = 0; i < 1000 && rows(table).size() != items; ++i) std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(25ms);  // several looks at what is due
    wait_for_jobs();
    EXPECT_EQ(rows(table).size(), items);
    expect_consistent(table);
  }
};

TEST_F(ExpiryTest, AMomentIsANumberOfSeconds) {
  const TimeToLive ttl{"at", 1};
  const auto at = [&](AttributeValue value) { return expiry_of(ttl, item({{"at", std::move(value)}})); };
  const auto number = [](const char* text) { return AttributeValue::number(model::Number::parse(text).value()); };
  EXPECT_EQ(at(n(1'700'000'000)), 1'700'000'000);
  EXPECT_EQ(at(number("1700000000.9")), 1'700'000'000);
  EXPECT_EQ(at(n(0)), 0);
  EXPECT_EQ(at(number("0.5")), 0);
  for (const char* other : {"-1", "-0.5", "1e16", "9e125"}) EXPECT_EQ(at(number(other)), std::nullopt) << other;
  EXPECT_EQ(at(s("1700000000")), std::nullopt);
  EXPECT_EQ(expiry_of(ttl, item({{"other", n(1)}})), std::nullopt);
}

TEST_F(ExpiryTest, ItemsGoWhenTheirMomentHasPassed) {
  ASSERT_TRUE(switch_ttl(true).ok());
  for (int64_t i = 0; i < 60; ++i) put("T", row(i, n(now_s() + i)));
  EXPECT_EQ(expiry_rows_stored(), 60);
  clock_.advance_ms(1);  // the first expires at the second, not before it
  expect_left(59);
  clock_.advance_ms(29'999);
  expect_left(30);
  clock_.advance_ms(1);
  expect_left(29);
  clock_.advance_ms(3'600'000);
  expect_left(0);
  EXPECT_EQ(expiry_rows_stored(), 0);
}

TEST_F(ExpiryTest, WhatIsNoMomentOrTooOldStays) {
  ASSERT_TRUE(switch_ttl(true).ok());
  const AttributeValue moments[] = {s("1"),
                                    n(-1),
                                    n(0),
                                    n(now_s() - kOldestExpirySeconds - 1),
                                    n(clock_.now_ms()),
                                    b("1"),
                                    AttributeValue::list({n(1)})};
  int64_t number = 0;
  for (const auto& moment : moments) put("T", row(number++, moment));
  put("T", key(number++));
  put("T", row(number, n(now_s() - kOldestExpirySeconds + 10)));
  clock_.advance_ms(2'000);
  expect_left(8);
}

TEST_F(ExpiryTest, RowsFollowTheirItems) {
  ASSERT_TRUE(switch_ttl(true).ok());
  put("T", row(1, n(now_s() + 10)));
  put("T", row(1, n(now_s() + 100)));
  put("T", row(2, n(now_s() + 10)));
  put("T", key(2));
  put("T", row(3, n(now_s() + 10)));
  ASSERT_TRUE(write(Kind::kDelete, "T", key(3)).ok());
  put("T", row(4, n(now_s() + 10)));
  api::WriteAction later;
  later.kind = Kind::kUpdate;
  later.key = key(4);
  auto given = expr::Placeholders::make(std::nullopt, item({{":t", n(now_s() + 100)}})).value();
  later.update = expr::parse_update("SET expires = :t", given).value();
  ASSERT_TRUE(write("T", later).ok());
  EXPECT_EQ(expiry_rows_stored(), 2);
  clock_.advance_ms(20'000);
  expect_left(3);
  clock_.advance_ms(100'000);
  expect_left(1);
}

TEST_F(ExpiryTest, IndexesAndCountsFollow) {
  update(add_index("T", index_request("by-g", {hash("g")}), {{"g", Type::kS}}));
  wait_for_jobs();
  ASSERT_TRUE(switch_ttl(true).ok());
  for (int64_t i = 0; i < 100; ++i) {
    Item one = row(i, n(now_s() + (i % 2 == 0 ? 10 : 1'000)));
    one.set("g", s("g" + std::to_string(i % 5)));
    put("T", std::move(one));
  }
  clock_.advance_ms(11'000);
  expect_left(50);
  EXPECT_EQ(rows("T", "by-g").size(), 50);
}

TEST_F(ExpiryTest, ItemsFromBeforeExpireToo) {
  for (int64_t i = 0; i < 250; ++i) put("T", i % 2 == 0 ? row(i, n(now_s() + 10)) : key(i));
  EXPECT_EQ(expiry_rows_stored(), 0);
  ASSERT_TRUE(switch_ttl(true).ok());
  wait_for_jobs();
  EXPECT_EQ(expiry_rows_stored(), 125);
  clock_.advance_ms(11'000);
  expect_left(125);
}

TEST_F(ExpiryTest, SwitchedOffNothingExpires) {
  ASSERT_TRUE(switch_ttl(true).ok());
  put("T", row(1, n(now_s() + 10'000)));
  put("T", item({{"pk", s("p")}, {"sk", n(9)}, {"other", n(now_s() + 20'000)}}));
  pass_pause();
  ASSERT_TRUE(switch_ttl(false).ok());
  wait_for_jobs();
  EXPECT_EQ(expiry_rows_stored(), 0);
  EXPECT_TRUE(find("T")->features.empty());
  clock_.advance_ms(11'000'000);
  expect_left(2);
  ASSERT_TRUE(switch_ttl(true, "other").ok());
  wait_for_jobs();
  clock_.advance_ms(20'000'000);
  expect_left(1);
}

TEST_F(ExpiryTest, WhatIsSwitchedOffAndOnAgainKeepsItsRows) {
  ASSERT_TRUE(switch_ttl(true).ok());
  put("T", row(1, n(now_s() + 100'000)));
  for (int i = 0; i < 5; ++i) {
    pass_pause();
    ASSERT_TRUE(switch_ttl(false).ok());
    pass_pause();
    ASSERT_TRUE(switch_ttl(true).ok());
    put("T", row(2 + i, n(now_s() + 100'000)));
  }
  wait_for_jobs();
  EXPECT_EQ(expiry_rows_stored(), 6);
  clock_.advance_ms(200'000'000);
  expect_left(0);
}

TEST_F(ExpiryTest, RulesOfChanges) {
  const auto fault = [](const Result<void>& done) { return model::fault_of(done.error()); };
  EXPECT_EQ(fault(switch_ttl(false)), Fault::kTtlOffAlready);
  ASSERT_TRUE(switch_ttl(true).ok());
  EXPECT_EQ(find("T")->features, std::vector<std::string>{kTtlFeature});
  EXPECT_EQ(fault(switch_ttl(true)), Fault::kTtlOnAlready);
  EXPECT_EQ(fault(switch_ttl(true, "other")), Fault::kTtlOfAnotherAttribute);
  EXPECT_EQ(fault(switch_ttl(false, "other")), Fault::kTtlOfAnotherAttribute);
  EXPECT_EQ(fault(switch_ttl(false)), Fault::kTtlChangedJustNow);
  clock_.advance_ms(kTtlPauseMs - 1);
  EXPECT_EQ(fault(switch_ttl(false)), Fault::kTtlChangedJustNow);
  clock_.advance_ms(1);
  ASSERT_TRUE(switch_ttl(false).ok());
  EXPECT_EQ(fault(switch_ttl(false)), Fault::kTtlOffAlready);
  EXPECT_EQ(fault(switch_ttl(true)), Fault::kTtlChangedJustNow);
}

TEST_F(ExpiryTest, AWriteThatComesFirstKeepsTheItem) {
  ASSERT_TRUE(switch_ttl(true).ok());
  put("T", row(1, n(now_s() + 10)));
  // Between the look at what is due and the deletion the item is given more time.
  std::atomic<bool> prolonged{false};
  close();
  engine_.after_scan = [&](const storage::Range& range, size_t) {
    const std::string expiry = system_key(SystemRow::kExpiry).bytes;
    if (!range.begin.starts_with(expiry) || now_s() <= 1'700'000'010 || prolonged.exchange(true)) return;
    std::thread([&] { put("T", row(1, n(now_s() + 1'000))); }).join();
  };
  open();
  clock_.advance_ms(20'000);
  for (int i = 0; i < 1000 && !prolonged; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(prolonged);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  expect_left(1);
  close();
  engine_.after_scan = nullptr;
  open();
}

TEST_F(ExpiryTest, ATableTakesItsExpiryRowsAlong) {
  ASSERT_TRUE(switch_ttl(true).ok());
  put("T", row(1, n(now_s() + 1'000)));
  create(plain_table("U"));
  ASSERT_TRUE(wait_for(update_ttl(db(), {"U", true, "expires"})).ok());
  put("U", row(1, n(now_s() + 1'000)));
  EXPECT_EQ(expiry_rows_stored(), 2);
  ASSERT_TRUE(wait_for(delete_table(db(), "T")).ok());
  wait_for_jobs();
  EXPECT_EQ(expiry_rows_stored(), 1);
}

TEST_F(ExpiryTest, TwoServersDeleteEachItemOnce) {
  ASSERT_TRUE(switch_ttl(true).ok());
  FaultyEngine way(static_cast<storage::Engine&>(engine_));
  auto other = Database::open(way, clock_, random_, options_);
  ASSERT_TRUE(other.ok());
  for (int64_t i = 0; i < 400; ++i) put("T", row(i, n(now_s() + i % 20)));
  for (int second = 0; second < 20; ++second) {
    clock_.advance_ms(1'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  expect_left(0);
  EXPECT_EQ(expiry_rows_stored(), 0);
}

TEST_F(ExpiryTest, KillsLoseAndRepeatNothing) {
  ASSERT_TRUE(switch_ttl(true).ok());
  for (int64_t i = 0; i < 300; ++i) put("T", row(i, n(now_s() + 10 + i % 20)));
  SeededRandom random(7);
  for (int kills = 0; kills < 20; ++kills) {
    engine_.writes_left = static_cast<int64_t>(random.below(12));
    clock_.advance_ms(1'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    crash();
    engine_.writes_left = INT64_MAX;
    open();
  }
  clock_.advance_ms(60'000);
  expect_left(0);
  EXPECT_EQ(expiry_rows_stored(), 0);
}

TEST_F(ExpiryTest, ADamagedRowStopsNoOtherJob) {
  ASSERT_TRUE(switch_ttl(true).ok());
  put("T", row(1, n(now_s() + 10)));
  const auto page = wait_for(engine_.scan(system_rows(SystemRow::kExpiry), storage::Direction::kAscending, 1, 1));
  ASSERT_TRUE(page.ok());
  const std::string damaged((*page)[0].key);
  store({damaged, static_cast<uint32_t>(damaged.size())}, "?");
  clock_.advance_ms(20'000);
  put("T", row(2, n(now_s() + 1'000)));
  update(add_index("T", index_request("by-g", {hash("g")}), {{"g", Type::kS}}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (find("T")->find_index("by-g")->status != Status::kActive) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the index is not filled";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace
}  // namespace partita::table
