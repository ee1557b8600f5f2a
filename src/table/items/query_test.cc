#include "table/items/query.h"

#include <algorithm>
#include <set>

#include "base/yield_budget.h"
#include "expr/legacy.h"
#include "expr/test_support.h"
#include "model/limits.h"
#include "model/size.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

using expr::KeyRange;
using expr::SortCondition;
using expr::SortOp;
using model::Type;

// A request with its plan, said by hand.
struct RangeRead : api::RangeRequest {
  Table table;
  const IndexInfo* index = nullptr;
  std::optional<KeyRange> range;
  bool whole_items = false;
};

class QueryTest : public TableTest {
 protected:
  RangeRead on(const std::string& table, const std::string& index = "") {
    RangeRead request;
    request.table = find(table);
    if (!index.empty()) request.index = request.table->find_index(index);
    return request;
  }
  Result<api::RangeReply> read(const RangeRead& request) {
    RangePlan plan{request.table, &request, request.index, request.range, request.whole_items, {}};
    PARTITA_TRY(plan.rows, rows_of(plan));
    return wait_for(run(db(), plan));
  }

  // All pages of `limit` rows, one after the other.
  std::vector<Item> read_pages(RangeRead request, uint64_t limit) {
    request.limit = limit;
    std::vector<Item> items;
    for (;;) {
      const auto page = read(request);
      EXPECT_TRUE(page.ok());
      if (!page.ok()) return items;
      EXPECT_LE(page->scanned, limit);
      EXPECT_EQ(page->last_key.has_value(), page->scanned == limit);
      for (const auto& found : page->items) items.push_back(decoded(found));
      if (!page->last_key) return items;
      request.start = page->last_key;
    }
  }
  Fault fault(const RangeRead& request) {
    const auto page = read(request);
    EXPECT_FALSE(page.ok());
    return page.ok() ? Fault::kCount : model::fault_of(page.error());
  }
};

// Few distinct bytes, so that values share prefixes and hit the ends of the stored form.
AttributeValue random_sort_value(Type type, Random& random) {
  if (type == Type::kN) {
    const std::string digits = std::to_string(static_cast<int64_t>(random.below(400)) - 200);
    return AttributeValue::number(model::Number::parse(digits + "e" + std::to_string(random.below(3))).value());
  }
  const std::string alphabet = type == Type::kS ? std::string("\0\1a\x7f", 4) : std::string("\0\1a\xff", 4);
  std::string bytes;
  for (uint64_t left = 1 + random.below(3); left > 0; --left) bytes += alphabet[random.below(4)];
  return type == Type::kS ? s(bytes) : b(bytes);
}

// One table for each sort type, with an index whose sort values are shared by several items.
class SortedTest : public QueryTest, public testing::WithParamInterface<Type> {
 protected:
  SortedTest() {
    api::CreateTableRequest request = plain_table();
    request.definitions = {{"pk", Type::kS}, {"sk", GetParam()}, {"g", Type::kS}, {"v", GetParam()}};
    api::IndexRequest index = index_request("by-v", {hash("g"), range("v")}, api::ProjectionKind::kKeysOnly);
    request.global_indexes = {{index}};
    create(request);
    for (int i = 0; i < 60; ++i) {
      Item one = item({{"pk", s("p")}, {"sk", random_sort_value(GetParam(), chance_)}, {"g", s("g")}});
      one.set("v", random_sort_value(GetParam(), chance_));
      put("T", one);
      for (const char* other : {"o", "p\x01", "q"}) {
        one.set("pk", s(other));
        one.set("g", s(other));
        put("T", one);
      }
    }
  }

  SortCondition random_condition() {
    for (;;) {
      SortCondition condition;
      condition.op = static_cast<SortOp>(chance_.below(6));
      condition.value = random_sort_value(GetParam(), chance_);
      condition.upper = random_sort_value(GetParam(), chance_);
      if (condition.op == SortOp::kBeginsWith && GetParam() == Type::kN) continue;
      if (model::compare_scalars(condition.value, condition.upper) <= 0) return condition;
    }
  }

  // The rows of the partition that meet the condition, in order.
  std::vector<Item> expected(const std::string& index, const std::string& sort, const SortCondition& condition) {
    std::vector<Item> items;
    for (const auto& one : rows("T", index)) {
      const bool inside = index.empty() ? *one.find("pk") == s("p") : *one.find("g") == s("g");
      if (inside && expr::test::meets(condition, *one.find(sort))) items.push_back(one);
    }
    auto less = [&](const Item& x, const Item& y) {
      const auto order = model::compare_scalars(*x.find(sort), *y.find(sort));
      return order != 0 ? order < 0 : model::compare_scalars(*x.find("sk"), *y.find("sk")) < 0;
    };
    std::ranges::sort(items, less);
    return items;
  }

