#include <gtest/gtest.h>

#include <string>

#include "throttle/capacity_limits.h"

namespace partita::throttle {
namespace {

using api::BillingMode;
using model::ThroughputLimit;
using table::IndexInfo;
using table::TableInfo;

constexpr int64_t kPerSecondNs = 1'000'000'000;
constexpr int64_t kBeganNs = 7 * kPerSecondNs;

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
  while (count < 20'000'000 && capacity.bucket(write).tokens.take(now_ns, 2, wait_ns)) ++count;
  return count;
}

TEST(TableCapacityTest, AProvisionedTableHoldsItsBurst) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo table = with_index(provisioned(3, 2), 7, 5);
  EXPECT_EQ(taken(limits.of("", table, nullptr, kBeganNs), false, kBeganNs), 900);
  EXPECT_EQ(taken(limits.of("", table, nullptr, kBeganNs), true, kBeganNs), 600);
  EXPECT_EQ(taken(limits.of("", table, &table.indexes[0], kBeganNs), false, kBeganNs), 2'100);
  EXPECT_EQ(taken(limits.of("", table, &table.indexes[0], kBeganNs), true, kBeganNs), 1'500);
  EXPECT_EQ(taken(limits.of("", table, nullptr, kBeganNs), true, kBeganNs + kPerSecondNs), 2);
}

TEST(TableCapacityTest, ANewerDescriptionChangesTheRateAndAnOlderOneNothing) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo before = provisioned(1, 1);
  EXPECT_EQ(taken(limits.of("", before, nullptr, kBeganNs), false, kBeganNs), 300);
  TableInfo after = before;  // shares its limits, as the catalogue's descriptions do
  after.revision = 2;
  after.throughput.next = {{{100, 100}, 0}};
  EXPECT_EQ(taken(limits.of("", after, nullptr, kBeganNs), false, kBeganNs + kPerSecondNs), 100);
  EXPECT_EQ(taken(limits.of("", before, nullptr, kBeganNs), false, kBeganNs + 2 * kPerSecondNs), 100);
}

TEST(TableCapacityTest, OneOfTwoServersFillsWithHalfAndHoldsAQuarter) {
  CapacityLimits limits(CapacityMode::kRecord);
  const std::shared_ptr<CapacityShare> share = limits.share_of("");
  share->divide(2, kBeganNs);
  const TableInfo table = provisioned(4, 8);
  TableCapacity& capacity = limits.of("", table, nullptr, kBeganNs);
  EXPECT_EQ(taken(capacity, false, kBeganNs), 4 * 300 / 4);
  EXPECT_EQ(taken(capacity, false, kBeganNs + kPerSecondNs), 2);
  const TableInfo elsewhere = provisioned(4, 8);
  EXPECT_EQ(taken(limits.of("other", elsewhere, nullptr, kBeganNs), false, kBeganNs), 4 * 300);
}

TEST(TableCapacityTest, AShareThatHasEndedAdmitsNothingUntilItIsRenewed) {
  CapacityLimits limits(CapacityMode::kEnforce);
  const std::shared_ptr<CapacityShare> share = limits.share_of("");
  share->renew(kBeganNs + kLeaseNs);
  const TableInfo table = provisioned(4, 8);
  TableCapacity& capacity = limits.of("", table, nullptr, kBeganNs);
  const auto wait_ns = [&](int64_t after_ns) {
    return capacity.take(true, "position", 2, kBeganNs + after_ns).wait_ns;
  };
  EXPECT_EQ(wait_ns(kLeaseNs - 1), 0);
  EXPECT_EQ(wait_ns(kLeaseNs), kLedgerPeriodNs + 1);
  EXPECT_GT(wait_ns(4 * kLeaseNs), 0) << "no longer for the bucket, which has filled meanwhile";
  EXPECT_EQ(capacity.state(true, kBeganNs + 4 * kLeaseNs).used, 6) << "what is refused counts as demand";
  share->renew(kBeganNs + 9 * kLeaseNs);
  EXPECT_EQ(wait_ns(5 * kLeaseNs), 0);
  EXPECT_EQ(capacity.state(true, kBeganNs + 5 * kLeaseNs).level, 2 * (8 * 300 - 2)) << "nobody took it";
  // Another server has.
  share->divide(0, kBeganNs + 5 * kLeaseNs);
  capacity.update_share(kBeganNs + 5 * kLeaseNs);
  share->divide(2, kBeganNs + 5 * kLeaseNs);
  capacity.update_share(kBeganNs + 5 * kLeaseNs);
  EXPECT_EQ(capacity.state(true, kBeganNs + 5 * kLeaseNs).level, 0);
}

TEST(TableCapacityTest, AMaximumOnDemandHoldsItsBurst) {
  CapacityLimits limits(CapacityMode::kRecord);
  TableInfo table = on_demand();
  table.on_demand.max_write_units = 4;
  TableCapacity& capacity = limits.of("", table, nullptr, kBeganNs);
  EXPECT_EQ(taken(capacity, true, kBeganNs), 1'200);
  EXPECT_EQ(capacity.bucket(true).limit(), ThroughputLimit::kMaxOnDemand);
  EXPECT_EQ(capacity.bucket(false).limit(), ThroughputLimit::kKeyRange);
  table.revision = 2;
  table.on_demand.max_write_units = -1;  // just removed
  EXPECT_EQ(limits.of("", table, nullptr, kBeganNs).bucket(true).limit(), ThroughputLimit::kKeyRange);
}

TEST(TableCapacityTest, OnDemandBeginsWithASecondOfTheDefaultOrOfItsWarmThroughput) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo table = with_index(on_demand(), 0, 0);
  EXPECT_EQ(taken(limits.of("", table, nullptr, kBeganNs), false, kBeganNs), 12'000);
  EXPECT_EQ(taken(limits.of("", table, nullptr, kBeganNs), true, kBeganNs), 4'000);
  EXPECT_EQ(taken(limits.of("", table, &table.indexes[0], kBeganNs), true, kBeganNs), 4'000);
  TableInfo warm = on_demand();
  warm.warm = {15'000, 5'000};
  EXPECT_EQ(taken(limits.of("", warm, nullptr, kBeganNs), true, kBeganNs), 5'000);
  warm.revision = 2;
  warm.next_warm = {{15'000, 6'000}, 0};
  EXPECT_EQ(taken(limits.of("", warm, nullptr, kBeganNs), true, kBeganNs + kPerSecondNs), 6'000);
}

// A load of writes that nothing refuses, over all partitions, with a request each tenth of a second.
void load(TableCapacity& capacity, int64_t per_second, int64_t seconds, int64_t& now_ns) {
  constexpr uint64_t kParts = 10;
  for (int64_t i = 0; i < seconds * static_cast<int64_t>(kParts); ++i) {
    now_ns += kPerSecondNs / static_cast<int64_t>(kParts);
    const std::string position = before_hash(static_cast<uint64_t>(i) * (UINT64_MAX / kParts)) + "x";
    const TableCapacity::Taken taken = capacity.take(true, position, 0, now_ns);
    ASSERT_EQ(taken.wait_ns, 0);
    capacity.settle(true, *taken.partition, position, 2 * per_second / static_cast<int64_t>(kParts), now_ns);
  }
}

TEST(TableCapacityTest, OnDemandFollowsItsPeakUpToTheQuota) {
  CapacityLimits limits(CapacityMode::kRecord);
  TableInfo table = on_demand();
  int64_t now_ns = kBeganNs;
  TableCapacity& capacity = limits.of("", table, nullptr, now_ns);
  EXPECT_EQ(capacity.heat().ranges.size(), 8u);
  load(capacity, 3'900, 1'900, now_ns);
  EXPECT_NEAR(static_cast<double>(capacity.bucket(true).tokens.per_second()), 7'800, 50);
  EXPECT_GT(capacity.heat().ranges.size(), 8u);
  EXPECT_EQ(capacity.bucket(true).limit(), ThroughputLimit::kKeyRange);
  EXPECT_EQ(capacity.bucket(false).tokens.per_second(), 12'000);
  // What it has grown to stays, and warm throughput raises it.
  const int64_t before = capacity.bucket(true).tokens.per_second();
  ++table.revision;
  EXPECT_EQ(limits.of("", table, nullptr, now_ns).bucket(true).tokens.per_second(), before);
  ++table.revision;
  table.warm = {12'000, 90'000};
  EXPECT_EQ(limits.of("", table, nullptr, now_ns).bucket(true).tokens.per_second(), 40'000);
  EXPECT_EQ(capacity.bucket(true).limit(), ThroughputLimit::kAccount);
}

// What it consumed before does not count.
TEST(TableCapacityTest, ATableThatBecomesOnDemandBeginsWithItsWarmThroughput) {
  CapacityLimits limits(CapacityMode::kRecord);
  TableInfo table = provisioned(1, 4'000);
  int64_t now_ns = kBeganNs;
  load(limits.of("", table, nullptr, now_ns), 4'000, 600, now_ns);
  ++table.revision;
  table.billing_mode = BillingMode::kPayPerRequest;
  TableCapacity& capacity = limits.of("", table, nullptr, now_ns);
  EXPECT_EQ(capacity.bucket(true).tokens.per_second(), 4'000);
  load(capacity, 1'000, 120, now_ns);
  EXPECT_EQ(capacity.bucket(true).tokens.per_second(), 4'000);
}

TEST(TableCapacityTest, UnitsThatAreRaisedGetPartitions) {
  CapacityLimits limits(CapacityMode::kRecord);
  TableInfo table = provisioned(1, 1);
  EXPECT_EQ(limits.of("", table, nullptr, kBeganNs).heat().ranges.size(), 1u);
  ++table.revision;
  table.throughput.write_units = 3'000;
  EXPECT_GE(limits.of("", table, nullptr, kBeganNs).heat().ranges.size(), 4u);
}

// One review of the load for each second in which there are requests.
TEST(TableCapacityTest, RequestsMeasureTheLoad) {
  CapacityLimits limits(CapacityMode::kRecord);
  const TableInfo table = provisioned(100, 100);
  TableCapacity& capacity = limits.of("", table, nullptr, kBeganNs);
  const std::string position = before_hash(7);
  static_cast<void>(capacity.take(true, position, 20, kBeganNs + kPerSecondNs - 1));
  EXPECT_EQ(capacity.heat().ranges[0].rates.write_units, 0);
  static_cast<void>(capacity.take(false, position, 2, kBeganNs + kPerSecondNs));
  const double rate = capacity.heat().ranges[0].rates.write_units;
  EXPECT_GT(rate, 0);
  static_cast<void>(capacity.take(false, position, 2, kBeganNs + 2 * kPerSecondNs - 1));
  EXPECT_EQ(capacity.heat().ranges[0].rates.write_units, rate);
}

TEST(TableCapacityTest, OneTableTakesLittleMemory) {
  EXPECT_LE(sizeof(TableCapacity) + Heat::kMostBytes - sizeof(Heat), size_t{64} << 10);
}

TEST(TableCapacityTest, TheTagHasPrecedenceUnlessItIsWrong) {
  TableInfo table = provisioned(1, 1);
  CapacityLimits records(CapacityMode::kRecord);
  EXPECT_FALSE(records.of("", table, nullptr, kBeganNs).enforces());
  for (const auto& [value, enforces] :
       {std::pair("enforce", true), std::pair("record", false), std::pair("Enforce", false)}) {
    ++table.revision;
    table.tags[std::string(kModeTag)] = value;
    EXPECT_EQ(records.of("", table, nullptr, kBeganNs).enforces(), enforces) << value;
  }
  CapacityLimits enforces(CapacityMode::kEnforce);
  TableInfo other = provisioned(1, 1);
  EXPECT_TRUE(enforces.of("", other, nullptr, kBeganNs).enforces());
  ++other.revision;
  other.tags[std::string(kModeTag)] = "record";
  EXPECT_FALSE(enforces.of("", other, nullptr, kBeganNs).enforces());
}

TEST(TableCapacityTest, ANamespaceHasItsOwnMode) {
  CapacityModes modes;
  modes.namespaces["strict"] = CapacityMode::kEnforce;
  CapacityLimits limits(modes);
  const TableInfo here = provisioned(1, 1);
  EXPECT_FALSE(limits.of("", here, nullptr, kBeganNs).enforces());
  TableInfo there = provisioned(1, 1);
  EXPECT_TRUE(limits.of("strict", there, nullptr, kBeganNs).enforces());
  ++there.revision;
  there.tags[std::string(kModeTag)] = "record";
  EXPECT_FALSE(limits.of("strict", there, nullptr, kBeganNs).enforces());
  const TableInfo elsewhere = provisioned(1, 1);
  EXPECT_FALSE(limits.of("strict2", elsewhere, nullptr, kBeganNs).enforces());
}

TEST(TableCapacityTest, EventsAreCountedByTableAndIndexAndBoundedInNumber) {
  CapacityLimits limits(CapacityMode::kRecord, 2);
  const TableInfo table = with_index(provisioned(1, 1), 1, 1);
  const TableInfo third = provisioned(1, 1);
  for (const TableInfo* one : {&table, &third}) limits.of("", *one, nullptr, kBeganNs);
  limits.of("", table, &table.indexes[0], kBeganNs);
  using enum model::ThroughputLimit;
  limits.count("s", table, nullptr, true, kProvisioned);
  limits.count("s", table, nullptr, true, kKeyRange);
  limits.count("s", table, &table.indexes[0], false, std::nullopt);
  limits.count("s", third, nullptr, false, kAccount);
  const std::vector<ThrottleEvents> events = limits.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].space + "/" + events[0].table + "/" + events[0].index, "s/T/");
  EXPECT_EQ(events[0].all_refused().write, 2u);
  EXPECT_EQ(events[0].refused[static_cast<size_t>(kKeyRange)].write, 1u);
  EXPECT_EQ(events[0].recorded.write + events[0].all_refused().read, 0u);
  EXPECT_EQ(events[1].index, "by-g");
  EXPECT_EQ(events[1].recorded.read, 1u);
  EXPECT_EQ(events[2].table, "(other)");
  EXPECT_EQ(events[2].refused[static_cast<size_t>(kAccount)].read, 1u);
}

TEST(TableCapacityTest, TheGaugeOfAShareShowsWhetherItIsValid) {
  CapacityLimits limits(CapacityMode::kRecord);
  const auto page = [&](int64_t now_ns) {
    Exposition out;
    limits.report(out, now_ns);
    return std::move(out).take();
  };
  std::shared_ptr<CapacityShare> share = limits.share_of("s");
  share->divide(4, kBeganNs);
  share->renew(kBeganNs + kLeaseNs);
  EXPECT_TRUE(page(kBeganNs).contains("partita_capacity_share{namespace=\"s\"} 0.25\n"));
  EXPECT_TRUE(page(kBeganNs + kLeaseNs).contains("partita_capacity_share{namespace=\"s\"} 0\n"));
  // A namespace that is closed takes no memory.
  share.reset();
  EXPECT_FALSE(page(kBeganNs).contains("partita_capacity_share"));
  EXPECT_EQ(limits.share_of("s")->divisor(), 1U);
}

}  // namespace
}  // namespace partita::throttle
