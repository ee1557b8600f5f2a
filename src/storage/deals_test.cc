#include "storage/deals.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace partita::storage {
namespace {

using Turn = Claims::Turn;

struct Deal {
  std::vector<Key> keys;
  std::vector<Compare> compare;
  Decide decide;
  Transaction transaction{keys, compare, decide};
  Turn turn = Turn::kTogether;
};

class ClaimsTest : public testing::Test {
 protected:
  Deal& wait(std::string_view keys, std::string_view compare = "", Turn turn = Turn::kTogether) {
    auto& deal = *deals_.emplace_back(std::make_unique<Deal>());
    for (const char key : keys) deal.keys.push_back(Key{std::string(1, key), 0});
    for (const char key : compare) deal.compare.push_back({Key{std::string(1, key), 0}, std::nullopt});
    deal.turn = turn;
    waiting_.push_back(&deal);
    return deal;
  }
  std::vector<Deal*> pick(Claims::Most most = {.members = 100, .keys = 100}) {
    return claims_.pick(waiting_, most, [](const Deal& deal) { return deal.turn; });
  }

  Claims claims_;
  std::deque<Deal*> waiting_;
  std::vector<std::unique_ptr<Deal>> deals_;
};

using Deals = std::vector<Deal*>;

TEST_F(ClaimsTest, AKeyIsInNoTwoBatches) {
  Deal& first = wait("ab");
  Deal& on_same = wait("a");
  EXPECT_EQ(pick(), (Deals{&first, &on_same}));
  claims_.add(first.transaction);
  claims_.add(on_same.transaction);
  Deal& reads = wait("a");
  Deal& compares = wait("c", "b");
  Deal& apart = wait("d");
  EXPECT_EQ(pick(), Deals{&apart});
  claims_.remove(first.transaction);
  EXPECT_EQ(pick(), Deals{&compares});  // the other one claims "a" still
  claims_.remove(on_same.transaction);
  EXPECT_EQ(pick(), Deals{&reads});
  EXPECT_TRUE(waiting_.empty());
}

TEST_F(ClaimsTest, WhoWaitsKeepsItsPlaceOnItsKeys) {
  Deal& under_way = wait("a");
  pick();
  claims_.add(under_way.transaction);
  Deal& waits = wait("ab");
  Deal& behind = wait("b");
  Deal& compares = wait("c", "b");
  Deal& apart = wait("d");
  Deal& last = wait("e");
  EXPECT_EQ(pick({.members = 1, .keys = 100}), Deals{&apart});
  EXPECT_EQ(waiting_, (std::deque<Deal*>{&waits, &behind, &compares, &last}));
}

TEST_F(ClaimsTest, WhoseTurnIsLaterWaitsAndHoldsItsKeys) {
  wait("a", "", Turn::kLater);
  wait("a");
  Deal& apart = wait("b");
  EXPECT_EQ(pick(), Deals{&apart});
}

TEST_F(ClaimsTest, WhoGoesAloneHasNoCompany) {
  Deal& first = wait("a");
  Deal& alone = wait("b", "", Turn::kAlone);
  Deal& behind = wait("c");
  EXPECT_EQ(pick(), (Deals{&first, &behind}));
  Deal& late = wait("d");
  EXPECT_EQ(pick(), Deals{&alone});
  EXPECT_EQ(pick(), Deals{&late});
}

TEST_F(ClaimsTest, ABatchIsBoundedAndASingleOneIsNot) {
  Deal& large = wait("abcd");
  Deal& next = wait("e");
  Deal& third = wait("f");
  EXPECT_EQ(pick({.members = 100, .keys = 3}), Deals{&large});
  EXPECT_EQ(pick({.members = 1, .keys = 3}), Deals{&next});
  EXPECT_EQ(pick({.members = 1, .keys = 3}), Deals{&third});
}

TEST_F(ClaimsTest, WhatWasNeverClaimedMayBeRemoved) {
  Deal& deal = wait("aa");
  claims_.remove(deal.transaction);
  EXPECT_EQ(pick(), Deals{&deal});
}

}  // namespace
}  // namespace partita::storage
