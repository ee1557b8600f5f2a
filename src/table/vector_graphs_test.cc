// Graphs of vectors as they follow what is written: asked again and again, beside a search that looks at every item.
#include "table/vector_graphs.h"

#include <algorithm>
#include <set>

#include "table/table_testing.h"
#include "table/vector_distance.h"
#include "table/vector_log.h"
#include "table/vector_search.h"
#include "table/vectors.h"

namespace partita::table {
namespace {

using Kind = WriteAction::Kind;

constexpr size_t kDimensions = 12;
constexpr size_t kGraphRows = 40;

class VectorGraphsTest : public TableTest {
 protected:
  VectorGraphsTest() {
    options_.graph_rows = kGraphRows;
    reopen();
    IndexRequest index = index_request("all", {}, ProjectionKind::kKeysOnly);
    index.vector = VectorRequest{"v", kDimensions, Distance::kCosine, {}};
    IndexRequest keyed = index_request("keyed", {}, ProjectionKind::kKeysOnly);
    keyed.vector = VectorRequest{"v", kDimensions, Distance::kEuclidean, {{"tenant", true}}};
    TableRequest request = plain_table();
    request.definitions.push_back({"tenant", model::Type::kS});
    request.vector_indexes = {{index, keyed}};
    create(request);
  }

  std::vector<float> random_vector() {
    std::vector<float> made(kDimensions);
    std::ranges::generate(made, [&] { return static_cast<float>(chance_.below(2001)) / 1000 - 1; });
    return made;
  }

  Item item_of(uint64_t number) {
    AttributeValue::List list;
    for (const float one : random_vector()) {
      list.push_back(AttributeValue::number(*model::Number::parse(std::to_string(one))));
    }
    return item({{"pk", s("p" + std::to_string(number))},
                 {"sk", n(1)},
                 {"tenant", s("t" + std::to_string(number % 2))},
                 {"v", AttributeValue::list(std::move(list))}});
  }

  void change(Database& database) {
    WriteAction action;
    const uint64_t number = chance_.below(300);
    action.item = item_of(number);
    if (chance_.below(3) == 0) {
      action.kind = Kind::kDelete;
      action.item = item({{"pk", s("p" + std::to_string(number))}, {"sk", n(1)}});
    }
    ASSERT_TRUE(carry_out(database, "T", action).ok());
  }

  SearchOutcome search(Database& database, const std::string& index, const std::vector<float>& sought) {
    SearchRequest request;
    request.table = "T", request.index = index, request.sought = sought, request.top = 10;
    if (index == "keyed") {
      auto given = expr::Placeholders::make(std::nullopt, item({{":t", s("t1")}})).value();
      request.condition = expr::parse_condition("tenant = :t", expr::Source::kSearch, given).value();
    }
    const auto plan = table::bind(request, database.catalog().find("T"));
    EXPECT_TRUE(plan.ok());
    auto found = wait_for(run(database, *plan));
    EXPECT_TRUE(found.ok());
    return std::move(found).value();
  }

  // Every item's score, the nearest first, by the item's key.
  std::vector<std::pair<double, std::string>> expected(const std::string& index, const std::vector<float>& sought) {
    const bool keyed = index == "keyed";
    const Nearness nearness(keyed ? Distance::kEuclidean : Distance::kCosine, sought);
    std::vector<std::pair<double, std::string>> scores;
    for (const Item& each : rows("T")) {
      if (keyed && each.find("tenant")->as_string() != "t1") continue;
      std::vector<float> floats;
      for (const auto& element : each.find("v")->as_list()) floats.push_back(*float_of(element));
      scores.emplace_back(nearness.score(packed(floats)), each.find("pk")->as_string());
    }
    std::ranges::sort(scores);
    return scores;
  }

