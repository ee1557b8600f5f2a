#include "storage/group_commit.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace partita::storage {
namespace {

using Eligibility = InFlightKeys::Eligibility;

struct PendingTxn {
  std::vector<Key> keys;
  std::vector<Compare> compare;
  Decide decide;
  Transaction transaction{keys, compare, decide};
  Eligibility eligibility = Eligibility::kGrouped;
};

class ClaimsTest : public testing::Test {
 protected:
  PendingTxn& wait(std::string_view keys, std::string_view compare = "",
                   Eligibility eligibility = Eligibility::kGrouped) {
    auto& txn = *deals_.emplace_back(std::make_unique<PendingTxn>());
    for (const char key : keys) txn.keys.push_back(Key{std::string(1, key), 0});
    for (const char key : compare) txn.compare.push_back({Key{std::string(1, key), 0}, std::nullopt});
    txn.eligibility = eligibility;
    waiting_.push_back(&txn);
    return txn;
  }
  std::vector<PendingTxn*> pick(InFlightKeys::GroupLimits most = {.members = 100, .keys = 100}) {
    return in_flight_keys_.pick(waiting_, most, [](const PendingTxn& txn) { return txn.eligibility; });
  }

  InFlightKeys in_flight_keys_;
  std::deque<PendingTxn*> waiting_;
  std::vector<std::unique_ptr<PendingTxn>> deals_;
};

using Deals = std::vector<PendingTxn*>;

TEST_F(ClaimsTest, AKeyIsInNoTwoBatches) {
  PendingTxn& first = wait("ab");
  PendingTxn& on_same = wait("a");
  EXPECT_EQ(pick(), (Deals{&first, &on_same}));
  in_flight_keys_.add(first.transaction);
  in_flight_keys_.add(on_same.transaction);
  PendingTxn& reads = wait("a");
  PendingTxn& compares = wait("c", "b");
  PendingTxn& apart = wait("d");
  EXPECT_EQ(pick(), Deals{&apart});
  in_flight_keys_.remove(first.transaction);
  EXPECT_EQ(pick(), Deals{&compares});  // the other one claims "a" still
  in_flight_keys_.remove(on_same.transaction);
  EXPECT_EQ(pick(), Deals{&reads});
  EXPECT_TRUE(waiting_.empty());
}

TEST_F(ClaimsTest, WhoWaitsKeepsItsPlaceOnItsKeys) {
  PendingTxn& under_way = wait("a");
  pick();
  in_flight_keys_.add(under_way.transaction);
  PendingTxn& waits = wait("ab");
  PendingTxn& behind = wait("b");
  PendingTxn& compares = wait("c", "b");
  PendingTxn& apart = wait("d");
  PendingTxn& last = wait("e");
  EXPECT_EQ(pick({.members = 1, .keys = 100}), Deals{&apart});
  EXPECT_EQ(waiting_, (std::deque<PendingTxn*>{&waits, &behind, &compares, &last}));
}

TEST_F(ClaimsTest, WhoseTurnIsLaterWaitsAndHoldsItsKeys) {
  wait("a", "", Eligibility::kNotYet);
  wait("a");
  PendingTxn& apart = wait("b");
  EXPECT_EQ(pick(), Deals{&apart});
}

TEST_F(ClaimsTest, WhoGoesAloneHasNoCompany) {
  PendingTxn& first = wait("a");
  PendingTxn& alone = wait("b", "", Eligibility::kAlone);
  PendingTxn& behind = wait("c");
  EXPECT_EQ(pick(), (Deals{&first, &behind}));
  PendingTxn& late = wait("d");
  EXPECT_EQ(pick(), Deals{&alone});
  EXPECT_EQ(pick(), Deals{&late});
}

TEST_F(ClaimsTest, ABatchIsBoundedAndASingleOneIsNot) {
  PendingTxn& large = wait("abcd");
  PendingTxn& next = wait("e");
  PendingTxn& third = wait("f");
  EXPECT_EQ(pick({.members = 100, .keys = 3}), Deals{&large});
  EXPECT_EQ(pick({.members = 1, .keys = 3}), Deals{&next});
  EXPECT_EQ(pick({.members = 1, .keys = 3}), Deals{&third});
}

TEST_F(ClaimsTest, WhatWasNeverClaimedMayBeRemoved) {
  PendingTxn& txn = wait("aa");
  in_flight_keys_.remove(txn.transaction);
  EXPECT_EQ(pick(), Deals{&txn});
}

}  // namespace
}  // namespace partita::storage
