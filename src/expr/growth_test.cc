// What a request pays for its size: four times as much of anything takes about four times the time, wherever a client
// may send as much as a body holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>

#include "expr/condition.h"
#include "expr/legacy.h"
#include "expr/projection.h"
#include "expr/test_support.h"
#include "expr/update.h"
#include "model/limits.h"
#include "model/size.h"

namespace partita::expr {
namespace {

using namespace test;

// The CPU time of the quickest of a few runs, in seconds.
double cost(const std::function<void()>& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const clock_t start = clock();
    run();
    best = std::min(best, static_cast<double>(clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// `prepare` makes what is measured, of a size. A quadratic step makes the larger one sixteen times as dear.
void expect_linear(size_t size, const std::function<std::function<void()>(size_t)>& prepare) {
  const double small = cost(prepare(size));
  const double large = cost(prepare(4 * size));
  EXPECT_LT(large, 9 * small + 0.002) << "from " << small << " s to " << large << " s";
}

// Names whose order is not that of their numbers reversed: "m000123".
std::string name_of(size_t number) {
  std::string digits = std::to_string(number);
  return "m" + std::string(6 - digits.size(), '0') + digits;
}

Item item_of(size_t attributes) {
  std::vector<Item::Entry> entries;
  for (size_t i = 0; i < attributes; ++i) entries.push_back({name_of(i), n(1)});
  return Item::of(std::move(entries));
}

TEST(Growth, MapsAreBuiltFromNamesInAnyOrder) {
  expect_linear(20'000, [](size_t size) {
    return [size] {
      std::vector<Item::Entry> entries;
      for (size_t i = size; i > 0; --i) entries.push_back({name_of(i), n(1)});
      EXPECT_EQ(Item::of(std::move(entries)).size(), size);
    };
  });
}

TEST(Growth, AttributeUpdatesPutInFrontOfAnItem) {
  expect_linear(5'000, [](size_t size) {
    std::vector<LegacyUpdate> updates;
    for (size_t i = size; i > 0; --i) updates.push_back({"a" + name_of(i), LegacyAction::kPut, n(1)});
    return [update = lower_attribute_updates(updates).value(), item = item_of(size)] {
      EXPECT_EQ(apply(update, &item, {}).value().size(), 2 * item.size());
    };
  });
}

TEST(Growth, AttributeUpdatesTakeAwayFromAnItem) {
  expect_linear(5'000, [](size_t size) {
    std::vector<LegacyUpdate> updates;
    for (size_t i = 0; i < size; ++i) updates.push_back({name_of(i), LegacyAction::kDelete, std::nullopt});
    return [update = lower_attribute_updates(updates).value(), item = item_of(size)] {
      EXPECT_TRUE(apply(update, &item, {}).value().empty());
    };
  });
}

// Of a fixed item, by more and more actions.
TEST(Growth, RemoveTakesElementsFromAList) {
  const Item item = attributes({{"l", l(AttributeValue::List(200'000, n(1)))}});
  const auto statement = [](size_t actions) {
    std::string text = "REMOVE ";
    for (size_t i = 0; i < actions; ++i) text += (i > 0 ? ",l[" : "l[") + std::to_string(i) + "]";
    return text;
  };
  const auto costs = [&](size_t actions) {
    Placeholders none;
    const Update update = parse_update(statement(actions), none).value();
    return cost([&] { EXPECT_EQ(apply(update, &item, {}).value().find("l")->as_list().size(), 200'000 - actions); });
  };
  EXPECT_LT(costs(500), 4 * costs(5));
}

TEST(Growth, ContainsLooksThroughTextThatNearlyMatches) {
  expect_linear(20'000, [](size_t size) {
    Placeholders values = given({{":part", s(std::string(size / 2, 'a') + "b")}});
    const Condition condition = parse_condition("contains(t, :part)", ExpressionKind::kFilter, values).value();
    return [condition, item = attributes({{"t", s(std::string(size, 'a'))}})] {
      for (int i = 0; i < 20; ++i) EXPECT_FALSE(evaluate(condition, item));
    };
  });
}

TEST(Growth, FiltersOfManyAttributesNameThemOnce) {
  expect_linear(5'000, [](size_t size) {
    std::vector<LegacyCondition> conditions;
    for (size_t i = size; i > 0; --i) conditions.push_back({name_of(i), LegacyOp::kNull, {}, {}, {}});
    return [conditions] {
      const Condition filter = lower_filter(conditions, LegacyJoin::kAnd).value();
      EXPECT_EQ(filter.attributes().size(), conditions.size());
      EXPECT_TRUE(evaluate(filter, {}));
    };
  });
}

TEST(Growth, ListsOfCandidatesAreSearched) {
  std::vector<AttributeValue> candidates;
  for (int i = 100'000; i > 0; --i) candidates.push_back(n(i));
  const std::vector<LegacyCondition> in = {{"a", LegacyOp::kIn, candidates, {}, {}}};
  const Condition filter = lower_filter(in, LegacyJoin::kAnd).value();
  const Item none = attributes({{"a", n(0)}});
  const Item last = attributes({{"a", n(1)}});
  EXPECT_LT(cost([&] {
              for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(evaluate(filter, none));
              for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(evaluate(filter, last));
            }),
            0.1);
}

// One list under as many names as an expression holds: 400 KB of it are enough to refuse the rest.
TEST(Growth, CopiesStopAtTheLargestItem) {
  const Item item = attributes({{"l", l(AttributeValue::List(130'000, n(1)))}});
  const auto costs = [&](int copies, const std::string& value) {
    std::string text = "SET ";
    for (int i = 0; i < copies; ++i) text += (i > 0 ? ",a" : "a") + std::to_string(i) + "=" + value;
    Placeholders none;
    const Update update = parse_update(text, none).value();
    return cost([&] {
      EXPECT_EQ(outcome(apply(update, &item, {})), "Item size to update has exceeded the maximum allowed size");
    });
  };
  EXPECT_LT(costs(400, "l"), 4 * costs(2, "l") + 0.01);
  EXPECT_LT(costs(150, "list_append(l,l)"), 4 * costs(2, "list_append(l,l)") + 0.01);
}

// The error that a statement deserves does not depend on how much it would have copied.
TEST(Growth, TooMuchDoesNotHideAnotherFault) {
  const Item item = attributes({{"l", l(AttributeValue::List(200'000, n(1)))}});
  Placeholders none;
  const Update missing = parse_update("SET a=l, b=l, c=gone", none).value();
  EXPECT_EQ(model::fault_of(apply(missing, &item, {}).error()), model::Fault::kUpdateAttributeMissing);
  const Update nowhere = parse_update("SET a=l, b=l, c.d=l", none).value();
  EXPECT_EQ(model::fault_of(apply(nowhere, &item, {}).error()), model::Fault::kUpdatePathInvalid);
  const Update no_list = parse_update("SET a=l, b=list_append(l,l), c=list_append(l,l[0])", none).value();
  EXPECT_EQ(model::fault_of(apply(no_list, &item, {}).error()), model::Fault::kUpdateOperandType);
}

}  // namespace
}  // namespace partita::expr
