#include "storage/batch.h"

#include <gtest/gtest.h>

#include <memory>

namespace partita::storage {
namespace {

constexpr Limits kLimits{.key_bytes = 100, .record_bytes = size_t{4} << 20, .transaction_bytes = size_t{8} << 20};

// A transaction and all that it refers to.
struct Member {
  std::vector<Key> keys;
  std::vector<Compare> compare;
  Decide decide;
  Transaction transaction{keys, compare, decide};
  Outcome outcome() const { return transaction.outcome.value(); }
};

std::unique_ptr<Member> member(std::vector<std::string> names, Decide decide, std::vector<Compare> compare = {}) {
  auto made = std::make_unique<Member>();
  for (std::string& name : names) made->keys.push_back(Key{std::move(name), 0});
  made->compare = std::move(compare);
  made->decide = std::move(decide);
  return made;
}

Decide append_letter(char letter) {
  return [letter](std::span<const Record* const> found, Changes& changes) {
    changes.put(Key{"k", 0}, (found[0] == nullptr ? std::string() : found[0]->value) + letter);
    return Decision::kCommit;
  };
}

Decide refuse_if_present = [](std::span<const Record* const> found, Changes&) {
  return found[0] == nullptr ? Decision::kCommit : Decision::kRefuse;
};

class BatchTest : public testing::Test {
 protected:
  Version draw() { return Version{++last_}; }
  size_t evaluate(Batch& batch) {
    return batch.evaluate([this] { return draw(); }).size();
  }
  uint64_t last_ = 100;
};

TEST_F(BatchTest, EachSeesWhatThoseBeforeItWrite) {
  const auto a = member({"k"}, append_letter('a'));
  const auto b = member({"k"}, append_letter('b'));
  std::string seen;
  const auto c = member({"k"}, [&](std::span<const Record* const> found, Changes&) {
    seen = found[0]->value;
    return Decision::kRefuse;
  });
  Batch batch({&a->transaction, &b->transaction, &c->transaction}, kLimits);
  ASSERT_EQ(batch.wanted().size(), 1u);
  batch.found(0, Version{7}, "x");
  EXPECT_EQ(evaluate(batch), 0u);
  EXPECT_EQ(a->outcome(), Outcome::kCommitted);
  EXPECT_EQ(c->outcome(), Outcome::kRefused);
  EXPECT_EQ(seen, "xab");
  EXPECT_NE(a->transaction.version, b->transaction.version);
  EXPECT_TRUE(batch.has_effects());
}

TEST_F(BatchTest, WhatIsOnlyComparedIsLookedAtWithoutItsValue) {
  const auto a = member({"k"}, append_letter('a'), {{Key{"d", 0}, Version{1}}, {Key{"k", 0}, Version{7}}});
  Batch batch({&a->transaction}, kLimits);
  ASSERT_EQ(batch.wanted().size(), 2u);
  EXPECT_EQ(batch.wanted()[0].key, "d");
  EXPECT_FALSE(batch.wanted()[0].value);
  EXPECT_TRUE(batch.wanted()[1].value);
}

TEST_F(BatchTest, AWriteMakesThoseBehindItStale) {
  const auto a = member({"k"}, append_letter('a'));
  const auto b = member({"k"}, append_letter('b'), {{Key{"k", 0}, Version{7}}});
  Batch batch({&a->transaction, &b->transaction}, kLimits);
  batch.found(0, Version{7}, "x");
  evaluate(batch);
  EXPECT_EQ(a->outcome(), Outcome::kCommitted);
  EXPECT_EQ(b->outcome(), Outcome::kStale);
}

TEST_F(BatchTest, WhatOnlyLooksNeedsNoCommit) {
  const auto a = member({"k"}, refuse_if_present);
  const auto b = member({"l"}, refuse_if_present);
  Batch batch({&a->transaction, &b->transaction}, kLimits);
  batch.found(0, Version{7}, "x");
  evaluate(batch);
  EXPECT_EQ(a->outcome(), Outcome::kRefused);
  EXPECT_EQ(b->outcome(), Outcome::kCommitted);
  EXPECT_FALSE(batch.has_effects());
}

TEST_F(BatchTest, OneThatIsTooLargeTakesNobodyAlong) {
  const auto a = member({}, [](auto, Changes& changes) {
    changes.put(Key{"k", 0}, std::string(kLimits.record_bytes + 1, 'v'));
    return Decision::kCommit;
  });
  const auto b = member({"k"}, append_letter('b'));
  Batch batch({&a->transaction, &b->transaction}, kLimits);
  evaluate(batch);
  EXPECT_EQ(a->transaction.outcome.error().kind(), ErrorKind::kTooLarge);
  EXPECT_EQ(b->outcome(), Outcome::kCommitted);
}

TEST_F(BatchTest, TakesNoMoreMembersOnceItWritesMuch) {
  const Decide much = [](auto, Changes& changes) {
    changes.put(Key{"k", 0}, std::string(size_t{3} << 20, 'v'));
    return Decision::kCommit;
  };
  const auto a = member({}, much);
  const auto b = member({}, much);
  Batch batch({&a->transaction, &b->transaction}, kLimits);
  EXPECT_EQ(evaluate(batch), 1u);
  EXPECT_EQ(batch.members().size(), 1u);
}

}  // namespace
}  // namespace partita::storage
