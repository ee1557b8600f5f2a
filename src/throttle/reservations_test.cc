#include "throttle/reservations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::throttle {
namespace {

using model::ThroughputLimit;
using table::Access;
using table::Verb;

constexpr int64_t kRequestNs = 9'000'000'000;
constexpr model::HalfUnits kOne = 2;

// A table of one unit a second with one global and one local index, so that each bucket holds 300.
class ReservationsTest : public ::testing::Test {
 protected:
  ReservationsTest() {
    table_.name = "T";
    table_.id = 7;
    table_.throughput.read_units = table_.throughput.write_units = 1;
    for (const bool global : {true, false}) {
      table::IndexInfo& index = table_.indexes.emplace_back();
      index.name = global ? "global" : "local";
      index.id = global ? 1 : 2;
      index.global = global;
      index.throughput.read_units = index.throughput.write_units = global ? 1 : 0;
    }
  }

  Access access(Verb verb, const table::IndexInfo* index = nullptr) const {
    Access one;
    one.verb = verb;
    one.table = &table_;
    one.index = index;
    one.position = item_;
    return one;
  }
  // The write of an item whose rows of the global index have these hashes.
  std::optional<Shortage> index_shortage(Reservations& request, const api::ConsumedCapacity& consumed,
                                         const std::vector<uint64_t>& hashes = {1}, int64_t now_ns = kRequestNs) const {
    storage::Changes changes;
    changes.put({model::hash_prefix(table_.id, model::kBaseIndex, 9) + "item"}, "");
    for (const uint64_t hash : hashes) {
      changes.put({model::hash_prefix(table_.id, table_.indexes[0].id, hash) + "row"}, "");
    }
    return request.index_shortage({table_, item_, consumed, changes.writes()}, now_ns);
  }
  // The consumed write units by range of the table or index.
  std::vector<double> written_by_range(CapacityLimits& limits, const table::IndexInfo* index = nullptr) const {
    TableCapacity& capacity = limits.of("", table_, index, kRequestNs);
    capacity.review(kRequestNs + 1'000'000'000);
    std::vector<double> units;
    for (const HeatRange& range : capacity.heat().ranges) units.push_back(range.rates.write_units * 11);  // smoothed
    return units;
  }
  static api::ConsumedCapacity written(model::HalfUnits base, model::HalfUnits global = 0) {
    api::ConsumedCapacity consumed;
    consumed.base.write = base;
    if (global != 0) consumed.global_indexes["global"].write = global;
    return consumed;
  }
  // Whole units that are left.
  int64_t left(CapacityLimits& limits, bool write, const table::IndexInfo* index = nullptr) const {
    TableCapacity& capacity = limits.of("", table_, index, kRequestNs);
    int64_t wait_ns = 0;
    int64_t count = 0;
    while (capacity.bucket(write).tokens.take(kRequestNs, kOne, wait_ns)) ++count;
    capacity.bucket(write).tokens.charge(kRequestNs, -kOne * count);
    return count;
  }
  void empty(CapacityLimits& limits, bool write, const table::IndexInfo* index = nullptr) const {
    limits.of("", table_, index, kRequestNs).bucket(write).tokens.charge(kRequestNs, 600);
  }
  const table::IndexInfo* global() const { return &table_.indexes[0]; }
  const table::IndexInfo* local() const { return &table_.indexes[1]; }

  table::TableInfo table_;
  const std::string item_ = std::string(8, 'h') + "item";
  CapacityLimits enforces_{CapacityMode::kEnforce};
  CapacityLimits records_{CapacityMode::kRecord};
};

TEST_F(ReservationsTest, TheDifferenceIsCharged) {
  for (const model::HalfUnits cost : {2, 10, 0}) {
    Reservations one(enforces_, "");
    const int64_t before = left(enforces_, true);
    EXPECT_FALSE(one.reserve(access(Verb::kPut), 4, kRequestNs));
    EXPECT_EQ(left(enforces_, true), before - 2);
    one.charge(access(Verb::kPut), written(cost), kRequestNs);
    EXPECT_EQ(left(enforces_, true), before - cost / 2);
  }
  EXPECT_EQ(left(enforces_, false), 300);
}

TEST_F(ReservationsTest, WhatIsNotChargedIsGivenBack) {
  {
    Reservations batch(enforces_, "");
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(batch.reserve(access(Verb::kDelete), kOne, kRequestNs));
    EXPECT_FALSE(batch.reserve(access(Verb::kGet), kOne, kRequestNs));
    EXPECT_EQ(left(enforces_, true), 297);
    batch.charge(access(Verb::kDelete), written(kOne), kRequestNs);
  }
  EXPECT_EQ(left(enforces_, true), 299);
  EXPECT_EQ(left(enforces_, false), 300);
  Reservations again(enforces_, "");
  EXPECT_FALSE(again.reserve(access(Verb::kPut), kOne, kRequestNs));
  again.give_back();
  EXPECT_FALSE(again.reserve(access(Verb::kPut), kOne, kRequestNs));
  again.charge(access(Verb::kPut), written(kOne), kRequestNs);
  EXPECT_EQ(left(enforces_, true), 298);
}

TEST_F(ReservationsTest, AnEmptyBucketRefusesAndSaysWhenItWillNot) {
  empty(enforces_, false);
  enforces_.of("", table_, nullptr, kRequestNs).bucket(false).tokens.charge(kRequestNs, 3);
  Reservations one(enforces_, "");
  const auto shortage = one.reserve(access(Verb::kGet), 1, kRequestNs);
  ASSERT_TRUE(shortage);
  EXPECT_FALSE(shortage->write);
  EXPECT_EQ(shortage->index, nullptr);
  EXPECT_EQ(shortage->wait_ns, 1'500'000'001);
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  EXPECT_EQ(enforces_.events().at(0).all_refused().read, 1u);
  EXPECT_EQ(enforces_.events().at(0).recorded.read, 0u);
}

TEST_F(ReservationsTest, ReadersOfIndexesDrawOnThoseThatAreGlobal) {
  Reservations one(enforces_, "");
  api::ConsumedCapacity of_global;
  of_global.global_indexes["global"].read = 20;
  EXPECT_FALSE(one.reserve(access(Verb::kQuery, global()), 1, kRequestNs));
  one.charge(access(Verb::kQuery, global()), of_global, kRequestNs);
  EXPECT_EQ(left(enforces_, false, global()), 290);
  api::ConsumedCapacity of_local;
  of_local.local_indexes["local"].read = 6;
  of_local.base.read = 4;
  EXPECT_FALSE(one.reserve(access(Verb::kScan, local()), 1, kRequestNs));
  one.charge(access(Verb::kScan, local()), of_local, kRequestNs);
  EXPECT_EQ(left(enforces_, false), 295);
  empty(enforces_, false, global());
  const auto shortage = one.reserve(access(Verb::kScan, global()), 1, kRequestNs);
  ASSERT_TRUE(shortage);
  EXPECT_EQ(shortage->index, global());
}

TEST_F(ReservationsTest, AGlobalIndexWithoutWriteUnitsStopsTheWritesToIt) {
  Reservations one(enforces_, "");
  EXPECT_FALSE(index_shortage(one, written(kOne, kOne)));
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  one.charge(access(Verb::kPut), written(kOne, 3 * kOne), kRequestNs);
  EXPECT_EQ(left(enforces_, true, global()), 297);
  EXPECT_EQ(left(enforces_, true), 299);
  empty(enforces_, true, global());
  const auto shortage = index_shortage(one, written(kOne, kOne));
  ASSERT_TRUE(shortage);
  EXPECT_EQ(shortage->index, global());
  EXPECT_TRUE(shortage->write);
  EXPECT_FALSE(index_shortage(one, written(kOne)));
  EXPECT_EQ(left(enforces_, false, global()), 300);
}

TEST_F(ReservationsTest, RecordServesAndCountsAndChargesNothing) {
  empty(records_, true);
  Reservations one(records_, "s");
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  one.charge(access(Verb::kPut), written(50 * kOne, kOne), kRequestNs);
  EXPECT_EQ(left(records_, true, global()), 300);
  EXPECT_EQ(records_.events().at(0).recorded.write, 1u);
  EXPECT_EQ(records_.events().at(0).all_refused().write, 0u);
  int64_t wait_ns = 0;
  EXPECT_TRUE(records_.of("", table_, nullptr, kRequestNs).bucket(true).tokens.take(kRequestNs + 1, kOne, wait_ns));
}

// What a server without a share would refuse is not known. Its requests are still part of the load.
TEST_F(ReservationsTest, RecordCountsNothingAsRefusedWhileThereIsNoShare) {
  for (const bool until_now : {false, true}) {
    CapacityLimits limits(CapacityMode::kRecord);
    const std::shared_ptr<CapacityShare> share = limits.share_of("");
    for (table::IndexInfo& index : table_.indexes) index.limits = std::make_shared<table::LimitsKept>();
    table_.limits = std::make_shared<table::LimitsKept>();
    if (until_now) limits.of("", table_, nullptr, kRequestNs), limits.of("", table_, global(), kRequestNs);
    share->divide(0, kRequestNs);
    for (const auto* index : {static_cast<const table::IndexInfo*>(nullptr), global()}) {
      limits.of("", table_, index, kRequestNs).update_share(kRequestNs);
    }
    Reservations one(limits, "");
    EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
    EXPECT_FALSE(index_shortage(one, written(6, 4)));
    one.charge(access(Verb::kPut), written(6, 4), kRequestNs);
    EXPECT_TRUE(limits.events().empty());
    EXPECT_EQ(limits.of("", table_, nullptr, kRequestNs).state(true, kRequestNs).used, 6);
    EXPECT_EQ(limits.of("", table_, global(), kRequestNs).state(true, kRequestNs).used, 4);
    EXPECT_DOUBLE_EQ(written_by_range(limits)[0], 3);
    EXPECT_DOUBLE_EQ(written_by_range(limits, global())[0], 2);
  }
}

TEST_F(ReservationsTest, EnforceRefusesWhileThereIsNoShare) {
  const std::shared_ptr<CapacityShare> share = enforces_.share_of("");
  share->divide(0, kRequestNs);
  Reservations one(enforces_, "");
  EXPECT_TRUE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  EXPECT_TRUE(index_shortage(one, written(6, 4)));
}

TEST_F(ReservationsTest, RecordCountsAWriteThatAnIndexWouldHaveStopped) {
  empty(records_, true, global());
  Reservations one(records_, "s");
  EXPECT_FALSE(index_shortage(one, written(kOne, kOne)));
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  one.charge(access(Verb::kPut), written(kOne, kOne), kRequestNs);
  EXPECT_EQ(left(records_, true), 300);
  const std::vector<ThrottleEvents> events = records_.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].index, "global");
  EXPECT_EQ(events[0].recorded.write, 1u);
}

// The request of a token that was carried out before.
TEST_F(ReservationsTest, AWriteThatWasChargedAsAReadTakesReadUnits) {
  Reservations one(enforces_, "");
  api::ConsumedCapacity replayed;
  replayed.base.read = 2 * kOne;
  EXPECT_FALSE(one.reserve(access(Verb::kPut), 2 * kOne, kRequestNs));
  one.charge(access(Verb::kPut), replayed, kRequestNs);
  EXPECT_EQ(left(enforces_, true), 300);
  EXPECT_EQ(left(enforces_, false), 298);
}

// Of a table that has units left.
class HotKeyTest : public ReservationsTest {
 protected:
  HotKeyTest() {
    for (auto* throughput : {&table_.throughput, &table_.indexes[0].throughput}) {
      throughput->read_units = throughput->write_units = 100;
    }
  }
  // Beyond what a partition holds.
  void heat(CapacityLimits& limits, bool write) {
    Reservations one(limits, "");
    const Access hot = access(write ? Verb::kPut : Verb::kGet);
    EXPECT_FALSE(one.reserve(hot, write ? 2'000 : 6'000, kRequestNs));
    api::ConsumedCapacity consumed;
    (write ? consumed.base.write : consumed.base.read) = write ? 2'200 : 6'600;
    one.charge(hot, consumed, kRequestNs);
  }
};

TEST_F(HotKeyTest, APartitionRefusesAndTakesNothingOfTheTable) {
  for (const bool write : {false, true}) {
    CapacityLimits limits(CapacityMode::kEnforce);
    table_.limits = std::make_shared<table::LimitsKept>();
    heat(limits, write);
    const int64_t before = left(limits, write);
    Reservations one(limits, "");
    const auto shortage = one.reserve(access(write ? Verb::kPut : Verb::kGet), kOne, kRequestNs);
    ASSERT_TRUE(shortage);
    EXPECT_EQ(shortage->limit, ThroughputLimit::kKeyRange);
    EXPECT_TRUE(shortage->provisioned);
    EXPECT_EQ(shortage->index, nullptr);
    EXPECT_EQ(shortage->write, write);
    EXPECT_NEAR(static_cast<double>(shortage->wait_ns), 100e6, 10);
    EXPECT_EQ(left(limits, write), before);
    EXPECT_EQ((write ? limits.events().at(0).all_refused().write : limits.events().at(0).all_refused().read), 1u);
  }
}

TEST_F(HotKeyTest, WhatWasReservedOfAPartitionIsSettledOrGivenBack) {
  {
    Reservations transaction(enforces_, "");
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(transaction.reserve(access(Verb::kPut), 40, kRequestNs));
    transaction.charge(access(Verb::kPut), written(50), kRequestNs);
  }
  EXPECT_NEAR(written_by_range(enforces_).at(0), 25, 0.01);
}

TEST_F(HotKeyTest, RecordServesCountsAndTakesNothing) {
  heat(records_, true);
  const int64_t before = left(records_, true);
  Reservations one(records_, "");
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  one.charge(access(Verb::kPut), written(400), kRequestNs);
  EXPECT_EQ(left(records_, true), before);
  EXPECT_EQ(records_.events().at(0).recorded.write, 1u);
  EXPECT_NEAR(written_by_range(records_).at(0), 1'100, 0.01);
}

TEST_F(HotKeyTest, AWriteTakesFromThePartitionsOfItsIndexRows) {
  table_.indexes[0].throughput.write_units = 2'000;  // so that there are several partitions
  Reservations one(enforces_, "");
  const api::ConsumedCapacity both = written(kOne, 4 * kOne);
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  EXPECT_FALSE(index_shortage(one, both, {uint64_t{1} << 63}));  // of an evaluation that came to nothing
  EXPECT_FALSE(index_shortage(one, both, {1, UINT64_MAX}));
  one.charge(access(Verb::kPut), both, kRequestNs);
  const std::vector<double> units = written_by_range(enforces_, global());
  ASSERT_EQ(units.size(), 3u);
  EXPECT_NEAR(units[0], 2, 0.01);
  EXPECT_NEAR(units[1], 0, 0.01);
  EXPECT_NEAR(units[2], 2, 0.01);
}

TEST_F(HotKeyTest, EachWriteOfABatchPaysForItsOwnIndexRows) {
  table_.indexes[0].throughput.write_units = 2'000;
  Reservations batch(enforces_, "");
  const std::string other = std::string(8, 'o') + "item";
  Access second = access(Verb::kPut);
  second.position = other;
  const api::ConsumedCapacity costs[] = {written(kOne, 10 * kOne), written(kOne, 30 * kOne)};
  EXPECT_FALSE(batch.reserve(access(Verb::kPut), kOne, kRequestNs));
  EXPECT_FALSE(batch.reserve(second, kOne, kRequestNs));
  EXPECT_FALSE(index_shortage(batch, costs[0], {1}));
  storage::Changes changes;
  changes.put({model::hash_prefix(table_.id, table_.indexes[0].id, UINT64_MAX) + "row"}, "");
  EXPECT_FALSE(batch.index_shortage({table_, other, costs[1], changes.writes()}, kRequestNs));
  batch.charge(access(Verb::kPut), costs[0], kRequestNs);
  batch.charge(second, costs[1], kRequestNs);
  const std::vector<double> units = written_by_range(enforces_, global());
  EXPECT_NEAR(units.front(), 10, 0.01);
  EXPECT_NEAR(units.back(), 30, 0.01);
}

TEST_F(HotKeyTest, RowsOfManyIndexesAreKeptAndForgotten) {
  table_.indexes[0].throughput.write_units = 2'000;
  Reservations batch(enforces_, "");
  const std::string other = std::string(8, 'o') + "item";
  Access second = access(Verb::kPut);
  second.position = other;
  EXPECT_FALSE(batch.reserve(access(Verb::kPut), kOne, kRequestNs));
  EXPECT_FALSE(batch.reserve(second, kOne, kRequestNs));
  storage::Changes changes;
  changes.put({model::hash_prefix(table_.id, table_.indexes[0].id, UINT64_MAX) + "row"}, "");
  const api::ConsumedCapacity costs = written(kOne, 10 * kOne);
  EXPECT_FALSE(batch.index_shortage({table_, other, costs, changes.writes()}, kRequestNs));
  for (const auto& hashes : {std::vector<uint64_t>{1, 2, 3, 4}, {1, 2, 3}, {1}}) {  // the engine evaluates it again
    EXPECT_FALSE(index_shortage(batch, costs, hashes));
  }
  batch.charge(access(Verb::kPut), costs, kRequestNs);
  batch.charge(second, costs, kRequestNs);
  const std::vector<double> units = written_by_range(enforces_, global());
  EXPECT_NEAR(units.front(), 10, 0.01);
  EXPECT_NEAR(units.back(), 10, 0.01);
}

TEST_F(HotKeyTest, APartitionOfAnIndexKeepsOneSecondWhateverItsRest) {
  constexpr int64_t kLater = 60'000'000'000;
  enforces_.of("", table_, global(), kRequestNs);  // the index is known since then
  Reservations one(enforces_, "");
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs + kLater));
  EXPECT_FALSE(index_shortage(one, written(kOne, 2'200), {1}, kRequestNs + kLater));
  one.charge(access(Verb::kPut), written(kOne, 2'200), kRequestNs + kLater);
  EXPECT_TRUE(index_shortage(one, written(kOne, kOne), {1}, kRequestNs + kLater));
}

TEST_F(HotKeyTest, AHotKeyOfAnIndexStopsTheWritesToIt) {
  for (CapacityLimits* const limits : {&enforces_, &records_}) {
    table_.indexes[0].limits = std::make_shared<table::LimitsKept>();
    Reservations first(*limits, "");
    EXPECT_FALSE(first.reserve(access(Verb::kPut), kOne, kRequestNs));
    EXPECT_FALSE(index_shortage(first, written(kOne, 2'200)));
    first.charge(access(Verb::kPut), written(kOne, 2'200), kRequestNs);
    Reservations second(*limits, "");
    EXPECT_FALSE(second.reserve(access(Verb::kPut), kOne, kRequestNs));
    const int64_t before = left(*limits, true);
    const auto shortage = index_shortage(second, written(kOne, kOne));
    ASSERT_EQ(shortage.has_value(), limits == &enforces_);
    if (shortage) {
      EXPECT_EQ(shortage->limit, ThroughputLimit::kKeyRange);
      EXPECT_EQ(shortage->index, global());
      EXPECT_NEAR(static_cast<double>(shortage->wait_ns), 100e6, 10);
      continue;
    }
    second.charge(access(Verb::kPut), written(kOne, kOne), kRequestNs);
    EXPECT_EQ(left(*limits, true), before + 1);  // as if it had been refused
    EXPECT_EQ(limits->events().at(0).index, "global");
    EXPECT_EQ(limits->events().at(0).recorded.write, 1u);
  }
}

}  // namespace
}  // namespace partita::throttle