  // Whether the answer is right, and how many of the nearest ten it has.
  size_t expect_sound(Database& database, const std::string& index) {
    const auto sought = random_vector();
    const auto found = search(database, index, sought);
    const auto all = expected(index, sought);
    const std::map<double, std::string> known(all.begin(), all.end());
    EXPECT_EQ(found.hits.size(), std::min<size_t>(10, all.size()));
    size_t among = 0;
    double last = -1;
    for (const auto& hit : found.hits) {
      EXPECT_TRUE(known.contains(hit.score)) << "a score that no item has";
      EXPECT_EQ(known.at(hit.score), hit.item.find("pk")->as_string());
      EXPECT_LT(last, hit.score);
      last = hit.score;
      among += hit.score <= all[std::min<size_t>(10, all.size()) - 1].first;
    }
    return among;
  }

  bool is_by_graph(Database& database, const std::string& index) {
    const auto found = search(database, index, random_vector());
    return found.consumed.searched_bytes < 25 * 80;
  }

  void fill() {
    for (uint64_t i = 0; i < 300; ++i) put("T", item_of(i));
  }
  void make_graphs(Database& database) {
    for (const char* index : {"all", "keyed"}) search(database, index, random_vector());
    database.graphs().wait_until_made();
  }

  SeededRandom chance_{5};
};

TEST_F(VectorGraphsTest, AreAskedOnceTheyAreMade) {
  for (uint64_t i = 0; i + 1 < kGraphRows; ++i) put("T", item_of(i));
  make_graphs(db());
  EXPECT_FALSE(is_by_graph(db(), "all"));
  fill();
  EXPECT_FALSE(is_by_graph(db(), "all"));
  make_graphs(db());
  EXPECT_TRUE(is_by_graph(db(), "all"));
  EXPECT_TRUE(is_by_graph(db(), "keyed"));
}

TEST_F(VectorGraphsTest, FollowEveryWrite) {
  fill();
  make_graphs(db());
  size_t among = 0;
  constexpr size_t kRounds = 60;
  for (size_t round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 10; ++i) change(db());
    among += expect_sound(db(), "all") + expect_sound(db(), "keyed");
    db().graphs().wait_until_made();
  }
  EXPECT_GE(among, 2 * kRounds * 10 * 99 / 100);
  EXPECT_TRUE(is_by_graph(db(), "all"));
}

TEST_F(VectorGraphsTest, FollowWhatAnotherServerWrites) {
  fill();
  make_graphs(db());
  auto other = Database::open(engine_, clock_, random_, options_).value();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 5; ++i) change(*other);
    EXPECT_GE(expect_sound(db(), "all"), 9U);
  }
  EXPECT_TRUE(is_by_graph(db(), "all"));
  wait_for_jobs();
}

TEST_F(VectorGraphsTest, AreMadeAgainWhenTheLogWentOnWithoutThem) {
  fill();
  make_graphs(db());
  const uint16_t index_id = find("T")->find_index("all")->id;
  const uint32_t table_id = find("T")->id;
  const std::string topic = vector_topic(table_id, index_id);
  for (int i = 0; i < 15'000; ++i) change(db());
  ASSERT_TRUE(wait_for(trim_vector_log(engine_, table_id, index_id)).ok());
  EXPECT_LT(wait_for(engine_.read_log(topic, {}, 100'000, 1 << 30)).value().size(), 10'000U);
  EXPECT_EQ(expect_sound(db(), "all"), 10U);  // by all rows
  EXPECT_FALSE(is_by_graph(db(), "all"));
  db().graphs().wait_until_made();
  EXPECT_TRUE(is_by_graph(db(), "all"));
  EXPECT_GE(expect_sound(db(), "all"), 9U);
}

TEST_F(VectorGraphsTest, NothingIsLeftOfTheLogOfADroppedIndex) {
  fill();
  const uint16_t index_id = find("T")->find_index("all")->id;
  const std::string topic = vector_topic(find("T")->id, index_id);
  EXPECT_EQ(wait_for(engine_.read_log(topic, {}, 1'000, 1 << 20)).value().size(), 300U);
  TableUpdate drop;
  drop.name = "T";
  drop.vector_indexes.emplace().emplace_back().dropped = "all";
  update(drop);
  wait_for_jobs();
  EXPECT_TRUE(wait_for(engine_.read_log(topic, {}, 1'000, 1 << 20)).value().empty());
}

}  // namespace
}  // namespace partita::table
