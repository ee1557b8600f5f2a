// Graphs of vectors as they follow what is written: asked again and again, beside a search that looks at every item.
#include "table/vectors/vector_graphs.h"

#include <algorithm>
#include <map>
#include <thread>

#include "storage/ranges.h"
#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_distance.h"
#include "table/vectors/vector_log.h"
#include "table/vectors/vector_search.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;

constexpr size_t kGraphsDimensions = 12;
constexpr size_t kGraphRows = 40;

class VectorGraphsTest : public TableTest {
 protected:
  VectorGraphsTest() {
    options_.graph_rows = kGraphRows;
    reopen();
    api::IndexRequest index = index_request("all", {}, api::ProjectionKind::kKeysOnly);
    index.vector = api::VectorRequest{"v", kGraphsDimensions, api::Distance::kCosine, {}};
    api::IndexRequest keyed = index_request("keyed", {}, api::ProjectionKind::kKeysOnly);
    keyed.vector =
        api::VectorRequest{"v", kGraphsDimensions, api::Distance::kEuclidean, {{"tenant", true}, {"kind", false}}};
    api::CreateTableRequest request = plain_table();
    request.definitions.push_back({"tenant", model::Type::kS});
    request.definitions.push_back({"kind", model::Type::kN});
    request.vector_indexes = {{index, keyed}};
    create(request);
  }

  std::vector<float> random_vector() { return random_vector(chance_); }
  static std::vector<float> random_vector(Random& chance) {
    std::vector<float> made(kGraphsDimensions);
    std::ranges::generate(made, [&] { return static_cast<float>(chance.below(2001)) / 1000 - 1; });
    return made;
  }

  Item item_of(uint64_t number) { return item_of(number, chance_); }
  static Item item_of(uint64_t number, Random& chance) { return item_of(number, random_vector(chance)); }
  static Item item_of(uint64_t number, const std::vector<float>& vector) {
    AttributeValue::List list;
    for (const float one : vector) {
      list.push_back(AttributeValue::number(*model::Number::parse(std::to_string(one))));
    }
    return item({{"pk", s("p" + std::to_string(number))},
                 {"sk", n(1)},
                 {"tenant", s("t" + std::to_string(number % 2))},
                 {"kind", n(static_cast<int64_t>(number % 5))},
                 {"v", AttributeValue::list(std::move(list))}});
  }

  void change(Database& database) { change(database, chance_); }
  void change(Database& database, Random& chance) {
    const uint64_t number = chance.below(300);
    const Item key = item({{"pk", s("p" + std::to_string(number))}, {"sk", n(1)}});
    const bool erases = chance.below(3) == 0;
    const auto action = erases ? action_of(Kind::kDelete, key) : action_of(Kind::kPut, item_of(number, chance));
    ASSERT_TRUE(carry_out(database, "T", action).ok());
  }