  void expect_query(const std::string& index, const std::string& sort) {
    for (int i = 0; i < 60; ++i) {
      RangeRead request = on("T", index);
      request.range.emplace();
      request.range->partition = {s(index.empty() ? "p" : "g")};
      request.range->sort_range = random_condition();
      std::vector<Item> wanted = expected(index, sort, *request.range->sort_range);
      for (const bool forward : {true, false}) {
        request.forward = forward;
        if (!forward) std::ranges::reverse(wanted);
        for (const uint64_t limit : {uint64_t{1}, 1 + chance_.below(7), uint64_t{1'000}}) {
          EXPECT_TRUE(read_pages(request, limit) == wanted) << i << " " << forward << " " << limit;
        }
      }
    }
  }

  SeededRandom chance_{7};
};

TEST_P(SortedTest, TheTableAnswersEveryOperator) { expect_query("", "sk"); }
TEST_P(SortedTest, AnIndexAnswersEveryOperator) { expect_query("by-v", "v"); }

TEST_P(SortedTest, EqualityFindsAllThatShareAValue) {
  for (const auto& one : rows("T", "by-v")) {
    RangeRead request = on("T", "by-v");
    request.range = KeyRange{{*one.find("g")}, {*one.find("v")}, std::nullopt};
    const auto wanted = std::ranges::count_if(rows("T", "by-v"), [&](const Item& x) {
      return *x.find("g") == *one.find("g") && *x.find("v") == *one.find("v");
    });
    EXPECT_EQ(read_pages(request, 2).size(), static_cast<size_t>(wanted));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SortedTest, testing::Values(Type::kS, Type::kN, Type::kB),
                         [](const auto& tested) { return std::string(model::type_name(tested.param)); });

class RangeTest : public QueryTest {
 protected:
  RangeTest() {
    api::CreateTableRequest request = plain_table();
    request.definitions.insert(request.definitions.end(), {{"g", Type::kS}, {"h", Type::kN}, {"l", Type::kN}});
    api::IndexRequest local = index_request("local", {hash("pk"), range("l")}, api::ProjectionKind::kKeysOnly);
    local.global = false;
    request.local_indexes = {{local}};
    request.global_indexes = {{index_request("many", {hash("g"), hash("h"), range("l"), range("sk")})}};
    create(request);
  }

  Item row(int64_t number) {
    return item({{"pk", s("p" + std::to_string(number % 50))},
                 {"sk", n(number)},
                 {"g", s("g" + std::to_string(number % 3))},
                 {"h", n(number % 2)},
                 {"l", n(-number)},
                 {"a", n(number % 10)}});
  }
  void fill(int64_t items) {
    for (int64_t number = 0; number < items; ++number) put("T", row(number));
  }
  std::set<std::string> all(const std::string& index) {
    std::set<std::string> found;
    for (const auto& one : rows("T", index)) found.insert(encoded(one));
    return found;
  }
};

TEST_F(RangeTest, SegmentsShareOutEveryRowOnce) {
  fill(700);
  for (const std::string index : {"", "local", "many"}) {
    const auto wanted = all(index);
    ASSERT_EQ(wanted.size(), 700u);
    for (const uint32_t total : {1u, 2u, 3u, 7u, 64u, 1'000u}) {
      std::set<std::string> found;
      size_t count = 0;
      for (uint32_t segment = 0; segment < total; ++segment) {
        RangeRead request = on("T", index);
        request.segment = {segment, total};
        for (const auto& one : read_pages(request, 40)) {
          found.insert(encoded(one));
          ++count;
        }
      }
      EXPECT_EQ(count, wanted.size()) << index << " " << total;
      EXPECT_TRUE(found == wanted) << index << " " << total;
    }
  }
  RangeRead last = on("T");
  last.segment = {999'999, 1'000'000};
  EXPECT_TRUE(read(last).ok());
}

TEST_F(RangeTest, SeveralKeyAttributesNarrowInTheirOrder) {
  fill(120);
  RangeRead request = on("T", "many");
  request.range = KeyRange{{s("g0"), n(0)}, {}, std::nullopt};
  EXPECT_EQ(read_pages(request, 7).size(), 20u);
  request.range->sort_range = SortCondition{SortOp::kLess, n(-60), {}};
  EXPECT_EQ(read_pages(request, 7).size(), 9u);
  request.range = KeyRange{{s("g0"), n(0)}, {n(-6)}, std::nullopt};
  EXPECT_EQ(read_pages(request, 7), std::vector<Item>{row(6)});
  request.range->sort_range = SortCondition{SortOp::kGreaterEqual, n(6), {}};
  EXPECT_EQ(read_pages(request, 7), std::vector<Item>{row(6)});
  request.range->sort_range = SortCondition{SortOp::kGreater, n(6), {}};
  EXPECT_TRUE(read_pages(request, 7).empty());
}

TEST_F(RangeTest, APageHoldsAMegabyte) {
  for (int64_t number = 0; number < 5; ++number) {
    Item big = item({{"pk", s("p")}, {"sk", n(number)}, {"big", s(std::string(300'000, 'x'))}});
    put("T", big);
  }
  RangeRead request = on("T");
  request.range = KeyRange{{s("p")}, {}, std::nullopt};
  request.consistent = true;
  const auto first = read(request).value();
  EXPECT_EQ(first.scanned, 3u);
  ASSERT_TRUE(first.last_key);
  EXPECT_EQ(*first.last_key, item({{"pk", s("p")}, {"sk", n(2)}}));
  EXPECT_EQ(first.consumed.base.read, 2 * ((3 * 300'010 + 4095) / 4096));
  request.start = first.last_key;
  const auto second = read(request).value();
  EXPECT_EQ(second.scanned, 2u);
  EXPECT_FALSE(second.last_key);
}

TEST_F(RangeTest, LongReadsGoOnWhereTheStoreLeftOff) {
  for (int64_t number = 0; number < 2'500; ++number) put("T", item({{"pk", s("p")}, {"sk", n(number)}}));
  RangeRead request = on("T");
  request.range = KeyRange{{s("p")}, {}, std::nullopt};
  for (const bool forward : {true, false}) {
    request.forward = forward;
    const auto page = read(request).value();
    EXPECT_FALSE(page.last_key);
    ASSERT_EQ(page.items.size(), 2'500u);
    for (int64_t i = 0; i < 2'500; ++i) {
      ASSERT_EQ(*decoded(page.items[static_cast<size_t>(i)]).find("sk"), n(forward ? i : 2'499 - i));
    }
  }
}

// What the store gives at once ends where the page does, and nothing of it is kept.
TEST_F(RangeTest, APageThatIsFullBeforeTheStoresNextRowsSaysWhereItEnded) {
  constexpr size_t kItemBytes = 1024;
  for (int64_t number = 0; number < 1'025; ++number) {
    Item row = item({{"pk", s("p")}, {"sk", n(number)}, {"v", s("")}});
    row.set("v", s(std::string(kItemBytes - model::item_size(row), 'v')));
    put("T", row);
  }
  RangeRead request = on("T");
  request.range = KeyRange{{s("p")}, {}, std::nullopt};
  request.select = api::Select::kCount;
  const auto page = read(request).value();
  EXPECT_EQ(page.count, model::kMaxPageBytes / kItemBytes);
  ASSERT_TRUE(page.last_key);
  EXPECT_EQ(*page.last_key->find("sk"), n(1'023));
}

TEST_F(RangeTest, ALimitThatIsMetAtTheEndStillSaysWhereItEnded) {
  fill(3);
  RangeRead request = on("T");
  request.limit = 3;
  EXPECT_TRUE(read(request).value().last_key);
  request.limit = 4;
  EXPECT_FALSE(read(request).value().last_key);
}

TEST_F(RangeTest, FiltersCountAndProjectionsComeAfterTheLimit) {
  fill(50);
  RangeRead request = on("T");
  expr::Placeholders given = expr::Placeholders::make(std::nullopt, item({{":a", n(3)}})).value();
  request.filter = expr::parse_condition("a = :a", expr::ExpressionKind::kFilter, given).value();
  request.projection = expr::parse_projection("sk", given).value();
  auto page = read(request).value();
  EXPECT_EQ(page.scanned, 50u);
  EXPECT_EQ(page.count, 5u);
  ASSERT_EQ(page.items.size(), 5u);
  EXPECT_EQ(decoded(page.items[0]).size(), 1u);
  request.select = api::Select::kCount;
  page = read(request).value();
  EXPECT_EQ(page.count, 5u);
  EXPECT_TRUE(page.items.empty());
}

TEST_F(RangeTest, ALocalIndexFetchesWhatItDoesNotHold) {
  fill(100);
  RangeRead request = on("T", "local");
  request.range = KeyRange{{s("p7")}, {}, std::nullopt};
  request.whole_items = true;
  request.consistent = true;
  const auto page = read(request).value();
  ASSERT_EQ(page.items.size(), 2u);
  EXPECT_EQ(decoded(page.items[0]), row(57));
  EXPECT_EQ(decoded(page.items[1]), row(7));
  EXPECT_EQ(page.consumed.local_indexes.at("local").read, 2);
  EXPECT_EQ(page.consumed.base.read, 4);
  request.whole_items = false;
  EXPECT_EQ(decoded(read(request).value().items[0]).size(), 3u);
}

TEST_F(RangeTest, ARowOfALocalIndexWithoutItsKeyIsDamage) {
  fill(10);
  const storage::Key stored = *index_key(*find("T"), *find("T")->find_index("local"), row(7));
  for (const Item& damaged : {item({{"pk", s("p7")}, {"l", n(-7)}}), item({{"pk", n(7)}, {"sk", n(7)}})}) {
    store(stored, encoded(damaged));
    RangeRead request = on("T", "local");
    request.range = KeyRange{{s("p7")}, {}, std::nullopt};
    request.whole_items = true;
    const auto page = read(request);
    ASSERT_FALSE(page.ok());
    EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST_F(RangeTest, APageThatEndsAtARowWithoutItsKeyIsDamage) {
  fill(10);
  const auto table = find("T");
  const Item whole = row(7);
  RangeRead requests[] = {on("T"), on("T", "local")};
  const storage::Key rows[] = {item_key(*table, whole), *index_key(*table, *table->find_index("local"), whole)};
  for (size_t i = 0; i < 2; ++i) {
    store(rows[i], encoded(item({{"pk", s("p7")}, {"l", n(-7)}})));
    requests[i].range = KeyRange{{s("p7")}, {}, std::nullopt};
    requests[i].limit = 1;
    const auto page = read(requests[i]);
    ASSERT_FALSE(page.ok());
    EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST_F(RangeTest, NothingReadIsChargedTheLeast) {
  RangeRead request = on("T");
  EXPECT_EQ(read(request).value().consumed.base.read, 1);
  request.consistent = true;
  EXPECT_EQ(read(request).value().consumed.base.read, 2);
  EXPECT_EQ(read(on("T", "many")).value().consumed.global_indexes.at("many").read, 1);
  EXPECT_EQ(read(on("T", "many")).value().consumed.base.read, 0);
}

TEST_F(RangeTest, AStartKeyNeedNotBeThereAnyMore) {
  fill(200);
  RangeRead request = on("T");
  request.range = KeyRange{{s("p1")}, {}, std::nullopt};
  request.start = item({{"pk", s("p1")}, {"sk", n(60)}});
  EXPECT_EQ(read_pages(request, 10), (std::vector<Item>{row(101), row(151)}));
  request.forward = false;
  EXPECT_EQ(read_pages(request, 10), (std::vector<Item>{row(51), row(1)}));
}

TEST_F(RangeTest, StartKeysOfAScanAreChecked) {
  fill(20);
  RangeRead scan = on("T");
  for (const Item& wrong : {item({{"pk", s("p")}}), item({{"pk", s("p")}, {"sk", s("1")}}),
                            item({{"pk", s("p")}, {"sk", n(1)}, {"l", n(1)}}), item({{"pk", s("")}, {"sk", n(1)}})}) {
    scan.start = wrong;
    EXPECT_EQ(fault(scan), Fault::kStartKeyMismatch);
  }
  // One row, asked of every segment but its own.
  scan.start = item({{"pk", s("p1")}, {"sk", n(1)}});
  int refused = 0;
  for (uint32_t segment = 0; segment < 4; ++segment) {
    scan.segment = {segment, 4};
    const auto page = read(scan);
    if (page.ok()) continue;
    ++refused;
    EXPECT_EQ(model::fault_of(page.error()), Fault::kStartKeyOutsideSegment);
    EXPECT_EQ(page.error().args(), (std::vector<std::string>{"4", std::to_string(segment)}));
  }
  EXPECT_EQ(refused, 3);
  RangeRead index = on("T", "many");
  index.start = item({{"pk", s("p1")}, {"sk", n(1)}});
  EXPECT_EQ(fault(index), Fault::kStartKeyInvalid);
  index.start = item({{"pk", s("p1")}, {"sk", n(1)}, {"g", s("g1")}, {"h", s("1")}, {"l", n(-1)}});
  EXPECT_EQ(fault(index), Fault::kKeySchemaMismatch);
  index.start->set("h", n(1));
  EXPECT_TRUE(read(index).ok());
  index.start->set("g", s(""));
  EXPECT_EQ(fault(index), Fault::kStartKeyInvalid);
}

TEST_F(RangeTest, AQueryForOneItemIsNotContinued) {
  fill(20);
  RangeRead query = on("T");
  query.range = KeyRange{{s("p1")}, {n(1)}, std::nullopt};
  query.limit = 1;
  const auto page = read(query);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->scanned, 1U);
  EXPECT_FALSE(page->last_key.has_value());
  query.start = item({{"pk", s("p1")}, {"sk", n(1)}});
  EXPECT_EQ(fault(query), Fault::kStartKeyOfOneRow);
}

// Rows are tiny and the filter is long: the page ends when a few of them have met it.
TEST_F(RangeTest, APageEndsWhenItsFilterHasWorkedEnough) {
  fill(20);
  std::vector<expr::LegacyCondition> absent;
  for (int i = 0; i < 150'000; ++i) absent.push_back({"a" + std::to_string(i), expr::LegacyOp::kNull, {}, {}, {}});
  RangeRead query = on("T");
  query.filter = expr::lower_filter(absent, expr::LegacyJoin::kAnd).value();
  size_t found = 0;
  size_t pages = 0;
  do {
    const auto page = read(query);
    ASSERT_TRUE(page.ok());
    EXPECT_LE(page->scanned, 7U);
    found += page->count;
    query.start = page->last_key;
    ++pages;
  } while (query.start);
  EXPECT_GT(pages, 1U);
  EXPECT_EQ(found, 20U);
}

TEST_F(RangeTest, AFilterThatTakesLongLetsOthersGoBetweenItems) {
  struct Counting final : Executor {
    Counting() { set_current(this); }
    ~Counting() override { set_current(nullptr); }
    void resume(std::coroutine_handle<> handle) override { handle.resume(); }
    void resume_after_ready(YieldedTask& waiting, bool) override {
      ++pieces;
      waiting.handle.resume();
    }
    int pieces = 0;
  };
  fill(20);
  std::vector<expr::LegacyCondition> absent;
  for (int i = 0; i < 5'000; ++i) absent.push_back({"a" + std::to_string(i), expr::LegacyOp::kNull, {}, {}, {}});
  RangeRead query = on("T");
  query.filter = expr::lower_filter(absent, expr::LegacyJoin::kAnd).value();
  Counting executor;
  EXPECT_EQ(read(query)->count, 20U);
  EXPECT_EQ(executor.pieces, 19);
}

TEST_F(RangeTest, StartKeysOfAQueryAreChecked) {
  fill(20);
  RangeRead query = on("T");
  query.range = KeyRange{{s("p1")}, {}, SortCondition{SortOp::kGreater, n(5), {}}};
  query.start = item({{"pk", s("p1")}, {"sk", s("6")}});
  EXPECT_EQ(fault(query), Fault::kKeySchemaMismatch);
  query.start = item({{"pk", s("p1")}});
  EXPECT_EQ(fault(query), Fault::kStartKeyInvalid);
  query.range->sort_range.reset();
  query.range->sort_equals = {n(6)};
  query.start = item({{"pk", s("p1")}, {"sk", n(6)}});
  EXPECT_EQ(fault(query), Fault::kStartKeyOfOneRow);
  query.range = KeyRange{{s("p1")}, {}, SortCondition{SortOp::kGreater, n(5), {}}};
  query.start = item({{"pk", s("p2")}, {"sk", n(6)}});
  EXPECT_EQ(fault(query), Fault::kStartKeyOfOneRow);
  query.start = item({{"pk", s("p2")}, {"sk", n(5)}});
  EXPECT_EQ(fault(query), Fault::kStartKeyOutsideRange);
  query.range->sort_range.reset();
  EXPECT_EQ(fault(query), Fault::kStartKeyOutsideQuery);
  query.range->sort_range = SortCondition{SortOp::kGreater, n(5), {}};
  query.start = item({{"pk", s("p1")}, {"sk", n(5)}});
  EXPECT_EQ(fault(query), Fault::kStartKeyOutsideRange);
  query.start = item({{"pk", s("p1")}, {"sk", n(6)}});
  EXPECT_TRUE(read(query).ok());
}

}  // namespace
}  // namespace partita::table
