#include "ops/table_meters.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ops/footprint.h"
#include "ops/operation.h"
#include "table/rows/schema.h"

namespace partita::ops {
namespace {

table::TableInfo described(const std::string& name) {
  table::TableInfo table;
  table.name = name;
  return table;
}

const Operation& operation(std::string_view name) { return *find_operation(name); }

std::string report(TableMeters& meters) {
  Exposition out;
  meters.report(out);
  return std::move(out).take();
}

// As of one request.
void count(TableMeters& meters, std::string_view space, const table::TableInfo& table, std::string_view name) {
  RequestFootprint footprint;
  meters.touch(space, table, operation(name), footprint);
  footprint.took(20'000);
}

bool says(const std::string& page, const std::string& labels, int times) {
  return page.find("partita_table_request_seconds_count{" + labels + "} " + std::to_string(times) + "\n") !=
         std::string::npos;
}

api::ConsumedCapacity units(model::HalfUnits read, model::HalfUnits write) {
  api::ConsumedCapacity consumed;
  consumed.base = {read, write};
  return consumed;
}

// As of one request that was throttled.
void throttle(TableMeters& meters, std::string_view space, const table::TableInfo& table) {
  RequestFootprint footprint;
  meters.touch(space, table, operation("PutItem"), footprint);
  footprint.took(20'000, table::Failure::kThrottled);
}

bool costs(const std::string& page, const std::string& labels, const char* read, const char* write, int throttled) {
  const auto has = [&](const std::string& sample) { return page.find(sample + "\n") != std::string::npos; };
  return has("partita_consumed_capacity_units_total{" + labels + R"(,kind="read"} )" + read) &&
         has("partita_consumed_capacity_units_total{" + labels + R"(,kind="write"} )" + write) &&
         has("partita_table_throttled_total{" + labels + "} " + std::to_string(throttled));
}

TEST(TableMetersTest, OperationsTablesAndNamespacesAreToldApart) {
  TableMeters meters;
  const table::TableInfo one = described("one");
  const table::TableInfo other = described("other");
  const table::TableInfo of_space = described("one");
  for (int i = 0; i < 3; ++i) count(meters, "", one, "GetItem");
  count(meters, "", one, "PutItem");
  count(meters, "", other, "GetItem");
  count(meters, "ann", of_space, "GetItem");
  const std::string page = report(meters);
  EXPECT_TRUE(says(page, R"(table="one",operation="GetItem")", 3)) << page;
  EXPECT_TRUE(says(page, R"(table="one",operation="PutItem")", 1)) << page;
  EXPECT_TRUE(says(page, R"(table="other",operation="GetItem")", 1)) << page;
  EXPECT_TRUE(says(page, R"(namespace="ann",table="one",operation="GetItem")", 1)) << page;
  EXPECT_NE(page.find(R"(table="one",operation="GetItem",le="1.6384e-05"} 0)"), std::string::npos) << page;
  EXPECT_NE(page.find(R"(table="one",operation="GetItem",le="6.5536e-05"} 3)"), std::string::npos) << page;
}

TEST(TableMetersTest, OperationsOnItemsAlone) {
  TableMeters meters;
  const table::TableInfo table = described("one");
  size_t counted = 0;
  for (const Operation& one : operations()) {
    RequestFootprint footprint;
    meters.touch("", table, one, footprint);
    footprint.took(20'000);
    const bool control = one.kind == Kind::kControl || one.api != Api::kDynamoDb;
    const std::string labels = R"(table="one",operation=")" + std::string(one.name) + '"';
    EXPECT_NE(says(report(meters), labels, 1), control) << one.name;
    if (!control) ++counted;
  }
  EXPECT_EQ(counted, 14U);
}

TEST(TableMetersTest, ThoseBeyondTheMostAreCountedTogether) {
  TableMeters meters(3);
  std::vector<table::TableInfo> tables;
  for (const char* const name : {"a", "b", "c", "d", "e"}) tables.push_back(described(name));
  for (int i = 0; i < 2; ++i) {
    for (const table::TableInfo& table : tables) count(meters, "", table, "GetItem");
  }
  count(meters, "ann", tables[4], "PutItem");
  const std::string page = report(meters);
  EXPECT_TRUE(says(page, R"(table="c",operation="GetItem")", 2)) << page;
  EXPECT_TRUE(says(page, R"x(table="(other)",operation="GetItem")x", 4)) << page;
  EXPECT_TRUE(says(page, R"x(table="(other)",operation="PutItem")x", 1)) << page;
  EXPECT_EQ(page.find(R"(table="d")"), std::string::npos) << page;
}

TEST(TableMetersTest, ALineGoesWithItsTableAndLeavesItsRoom) {
  TableMeters meters(2);
  auto old = std::make_unique<table::TableInfo>(described("old"));
  const table::TableInfo stays = described("stays");
  count(meters, "", *old, "GetItem");
  count(meters, "", stays, "GetItem");
  RequestFootprint under_way;
  meters.touch("", *old, operation("GetItem"), under_way);
  old.reset();
  under_way.took(1);
  under_way = {};
  const table::TableInfo late = described("late");
  count(meters, "", late, "GetItem");
  const std::string page = report(meters);
  EXPECT_EQ(page.find(R"(table="old")"), std::string::npos) << page;
  EXPECT_TRUE(says(page, R"(table="late",operation="GetItem")", 1)) << page;
  EXPECT_TRUE(says(page, R"(table="stays",operation="GetItem")", 1)) << page;
}

// A page with two samples of the same name and labels is refused by Prometheus.
TEST(TableMetersTest, ATableAndItsFollowerOfThatNameAreOne) {
  TableMeters meters;
  const table::TableInfo before = described("one");
  const table::TableInfo after = described("one");
  count(meters, "", before, "Query");
  count(meters, "", after, "Query");
  EXPECT_TRUE(says(report(meters), R"(table="one",operation="Query")", 2)) << report(meters);
}

TEST(TableMetersTest, ARequestCountsOnceWithEachTable) {
  TableMeters meters;
  const table::TableInfo one = described("one");
  const table::TableInfo other = described("other");
  const table::TableInfo third = described("third");
  RequestFootprint footprint;
  for (int i = 0; i < 3; ++i) {
    for (const auto* const table : {&one, &other, &third}) {
      meters.touch("", *table, operation("BatchWriteItem"), footprint);
    }
  }
  footprint.took(1'000'000);
  for (const char* const name : {"one", "other", "third"}) {
    EXPECT_TRUE(says(report(meters), "table=\"" + std::string(name) + "\",operation=\"BatchWriteItem\"", 1));
  }
}

TEST(TableMetersTest, CostsOfTablesAndNamespacesAreToldApart) {
  TableMeters meters;
  const table::TableInfo one = described("one");
  const table::TableInfo other = described("other");
  const table::TableInfo of_space = described("one");
  for (int i = 0; i < 3; ++i) meters.charge("", one, units(1, 0));
  meters.charge("", other, units(0, 4));
  meters.charge("ann", of_space, units(2, 6));
  throttle(meters, "ann", of_space);
  throttle(meters, "", other);
  throttle(meters, "", other);
  const std::string page = report(meters);
  EXPECT_TRUE(costs(page, R"(table="one")", "1.5", "0", 0)) << page;
  EXPECT_TRUE(costs(page, R"(table="other")", "0", "2", 2)) << page;
  EXPECT_TRUE(costs(page, R"(namespace="ann",table="one")", "1", "3", 1)) << page;
}

TEST(TableMetersTest, TablesBeyondTheMostCostTogether) {
  TableMeters meters(2);
  std::vector<table::TableInfo> tables;
  for (const char* const name : {"a", "b", "c", "d"}) tables.push_back(described(name));
  for (const table::TableInfo& table : tables) meters.charge("", table, units(0, 2));
  RequestFootprint footprint;
  for (const table::TableInfo& table : tables) meters.touch("", table, operation("BatchWriteItem"), footprint);
  footprint.took(20'000, table::Failure::kThrottled);
  std::string page = report(meters);
  EXPECT_TRUE(costs(page, R"(table="b")", "0", "1", 1)) << page;
  EXPECT_TRUE(costs(page, R"x(table="(other)")x", "0", "2", 1)) << page;
  EXPECT_EQ(page.find(R"(table="c")"), std::string::npos) << page;

  tables.erase(tables.begin());
  footprint = {};
  const table::TableInfo late = described("late");
  meters.charge("ann", late, units(8, 0));
  page = report(meters);
  EXPECT_EQ(page.find(R"(table="a")"), std::string::npos) << page;
  EXPECT_TRUE(costs(page, R"(namespace="ann",table="late")", "4", "0", 0)) << page;
}

constexpr int64_t kSecondNs = 1'000'000'000;

TEST(TableMetersTest, KeysAreCountedWhileSomebodyAsks) {
  TableMeters meters;
  const table::TableInfo one = described("one");
  const table::TableInfo other = described("other");
  EXPECT_FALSE(meters.charge("", one, units(1, 0))) << "nobody has asked";
  EXPECT_TRUE(meters.hot_keys("", one, 20, 0).keys.empty());
  EXPECT_FALSE(meters.charge("", other, units(1, 0)));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(meters.charge("", one, units(2, 4)));
    meters.count_key(one, "hot", 6, kSecondNs);
  }
  meters.count_key(one, "cold", 1, kSecondNs);
  const auto top = meters.hot_keys("", one, 20, 2 * kSecondNs);
  ASSERT_EQ(top.keys.size(), 2u);
  EXPECT_EQ(top.keys[0].key, "hot");
  EXPECT_EQ(top.keys[0].weight, 18u);
  EXPECT_EQ(top.total, 19u);
  // A minute later the next request ends it.
  meters.count_key(one, "hot", 6, 62 * kSecondNs);
  EXPECT_FALSE(meters.charge("", one, units(2, 4)));
  EXPECT_TRUE(meters.hot_keys("", one, 20, 63 * kSecondNs).keys.empty()) << "it begins again";
  EXPECT_TRUE(meters.charge("", one, units(2, 4)));
  EXPECT_TRUE(costs(report(meters), R"(table="one")", "5.5", "10", 0)) << "and no unit was lost";
  throttle(meters, "", one);
  EXPECT_TRUE(costs(report(meters), R"(table="one")", "5.5", "10", 1));
}

TEST(TableMetersTest, OnlyTheTablesThatWereAskedForLastAreWatched) {
  TableMeters meters;
  std::vector<table::TableInfo> tables;
  for (size_t i = 0; i <= TableMeters::kMostWatched; ++i) tables.push_back(described("t" + std::to_string(i)));
  int64_t now_ns = 0;
  for (const table::TableInfo& table : tables) {
    static_cast<void>(meters.hot_keys("", table, 1, now_ns += 1'000));
    static_cast<void>(meters.hot_keys("", tables[0], 1, now_ns += 1'000));
  }
  EXPECT_TRUE(meters.charge("", tables[0], units(1, 0)));
  EXPECT_FALSE(meters.charge("", tables[1], units(1, 0)));
  EXPECT_TRUE(meters.charge("", tables[2], units(1, 0)));
  EXPECT_TRUE(meters.charge("", tables.back(), units(1, 0)));
  // Those that are gone leave their room.
  const std::vector<table::TableInfo> left(tables.begin() + 2, tables.begin() + 3);
  tables.clear();
  const table::TableInfo late = described("late");
  static_cast<void>(meters.hot_keys("", late, 1, now_ns += 1'000));
  EXPECT_TRUE(meters.charge("", left[0], units(1, 0)));
}

TEST(TableMetersTest, TotalsAreOfAllOperationsOfATable) {
  TableMeters meters;
  const table::TableInfo one = described("one");
  const table::TableInfo of_space = described("one");
  for (int i = 0; i < 3; ++i) count(meters, "", one, "GetItem");
  count(meters, "", one, "PutItem");
  throttle(meters, "", one);
  meters.charge("", one, units(3, 1));
  count(meters, "ann", of_space, "GetItem");
  const std::vector<TableTotals> totals = meters.totals();
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[0].table, "one");
  EXPECT_EQ(totals[0].space, "");
  EXPECT_EQ(totals[0].took.count(), 5u) << "the throttled one too";
  EXPECT_EQ(totals[0].throttled, 1u);
  EXPECT_EQ(totals[0].consumed.read, 3);
  EXPECT_EQ(totals[0].consumed.write, 1);
  EXPECT_EQ(totals[1].space, "ann");
  EXPECT_EQ(totals[1].took.count(), 1u);
}

}  // namespace
}  // namespace partita::ops
