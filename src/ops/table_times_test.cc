#include "ops/table_times.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ops/operation.h"
#include "table/schema.h"

namespace partita::ops {
namespace {

table::TableInfo described(const std::string& name) {
  table::TableInfo table;
  table.name = name;
  return table;
}

const Operation& operation(std::string_view name) { return *find_operation(name); }

std::string report(TableTimes& times) {
  Exposition out;
  times.report(out);
  return std::move(out).take();
}

// As of one request.
void count(TableTimes& times, std::string_view space, const table::TableInfo& table, std::string_view name) {
  Touched touched;
  touched.add(*times.line_of(space, table, operation(name)));
  touched.took(20'000);
}

bool says(const std::string& page, const std::string& labels, int times) {
  return page.find("partita_table_request_seconds_count{" + labels + "} " + std::to_string(times) + "\n") !=
         std::string::npos;
}

TEST(TableTimesTest, OperationsTablesAndNamespacesAreToldApart) {
  TableTimes times;
  const table::TableInfo one = described("one");
  const table::TableInfo other = described("other");
  const table::TableInfo of_space = described("one");
  for (int i = 0; i < 3; ++i) count(times, "", one, "GetItem");
  count(times, "", one, "PutItem");
  count(times, "", other, "GetItem");
  count(times, "ann", of_space, "GetItem");
  const std::string page = report(times);
  EXPECT_TRUE(says(page, R"(table="one",operation="GetItem")", 3)) << page;
  EXPECT_TRUE(says(page, R"(table="one",operation="PutItem")", 1)) << page;
  EXPECT_TRUE(says(page, R"(table="other",operation="GetItem")", 1)) << page;
  EXPECT_TRUE(says(page, R"(namespace="ann",table="one",operation="GetItem")", 1)) << page;
  EXPECT_NE(page.find(R"(table="one",operation="GetItem",le="1.6384e-05"} 0)"), std::string::npos) << page;
  EXPECT_NE(page.find(R"(table="one",operation="GetItem",le="6.5536e-05"} 3)"), std::string::npos) << page;
}

TEST(TableTimesTest, OperationsOnItemsAlone) {
  TableTimes times;
  const table::TableInfo table = described("one");
  size_t counted = 0;
  for (const Operation& one : operations()) {
    const bool control = one.kind == Kind::kControl || one.api != Api::kDynamoDb;
    EXPECT_EQ(times.line_of("", table, one) == nullptr, control) << one.name;
    if (!control) ++counted;
  }
  EXPECT_EQ(counted, 14U);
  EXPECT_EQ(report(times), "");
}

TEST(TableTimesTest, ThoseBeyondTheMostAreCountedTogether) {
  TableTimes times(3);
  std::vector<table::TableInfo> tables;
  for (const char* const name : {"a", "b", "c", "d", "e"}) tables.push_back(described(name));
  for (int i = 0; i < 2; ++i) {
    for (const table::TableInfo& table : tables) count(times, "", table, "GetItem");
  }
  count(times, "ann", tables[4], "PutItem");
  const std::string page = report(times);
  EXPECT_TRUE(says(page, R"(table="c",operation="GetItem")", 2)) << page;
  EXPECT_TRUE(says(page, R"x(table="(other)",operation="GetItem")x", 4)) << page;
  EXPECT_TRUE(says(page, R"x(table="(other)",operation="PutItem")x", 1)) << page;
  EXPECT_EQ(page.find(R"(table="d")"), std::string::npos) << page;
}

TEST(TableTimesTest, ALineGoesWithItsTableAndLeavesItsRoom) {
  TableTimes times(2);
  auto old = std::make_unique<table::TableInfo>(described("old"));
  const table::TableInfo stays = described("stays");
  count(times, "", *old, "GetItem");
  count(times, "", stays, "GetItem");
  Touched under_way;
  under_way.add(*times.line_of("", *old, operation("GetItem")));
  old.reset();
  under_way.took(1);
  under_way = {};
  const table::TableInfo late = described("late");
  count(times, "", late, "GetItem");
  const std::string page = report(times);
  EXPECT_EQ(page.find(R"(table="old")"), std::string::npos) << page;
  EXPECT_TRUE(says(page, R"(table="late",operation="GetItem")", 1)) << page;
  EXPECT_TRUE(says(page, R"(table="stays",operation="GetItem")", 1)) << page;
}

// A page with two samples of the same name and labels is refused by Prometheus.
TEST(TableTimesTest, ATableAndItsFollowerOfThatNameAreOne) {
  TableTimes times;
  const table::TableInfo before = described("one");
  const table::TableInfo after = described("one");
  count(times, "", before, "Query");
  count(times, "", after, "Query");
  EXPECT_TRUE(says(report(times), R"(table="one",operation="Query")", 2)) << report(times);
}

TEST(TableTimesTest, ARequestCountsOnceWithEachTable) {
  TableTimes times;
  const table::TableInfo one = described("one");
  const table::TableInfo other = described("other");
  const table::TableInfo third = described("third");
  Touched touched;
  for (int i = 0; i < 3; ++i) {
    for (const auto* const table : {&one, &other, &third}) {
      touched.add(*times.line_of("", *table, operation("BatchWriteItem")));
    }
  }
  touched.took(1'000'000);
  for (const char* const name : {"one", "other", "third"}) {
    EXPECT_TRUE(says(report(times), "table=\"" + std::string(name) + "\",operation=\"BatchWriteItem\"", 1));
  }
}

}  // namespace
}  // namespace partita::ops
