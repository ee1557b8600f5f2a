#include "table/catalog/attribute_lists.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "engines/memory/memory_engine.h"
#include "model/fault.h"
#include "model/limits.h"
#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using model::AttributeListPtr;
using Names = std::vector<std::string>;

// The digests of these two are the same.
const Names kFirst{"pwryemcpjv"};
const Names kSecond{"sosqucyaekab"};

class AttributeListsTest : public TableTest {
 protected:
  static AttributeListPtr store(AttributeLists& lists, Names names) {
    auto stored = wait_for(lists.store(std::move(names)));
    EXPECT_TRUE(stored.ok());
    return stored.ok() ? *stored : nullptr;
  }
  static Names names_of(AttributeLists& lists, uint64_t id) {
    const auto found = wait_for(lists.find(id));
    EXPECT_TRUE(found.ok() && *found != nullptr) << id;
    return found.ok() && *found != nullptr ? (*found)->names : Names();
  }
  static bool is_unknown(AttributeLists& lists, uint64_t id) {
    const auto found = wait_for(lists.find(id));
    return found.ok() && *found == nullptr;
  }
  static Fault fault(AttributeLists& lists, Names names) {
    const auto stored = wait_for(lists.store(std::move(names)));
    EXPECT_FALSE(stored.ok());
    return stored.ok() ? Fault::kCount : model::fault_of(stored.error());
  }

  AttributeLists lists_{engine_};
};

TEST_F(AttributeListsTest, AnIdMeansTheSameOnEveryServerAndAfterARestart) {
  const AttributeListPtr list = store(db().attribute_lists(), {"n", "x"});
  EXPECT_EQ(list->id, model::list_digest(Names{"n", "x"}));
  EXPECT_EQ(list->names, (Names{"n", "x"}));
  EXPECT_TRUE(list->sorted);
  EXPECT_EQ(store(lists_, {"n", "x"})->id, list->id);
  reopen();
  EXPECT_EQ(names_of(db().attribute_lists(), list->id), (Names{"n", "x"}));
  EXPECT_EQ(store(db().attribute_lists(), {"n", "x"})->id, list->id);
}

TEST_F(AttributeListsTest, OrderMatters) {
  const AttributeListPtr list = store(lists_, {"x", "n"});
  EXPECT_NE(list->id, store(lists_, {"n", "x"})->id);
  EXPECT_FALSE(list->sorted);
  EXPECT_EQ(names_of(db().attribute_lists(), list->id), (Names{"x", "n"}));
}

TEST_F(AttributeListsTest, TheEmptyListIsKnownAndNotStored) {
  EXPECT_EQ(store(lists_, {})->id, model::kEmptyAttributeList);
  EXPECT_TRUE(names_of(lists_, model::kEmptyAttributeList).empty());
  EXPECT_EQ(wait_for(engine_.scan(system_rows(SystemRow::kNames), storage::Direction::kAscending, 1, 1))->size(), 0U);
}

TEST_F(AttributeListsTest, OtherIdsAreUnknown) {
  for (const uint64_t id : {uint64_t{0}, uint64_t{2}, model::kAttributeListIds, UINT64_MAX}) {
    EXPECT_TRUE(is_unknown(lists_, id)) << id;
  }
  // A list that another server stores later is found.
  const uint64_t id = model::list_digest(Names{"a"});
  EXPECT_TRUE(is_unknown(lists_, id));
  store(db().attribute_lists(), {"a"});
  EXPECT_EQ(names_of(lists_, id), Names{"a"});
}

TEST_F(AttributeListsTest, TheSecondListOfADigestGetsTheNextId) {
  const uint64_t id = model::list_digest(kFirst);
  ASSERT_EQ(model::list_digest(kSecond), id);
  EXPECT_EQ(store(lists_, kFirst)->id, id);
  EXPECT_EQ(store(lists_, kSecond)->id, id + 1);
  AttributeLists other(engine_);
  for (AttributeLists* const lists : {&lists_, &other}) {
    EXPECT_EQ(store(*lists, kSecond)->id, id + 1);
    EXPECT_EQ(store(*lists, kFirst)->id, id);
    EXPECT_EQ(names_of(*lists, id), kFirst);
    EXPECT_EQ(names_of(*lists, id + 1), kSecond);
  }
}

