#include "throttle/table_capacity.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::throttle {
namespace {

using api::BillingMode;
using model::ThroughputLimit;
using table::IndexInfo;
using table::TableInfo;

constexpr int64_t kPerSecondNs = 1'000'000'000;
constexpr int64_t kBeganNs = 7 * kPerSecondNs;
constexpr int64_t kHalfHourNs = 1'800 * kPerSecondNs;

TableInfo provisioned(int64_t reads, int64_t writes) {
  TableInfo table;
  table.name = "T";
  table.throughput.read_units = reads;
  table.throughput.write_units = writes;
  return table;
}

TableInfo on_demand() {
  TableInfo table = provisioned(0, 0);
  table.billing_mode = BillingMode::kPayPerRequest;
  return table;
}

TableInfo with_index(TableInfo table, int64_t reads, int64_t writes) {
  IndexInfo& index = table.indexes.emplace_back();
  index.name = "by-g";
  index.throughput.read_units = reads;
  index.throughput.write_units = writes;
  return table;
}

// Whole units, one by one.
int64_t taken(TableCapacity& capacity, bool write, int64_t now_ns) {
  int64_t count = 0;
  int64_t wait_ns = 0;
  while (count < 20'000'000 && capacity.take(write, now_ns, 2, wait_ns)) ++count;
  return count;
}

TEST(TableCapacityTest, AProvisionedTableHoldsItsBurst) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo table = with_index(provisioned(3, 2), 7, 5);
  EXPECT_EQ(taken(limits.of(table, nullptr, kBeganNs), false, kBeganNs), 900);
  EXPECT_EQ(taken(limits.of(table, nullptr, kBeganNs), true, kBeganNs), 600);
  EXPECT_EQ(taken(limits.of(table, &table.indexes[0], kBeganNs), false, kBeganNs), 2'100);
  EXPECT_EQ(taken(limits.of(table, &table.indexes[0], kBeganNs), true, kBeganNs), 1'500);
  EXPECT_EQ(taken(limits.of(table, nullptr, kBeganNs), true, kBeganNs + kPerSecondNs), 2);
}

TEST(TableCapacityTest, ANewerDescriptionChangesTheRateAndAnOlderOneNothing) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo before = provisioned(1, 1);
  EXPECT_EQ(taken(limits.of(before, nullptr, kBeganNs), false, kBeganNs), 300);
  TableInfo after = before;  // shares its limits, as the catalogue's descriptions do
  after.revision = 2;
  after.throughput.next = {{{100, 100}, 0}};
  EXPECT_EQ(taken(limits.of(after, nullptr, kBeganNs), false, kBeganNs + kPerSecondNs), 100);
  EXPECT_EQ(taken(limits.of(before, nullptr, kBeganNs), false, kBeganNs + 2 * kPerSecondNs), 100);
}

TEST(TableCapacityTest, AMaximumOnDemandHoldsItsBurst) {
  CapacityLimits limits(CapacityMode::kRecord);
  TableInfo table = on_demand();
  table.on_demand.max_write_units = 4;
  TableCapacity& capacity = limits.of(table, nullptr, kBeganNs);
  EXPECT_EQ(taken(capacity, true, kBeganNs), 1'200);
  EXPECT_EQ(capacity.bucket(true).limit(), ThroughputLimit::kMaxOnDemand);
  EXPECT_EQ(capacity.bucket(false).limit(), ThroughputLimit::kKeyRange);
  table.revision = 2;
  table.on_demand.max_write_units = -1;  // just removed
  EXPECT_EQ(limits.of(table, nullptr, kBeganNs).bucket(true).limit(), ThroughputLimit::kKeyRange);
}

TEST(TableCapacityTest, OnDemandBeginsWithASecondOfTheDefaultOrOfItsWarmThroughput) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo table = with_index(on_demand(), 0, 0);
  EXPECT_EQ(taken(limits.of(table, nullptr, kBeganNs), false, kBeganNs), 12'000);
  EXPECT_EQ(taken(limits.of(table, nullptr, kBeganNs), true, kBeganNs), 4'000);
  EXPECT_EQ(taken(limits.of(table, &table.indexes[0], kBeganNs), true, kBeganNs), 4'000);
  TableInfo warm = on_demand();
  warm.warm = {15'000, 5'000};
  EXPECT_EQ(taken(limits.of(warm, nullptr, kBeganNs), true, kBeganNs), 5'000);
  warm.revision = 2;
  warm.next_warm = {{15'000, 6'000}, 0};
  EXPECT_EQ(taken(limits.of(warm, nullptr, kBeganNs), true, kBeganNs + kPerSecondNs), 6'000);
}

TEST(TableCapacityTest, OnDemandDoublesEveryHalfHourUpToTheQuota) {
  CapacityLimits limits(CapacityMode::kRecord);
  TableInfo table = on_demand();
  TableCapacity& capacity = limits.of(table, nullptr, kBeganNs);
  EXPECT_EQ(taken(capacity, true, kBeganNs + kHalfHourNs - 1), 4'000);
  EXPECT_EQ(taken(capacity, true, kBeganNs + kHalfHourNs + kPerSecondNs), 12'000);  // the old level, then the new one
  table.revision = 2;
  EXPECT_EQ(limits.of(table, nullptr, kBeganNs).bucket(true).tokens.per_second(), 8'000);  // which stays
  int64_t now_ns = kBeganNs + kHalfHourNs + kPerSecondNs;
  for (const int64_t level : {16'000, 32'000, 40'000, 40'000}) {
    now_ns += kHalfHourNs;
    taken(capacity, true, now_ns);
    EXPECT_EQ(capacity.bucket(true).tokens.per_second(), level);
  }
  EXPECT_EQ(capacity.bucket(true).limit(), ThroughputLimit::kAccount);
  EXPECT_EQ(capacity.bucket(false).tokens.per_second(), 12'000);
}

TEST(TableCapacityTest, TheTagHasPrecedenceUnlessItIsWrong) {
  TableInfo table = provisioned(1, 1);
  CapacityLimits records(CapacityMode::kRecord);
  EXPECT_FALSE(records.of(table, nullptr, kBeganNs).enforces());
  for (const auto& [value, enforces] :
       {std::pair("enforce", true), std::pair("record", false), std::pair("Enforce", false)}) {
    ++table.revision;
    table.tags[std::string(kModeTag)] = value;
    EXPECT_EQ(records.of(table, nullptr, kBeganNs).enforces(), enforces) << value;
  }
  CapacityLimits enforces(CapacityMode::kEnforce);
  TableInfo other = provisioned(1, 1);
  EXPECT_TRUE(enforces.of(other, nullptr, kBeganNs).enforces());
  ++other.revision;
  other.tags[std::string(kModeTag)] = "record";
  EXPECT_FALSE(enforces.of(other, nullptr, kBeganNs).enforces());
}

TEST(TableCapacityTest, EventsAreCountedByTableAndIndexAndBoundedInNumber) {
  CapacityLimits limits(CapacityMode::kRecord, 2);
  const TableInfo table = with_index(provisioned(1, 1), 1, 1);
  const TableInfo third = provisioned(1, 1);
  for (const TableInfo* one : {&table, &third}) limits.of(*one, nullptr, kBeganNs);
  limits.of(table, &table.indexes[0], kBeganNs);
  limits.count("s", table, nullptr, true, true);
  limits.count("s", table, nullptr, true, true);
  limits.count("s", table, &table.indexes[0], false, false);
  limits.count("s", third, nullptr, false, true);
  const std::vector<ThrottleEvents> events = limits.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].space + "/" + events[0].table + "/" + events[0].index, "s/T/");
  EXPECT_EQ(events[0].refused.write, 2u);
  EXPECT_EQ(events[0].recorded.write + events[0].refused.read, 0u);
  EXPECT_EQ(events[1].index, "by-g");
  EXPECT_EQ(events[1].recorded.read, 1u);
  EXPECT_EQ(events[2].table, "(other)");
  EXPECT_EQ(events[2].refused.read, 1u);
}

}  // namespace
}  // namespace partita::throttle