  api::SearchReply search(Database& database, const std::string& index, const std::vector<float>& sought,
                          std::optional<int64_t> kind = {}) {
    api::SearchRequest request;
    request.table = "T", request.index = index, request.sought = sought, request.top = 10;
    if (index == "keyed") {
      Item values = item({{":t", s("t1")}});
      if (kind) values.set(":k", n(*kind));
      auto given = expr::Placeholders::make(std::nullopt, values).value();
      const char* condition = kind ? "tenant = :t AND kind = :k" : "tenant = :t";
      request.condition = expr::parse_condition(condition, expr::ExpressionKind::kSearch, given).value();
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
    const Nearness nearness(keyed ? api::Distance::kEuclidean : api::Distance::kCosine, sought);
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
      EXPECT_EQ(known.at(hit.score), model::decode_item(hit.item)->find("pk")->as_string());
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
  void expect_by_graph_soon(Database& database, const std::string& index) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_by_graph(database, index) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(is_by_graph(database, index));
  }
  // Another database over the same store, with other options.
  std::unique_ptr<Database> open_other() { return Database::open(engine_, clock_, random_, options_).value(); }

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

// Every row gets another vector, and no trace of that is left in the log: who went on would be wrong.
TEST_F(VectorGraphsTest, AreMadeAgainWhenTheLogWentOnWithoutThem) {
  options_.graph_follow_ms = 3'600'000;
  reopen();
  fill();
  make_graphs(db());
  const uint16_t index_id = find("T")->find_index("all")->id;
  const uint32_t table_id = find("T")->id;
  const std::string topic = vector_topic(table_id, index_id);
  fill();
  for (int i = 0; i < 12'000; ++i) put("T", item_of(0));
  ASSERT_TRUE(wait_for(trim_vector_log(engine_, table_id, index_id)).ok());
  EXPECT_LT(wait_for(engine_.read_log(topic, {}, 100'000, 1 << 30)).value().size(), 10'000U);
  EXPECT_EQ(expect_sound(db(), "all"), 10U);  // by all rows
  EXPECT_FALSE(is_by_graph(db(), "all"));
  expect_by_graph_soon(db(), "all");
  for (int i = 0; i < 5; ++i) EXPECT_GE(expect_sound(db(), "all"), 9U);
}

// As many writes as no search takes in by itself.
TEST_F(VectorGraphsTest, CatchUpInTheBackground) {
  fill();
  make_graphs(db());
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 280; ++i) put("T", item_of(300 * static_cast<uint64_t>(round + 1) + i));
    EXPECT_GE(expect_sound(db(), "all"), 9U);  // by all rows, or by a graph that is there already
    expect_by_graph_soon(db(), "all");
    EXPECT_GE(expect_sound(db(), "all"), 9U);
  }
}

TEST_F(VectorGraphsTest, AreNotAskedWhereAFilterIs) {
  fill();
  make_graphs(db());
  const auto sought = random_vector();
  std::vector<double> right;
  for (const auto& [score, key] : expected("keyed", sought)) {
    if (std::stoi(key.substr(1)) % 5 == 3) right.push_back(score);
  }
  right.resize(10);
  std::vector<double> scores;
  for (const auto& hit : search(db(), "keyed", sought, 3).hits) scores.push_back(hit.score);
  EXPECT_EQ(scores, right);
}

// All rows that pass are looked at and charged.
TEST_F(VectorGraphsTest, MakeNoSearchWithAFilterCheaper) {
  for (uint64_t i = 0; i < 2 * kGraphRows; ++i) put("T", item_of(10 * i + 3));  // all of t1 and of kind 3
  const auto searched = [&] { return search(db(), "keyed", random_vector(), 3).consumed.searched_bytes; };
  const size_t before = searched();
  make_graphs(db());
  EXPECT_LT(search(db(), "keyed", random_vector()).consumed.searched_bytes, before);
  EXPECT_EQ(searched(), before);
}

TEST_F(VectorGraphsTest, AnswerAsManyAsThereAreWhereverTheyAre) {
  fill();
  make_graphs(db());
  const auto sought = random_vector();
  const auto all = expected("all", sought);
  for (size_t i = 0; i < 140; ++i) {
    ASSERT_TRUE(write(Kind::kDelete, "T", item({{"pk", s(all[i].second)}, {"sk", n(1)}})).ok());
  }
  expect_by_graph_soon(db(), "all");
  const auto found = search(db(), "all", sought);
  ASSERT_EQ(found.hits.size(), 10U);
  EXPECT_EQ(found.hits[0].score, all[140].first);
}

TEST_F(VectorGraphsTest, TakeNoMoreMemoryThanTheyMay) {
  fill();
  make_graphs(db());
  const size_t both = db().graphs().bytes();
  // Enough for the larger one as it is made, and for no growth.
  options_.graph_bytes = both * 3 / 4;
  auto other = open_other();
  make_graphs(*other);
  EXPECT_TRUE(is_by_graph(*other, "all"));
  EXPECT_FALSE(is_by_graph(*other, "keyed"));
  EXPECT_LE(other->graphs().bytes(), options_.graph_bytes);
  for (uint64_t i = 300; i < 600; ++i) put("T", item_of(i));
  for (int i = 0; i < 20; ++i) {
    EXPECT_GE(expect_sound(*other, "all"), 9U);
    EXPECT_GE(expect_sound(db(), "all"), 9U);
    other->graphs().wait_until_made();
    EXPECT_LE(other->graphs().bytes(), options_.graph_bytes);
  }
  EXPECT_FALSE(is_by_graph(*other, "all"));
  expect_by_graph_soon(db(), "all");
  EXPECT_GT(db().graphs().bytes(), both);
  options_.graph_bytes = 0;
  other = open_other();
  make_graphs(*other);
  EXPECT_FALSE(is_by_graph(*other, "all"));
}

TEST_F(VectorGraphsTest, GoWhenNobodyAsksForThem) {
  fill();
  make_graphs(db());
  EXPECT_GT(db().graphs().bytes(), 0U);
  clock_.advance_ms(700'000);
  for (int i = 0; i < 500 && db().graphs().bytes() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(db().graphs().bytes(), 0U);
  EXPECT_FALSE(is_by_graph(db(), "all"));
  db().graphs().wait_until_made();
  EXPECT_TRUE(is_by_graph(db(), "all"));
}

TEST_F(VectorGraphsTest, AreNotMadeOfVectorsWhoseDistancesAreBeyondFloats) {
  fill();
  auto far = random_vector();
  far[0] = 1e30F;
  put("T", item_of(1, far));
  make_graphs(db());
  EXPECT_TRUE(is_by_graph(db(), "all"));
  EXPECT_FALSE(is_by_graph(db(), "keyed"));
  EXPECT_EQ(expect_sound(db(), "keyed"), 10U);
  db().graphs().wait_until_made();
  EXPECT_FALSE(is_by_graph(db(), "keyed"));
}

TEST_F(VectorGraphsTest, AreAskedAndFollowWhileOthersWrite) {
  fill();
  make_graphs(db());
  std::vector<std::thread> others;
  for (uint64_t thread = 0; thread < 2; ++thread) {
    others.emplace_back([this, thread] {
      SeededRandom chance(100 + thread);
      for (int i = 0; i < 400; ++i) change(db(), chance);
    });
    others.emplace_back([this, thread] {
      SeededRandom chance(200 + thread);
      for (int i = 0; i < 200; ++i) {
        const auto found = search(db(), i % 2 == 0 ? "all" : "keyed", random_vector(chance));
        EXPECT_EQ(found.hits.size(), 10U);
      }
    });
  }
  for (auto& other : others) other.join();
  expect_by_graph_soon(db(), "all");
  for (int i = 0; i < 10; ++i) EXPECT_GE(expect_sound(db(), "all"), 9U);
}

TEST_F(VectorGraphsTest, AreToldOfEveryRowThatComesChangesMovesAndGoes) {
  const Table table = find("T");
  const IndexInfo& keyed = *table->find_index("keyed");
  Item one = item_of(1);
  const std::string before = index_key(*table, keyed, one)->bytes;
  put("T", one);
  one.set("v", *item_of(1).find("v"));
  put("T", one);
  one.set("tenant", s("t0"));
  const std::string after = index_key(*table, keyed, one)->bytes;
  put("T", one);
  one.erase("v");
  put("T", one);
  const auto entries = wait_for(engine_.read_log(vector_topic(table->id, keyed.id), {}, 10, 1 << 20)).value();
  std::vector<std::string> named;
  for (const auto& each : entries) named.push_back(each.entry);
  EXPECT_EQ(named, (std::vector{before, before, before, after, after}));
}

TEST_F(VectorGraphsTest, NothingIsLeftOfTheLogOfADroppedIndex) {
  fill();
  const uint16_t index_id = find("T")->find_index("all")->id;
  const std::string topic = vector_topic(find("T")->id, index_id);
  EXPECT_EQ(wait_for(engine_.read_log(topic, {}, 1'000, 1 << 20)).value().size(), 300U);
  api::UpdateTableRequest drop;
  drop.name = "T";
  drop.vector_indexes.emplace().emplace_back().dropped = "all";
  update(drop);
  wait_for_jobs();
  EXPECT_TRUE(wait_for(engine_.read_log(topic, {}, 1'000, 1 << 20)).value().empty());
}

TEST_F(VectorGraphsTest, NothingIsLeftOfThoseOfADroppedTable) {
  const Table table = find("T");
  for (int i = 0; i < 20'000; ++i) change(db());
  for (const auto& index : table->indexes) ASSERT_TRUE(wait_for(trim_vector_log(engine_, table->id, index.id)).ok());
  const auto trimmed = [&] {
    const auto rows = system_rows(SystemRow::kTrimmed);
    return wait_for(engine_.scan(rows, storage::Direction::kAscending, 10, 1 << 20)).value().size();
  };
  EXPECT_EQ(trimmed(), 2U);
  make_graphs(db());
  ASSERT_TRUE(wait_for(delete_table(db(), "T")).ok());
  wait_for_jobs();
  EXPECT_EQ(trimmed(), 0U);
  for (const auto& index : table->indexes) {
    EXPECT_TRUE(wait_for(engine_.read_log(vector_topic(table->id, index.id), {}, 10, 1 << 20)).value().empty());
  }
}

}  // namespace
}  // namespace partita::table