// Both have read that the id is free.
TEST_F(AttributeListsTest, TwoServersThatStoreAtOnceAgree) {
  for (const bool same : {true, false}) {
    AttributeLists other(engine_);
    const Names& mine = same ? Names{"both"} : kFirst;
    const Names& theirs = same ? Names{"both"} : kSecond;
    AttributeListPtr stored;
    bool begun = false;
    engine_.after_read = [&] {
      if (!std::exchange(begun, true)) stored = store(other, theirs);
    };
    const AttributeListPtr list = store(lists_, mine);
    engine_.after_read = nullptr;
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->id, model::list_digest(mine));
    EXPECT_EQ(list->id, stored->id + (same ? 0 : 1));
    EXPECT_EQ(list->names, mine);
  }
}

TEST_F(AttributeListsTest, ManyAreReadAtOnceAndStoredInOneTransaction) {
  std::vector<Names> wanted{{}, kSecond, {"known"}, kFirst};
  const uint64_t known = store(lists_, {"known"})->id;
  for (int i = 0; i < 500; ++i) wanted.push_back({"n" + std::to_string(i), "x"});
  int reads = 0;
  int transactions = 0;
  engine_.after_read = [&] { ++reads; };
  engine_.after_transact = [&] { ++transactions; };
  const auto stored = wait_for(lists_.store_all(wanted));
  EXPECT_EQ(transactions, 2);  // one more, since two have the same digest
  EXPECT_LE(reads, 3);
  ASSERT_TRUE(stored.ok());
  ASSERT_EQ(stored->size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ((*stored)[i]->names, wanted[i]) << i;
  EXPECT_EQ((*stored)[0]->id, model::kEmptyAttributeList);
  EXPECT_EQ((*stored)[2]->id, known);
  EXPECT_NE((*stored)[1]->id, (*stored)[3]->id);

  AttributeLists other(engine_);
  reads = 0;
  std::vector<uint64_t> ids{uint64_t{0}, uint64_t{2}};
  for (const AttributeListPtr& list : *stored) ids.push_back(list->id);
  const auto found = wait_for(other.find_all(ids));
  EXPECT_EQ(reads, 1);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ((*found)[0], nullptr);
  EXPECT_EQ((*found)[1], nullptr);
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ((*found)[i + 2]->names, wanted[i]) << i;
  EXPECT_EQ(wait_for(other.store_all(wanted))->back()->id, stored->back()->id);
  engine_.after_read = nullptr;
  engine_.after_transact = nullptr;
  EXPECT_EQ(transactions, 2);
}

TEST_F(AttributeListsTest, TransactionsAreBounded) {
  int transactions = 0;
  engine_.after_transact = [&] { ++transactions; };
  std::vector<Names> many;
  for (size_t i = 0; i <= AttributeLists::kMostAtOnce; ++i) many.push_back({std::to_string(i)});
  EXPECT_EQ(wait_for(lists_.store_all(many))->back()->names, many.back());
  EXPECT_EQ(transactions, 2);
  std::vector<Names> large;
  for (char c = 'a'; c <= 'f'; ++c) {
    large.emplace_back();
    for (size_t i = 0; i < 6; ++i) large.back().push_back(std::string(60'000, c) + std::to_string(i));
  }
  transactions = 0;
  EXPECT_EQ(wait_for(lists_.store_all(large))->back()->names, large.back());
  engine_.after_transact = nullptr;
  EXPECT_EQ(transactions, 2);  // three lists of 360,000 bytes are more than a megabyte
}

// Another server stores one of them in between.
TEST_F(AttributeListsTest, ManyThatAreStoredAtOnceByTwoServersAgree) {
  AttributeLists other(engine_);
  AttributeListPtr theirs;
  bool begun = false;
  engine_.after_read = [&] {
    if (!std::exchange(begun, true)) theirs = store(other, {"b"});
  };
  const auto stored = wait_for(lists_.store_all(std::vector<Names>{{"a"}, {"b"}, {"c"}}));
  engine_.after_read = nullptr;
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ((*stored)[1]->id, theirs->id);
  EXPECT_EQ(names_of(other, (*stored)[0]->id), Names{"a"});
  EXPECT_EQ(names_of(other, (*stored)[2]->id), Names{"c"});
}

TEST_F(AttributeListsTest, RefusesNamesThatNoItemHas) {
  EXPECT_EQ(fault(lists_, {"a", ""}), Fault::kEmptyAttributeName);
  EXPECT_EQ(fault(lists_, {std::string(model::kMaxAttributeNameBytes + 1, 'a')}), Fault::kAttributeNameTooLong);
  EXPECT_EQ(fault(lists_, {"a", "\xff"}), Fault::kDaxMalformed);
  EXPECT_EQ(fault(lists_, {"b", "a", "b"}), Fault::kDaxMalformed);
  EXPECT_EQ(model::fault_of(wait_for(lists_.store_all(std::vector<Names>{{"a"}, {""}})).error()),
            Fault::kEmptyAttributeName);
  Names most;
  for (size_t i = 0; i < model::kMaxItemBytes / 8; ++i) most.push_back(std::to_string(10'000'000 + i));
  const AttributeListPtr list = store(lists_, most);
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(names_of(db().attribute_lists(), list->id), most);
  most.emplace_back("x");
  EXPECT_EQ(fault(lists_, most), Fault::kItemTooLarge);
}

TEST_F(AttributeListsTest, MemoryIsBoundedAndTheLeastRecentlyUsedGoesFirst) {
  constexpr size_t kMost = 4'000;
  AttributeLists small(engine_, kMost);
  const auto id = [](int i) { return model::list_digest(Names{std::to_string(i)}); };
  int reads = 0;
  engine_.after_read = [&] { ++reads; };
  for (int i = 0; i < 100; ++i) {
    store(small, {std::to_string(i)});
    names_of(small, id(0));  // used again and again
    EXPECT_LE(small.cached_bytes(), kMost);
  }
  EXPECT_GT(small.cached_bytes(), kMost / 2);
  names_of(small, id(99));
  EXPECT_EQ(reads, 100);  // one before each is stored
  EXPECT_EQ(names_of(small, id(1)), Names{"1"});
  EXPECT_EQ(reads, 101);
  store(small, {std::string(kMost, 'a')});  // too large to be kept
  names_of(small, id(0));
  EXPECT_EQ(reads, 102);
  engine_.after_read = nullptr;
}

TEST_F(AttributeListsTest, DamagedRowsAreNoLists) {
  const uint64_t id = model::list_digest(Names{"a", "b"});
  const std::string good = attribute_list_row({"a", "b"});
  EXPECT_TRUE(attribute_list_from(id, good).ok());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(attribute_list_from(id, good.substr(0, size)).error().kind(), ErrorKind::kCorrupt) << size;
  }
  EXPECT_FALSE(attribute_list_from(id, good + '\0').ok());
  EXPECT_FALSE(attribute_list_from(id + 1'000, good).ok());
  EXPECT_FALSE(attribute_list_from(id, attribute_list_row({"b", "a"})).ok());
  EXPECT_FALSE(attribute_list_from(id, '\2' + good.substr(1)).ok());
  TableTest::store(attribute_list_key(id), good.substr(0, 3));
  EXPECT_EQ(wait_for(lists_.find(id)).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(wait_for(lists_.store({"a", "b"})).error().kind(), ErrorKind::kCorrupt);
}

TEST_F(AttributeListsTest, AFailureIsReportedAndStoresNothing) {
  engine_.writes_left = 0;
  EXPECT_EQ(wait_for(lists_.store({"a"})).error().kind(), ErrorKind::kUnavailable);
  engine_.writes_left = INT64_MAX;
  EXPECT_TRUE(is_unknown(lists_, model::list_digest(Names{"a"})));
  EXPECT_NE(store(lists_, {"a"}), nullptr);
}

TEST_F(AttributeListsTest, ManyThreadsGetTheSameIds) {
  AttributeLists shared(engine_, 2'000);
  std::vector<std::map<std::string, uint64_t>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : found) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          const std::string name = std::to_string(i % 40);
          const auto stored = wait_for(shared.store({name}));
          if (stored.ok()) mine[name] = (*stored)->id;
        }
      });
    }
  }
  EXPECT_EQ(found[0].size(), 40U);
  for (const auto& one : found) EXPECT_EQ(one, found[0]);
}

TEST_F(AttributeListsTest, NoTwoHaveTheSameNumber) {
  EXPECT_NE(lists_.number(), db().attribute_lists().number());
  EXPECT_EQ(lists_.number(), lists_.number());
}

}  // namespace
}  // namespace partita::table
