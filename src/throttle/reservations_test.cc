#include "throttle/reservations.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::throttle {
namespace {

using table::Access;
using table::Verb;

constexpr int64_t kRequestNs = 9'000'000'000;
constexpr model::HalfUnits kOne = 2;

// A table of one unit a second with one global and one local index, so that each bucket holds 300.
class ReservationsTest : public ::testing::Test {
 protected:
  ReservationsTest() {
    table_.name = "T";
    table_.throughput.read_units = table_.throughput.write_units = 1;
    for (const bool global : {true, false}) {
      table::IndexInfo& index = table_.indexes.emplace_back();
      index.name = global ? "global" : "local";
      index.global = global;
      index.throughput.read_units = index.throughput.write_units = global ? 1 : 0;
    }
  }

  Access access(Verb verb, const table::IndexInfo* index = nullptr) const {
    Access one;
    one.verb = verb;
    one.table = &table_;
    one.index = index;
    return one;
  }
  static api::ConsumedCapacity written(model::HalfUnits base, model::HalfUnits global = 0) {
    api::ConsumedCapacity consumed;
    consumed.base.write = base;
    if (global != 0) consumed.global_indexes["global"].write = global;
    return consumed;
  }
  // Whole units that are left.
  int64_t left(CapacityLimits& limits, bool write, const table::IndexInfo* index = nullptr) const {
    TableCapacity& capacity = limits.of(table_, index, kRequestNs);
    int64_t wait_ns = 0;
    int64_t count = 0;
    while (capacity.take(write, kRequestNs, kOne, wait_ns)) ++count;
    capacity.bucket(write).tokens.charge(kRequestNs, -kOne * count);
    return count;
  }
  void empty(CapacityLimits& limits, bool write, const table::IndexInfo* index = nullptr) const {
    limits.of(table_, index, kRequestNs).bucket(write).tokens.charge(kRequestNs, 600);
  }
  const table::IndexInfo* global() const { return &table_.indexes[0]; }
  const table::IndexInfo* local() const { return &table_.indexes[1]; }

  table::TableInfo table_;
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
  enforces_.of(table_, nullptr, kRequestNs).bucket(false).tokens.charge(kRequestNs, 3);
  Reservations one(enforces_, "");
  const auto shortage = one.reserve(access(Verb::kGet), 1, kRequestNs);
  ASSERT_TRUE(shortage);
  EXPECT_FALSE(shortage->write);
  EXPECT_EQ(shortage->index, nullptr);
  EXPECT_EQ(shortage->wait_ns, 1'500'000'001);
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  EXPECT_EQ(enforces_.events().at(0).refused.read, 1u);
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
  EXPECT_FALSE(one.index_shortage(table_, written(kOne, kOne), kRequestNs));
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  one.charge(access(Verb::kPut), written(kOne, 3 * kOne), kRequestNs);
  EXPECT_EQ(left(enforces_, true, global()), 297);
  EXPECT_EQ(left(enforces_, true), 299);
  empty(enforces_, true, global());
  const auto shortage = one.index_shortage(table_, written(kOne, kOne), kRequestNs);
  ASSERT_TRUE(shortage);
  EXPECT_EQ(shortage->index, global());
  EXPECT_TRUE(shortage->write);
  EXPECT_FALSE(one.index_shortage(table_, written(kOne), kRequestNs));
  EXPECT_EQ(left(enforces_, false, global()), 300);
}

TEST_F(ReservationsTest, RecordServesAndCountsAndChargesNothing) {
  empty(records_, true);
  Reservations one(records_, "s");
  EXPECT_FALSE(one.reserve(access(Verb::kPut), kOne, kRequestNs));
  one.charge(access(Verb::kPut), written(50 * kOne, kOne), kRequestNs);
  EXPECT_EQ(left(records_, true, global()), 300);
  EXPECT_EQ(records_.events().at(0).recorded.write, 1u);
  EXPECT_EQ(records_.events().at(0).refused.write, 0u);
  int64_t wait_ns = 0;
  EXPECT_TRUE(records_.of(table_, nullptr, kRequestNs).take(true, kRequestNs + 1, kOne, wait_ns));
}

TEST_F(ReservationsTest, RecordCountsAWriteThatAnIndexWouldHaveStopped) {
  empty(records_, true, global());
  Reservations one(records_, "s");
  EXPECT_FALSE(one.index_shortage(table_, written(kOne, kOne), kRequestNs));
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

}  // namespace
}  // namespace partita::throttle
