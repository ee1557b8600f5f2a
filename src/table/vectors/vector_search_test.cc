// Vector indexes under random writes, and searches against one that looks at every item.
#include "table/vectors/vector_search.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "expr/placeholders.h"
#include "table/open/table_testing.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_distance.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;
using model::Type;

constexpr size_t kSearchDimensions = 5;

AttributeValue vector_of(Random& chance) {
  AttributeValue::List list;
  for (size_t i = 0; i < kSearchDimensions; ++i) list.push_back(n(static_cast<int64_t>(chance.below(41)) - 20));
  return AttributeValue::list(std::move(list));
}

api::IndexRequest vector_index(std::string name, api::Distance distance,
                               std::vector<api::VectorRequest::Element> search = {}) {
  api::IndexRequest request = index_request(std::move(name), {}, api::ProjectionKind::kKeysOnly);
  request.vector = api::VectorRequest{"v", kSearchDimensions, distance, std::move(search)};
  return request;
}

api::UpdateTableRequest add_vectors(api::IndexRequest index, std::vector<model::KeyElement> definitions = {}) {
  api::UpdateTableRequest update;
  update.name = "T";
  update.definitions = std::move(definitions);
  update.vector_indexes.emplace().emplace_back().create = std::move(index);
  return update;
}

const std::vector<model::KeyElement> kNamed{{"kind", Type::kN}, {"tenant", Type::kS}};
const std::vector<api::VectorRequest::Element> kSearch{{"tenant", true}, {"kind", false}};

class VectorSearchTest : public TableTest {
 protected:
  void create_with(std::vector<api::IndexRequest> indexes) {
    api::CreateTableRequest request = plain_table();
    const bool named = std::ranges::any_of(indexes, [](const auto& one) { return !one.vector->search.empty(); });
    if (named) request.definitions.insert(request.definitions.end(), kNamed.begin(), kNamed.end());
    request.vector_indexes = std::move(indexes);
    create(request);
  }

  Item random_item() {
    Item made = item({{"pk", s("p" + std::to_string(chance_.below(40)))}, {"sk", n(1)}});
    if (chance_.below(8) != 0) made.set("v", vector_of(chance_));
    if (chance_.below(8) != 0) made.set("tenant", s("t" + std::to_string(chance_.below(3))));
    if (chance_.below(4) != 0) made.set("kind", n(static_cast<int64_t>(chance_.below(3))));
    made.set("note", n(static_cast<int64_t>(chance_.below(3))));
    return made;
  }

  // One random change.
  void change() {
    Item made = random_item();
    api::WriteAction action;
    if (chance_.below(4) == 0) {
      action.kind = Kind::kDelete;
      action.key = item({{"pk", *made.find("pk")}, {"sk", n(1)}});
    } else if (chance_.below(3) == 0) {
      action.kind = Kind::kUpdate;
      action.key = item({{"pk", *made.find("pk")}, {"sk", n(1)}});
      auto given = expr::Placeholders::make(std::nullopt, item({{":v", vector_of(chance_)}, {":n", n(7)}})).value();
      constexpr const char* kUpdates[] = {"SET v = :v, note = :n", "REMOVE v SET note = :n", "REMOVE tenant",
                                          "SET note = :n"};
      action.update = expr::parse_update(kUpdates[chance_.below(4)], given).value();
    } else {
      action.item = model::encode_item(made);
    }
    ASSERT_TRUE(write("T", action).ok());
  }

  api::SearchReply search(const std::string& index, const std::vector<float>& sought, size_t top,
                          std::optional<std::string> tenant = {}, std::optional<int64_t> kind = {}) {
    api::SearchRequest request;
    request.table = "T";
    request.index = index;
    request.sought = sought;
    request.top = top;
    Item values;
    std::string text;
    if (tenant) values.set(":t", s(*tenant)), text = "tenant = :t";
    if (kind) values.set(":k", n(*kind)), text += " AND kind = :k";
    auto given = values.empty() ? expr::Placeholders() : expr::Placeholders::make(std::nullopt, values).value();
    if (!text.empty()) request.condition = expr::parse_condition(text, expr::ExpressionKind::kSearch, given).value();
    const auto plan = table::bind(request, find("T"));
    EXPECT_TRUE(plan.ok());
    auto found = wait_for(run(db(), *plan));
    EXPECT_TRUE(found.ok());
    return std::move(found).value();
  }

  // The same, from the items.
  std::vector<double> expected(api::Distance distance, const std::vector<float>& sought, size_t top,
                               std::optional<std::string> tenant = {}, std::optional<int64_t> kind = {}) {
    const Nearness nearness(distance, sought);
    std::vector<double> scores;
    for (const Item& each : rows("T")) {
      const auto has = [&](const char* name, const AttributeValue& value) {
        return each.find(name) != nullptr && *each.find(name) == value;
      };
      if ((tenant && !has("tenant", s(*tenant))) || (kind && !has("kind", n(*kind)))) continue;
      if (!each.contains("v")) continue;
      std::vector<float> floats;
      for (const auto& element : each.find("v")->as_list()) floats.push_back(*float_of(element));
      scores.push_back(nearness.score(packed(floats)));
    }
    std::ranges::sort(scores, [&](double a, double b) { return nearness.is_better(a, b); });
    scores.resize(std::min(scores.size(), top));
    return scores;
  }

  static std::vector<double> scores_of(const api::SearchReply& found) {
    std::vector<double> scores;
    for (const auto& hit : found.hits) scores.push_back(hit.score);
    return scores;
  }

  void expect_right(const std::string& index, api::Distance distance, bool keyed) {
    std::vector<float> sought(kSearchDimensions);
    std::ranges::generate(sought, [&] { return static_cast<float>(chance_.below(41)) - 20; });
    const std::optional<std::string> tenant = keyed ? std::optional<std::string>("t1") : std::nullopt;
    EXPECT_EQ(scores_of(search(index, sought, 7, tenant)), expected(distance, sought, 7, tenant)) << index;
    if (!keyed) return;
    EXPECT_EQ(scores_of(search(index, sought, 3, tenant, 2)), expected(distance, sought, 3, tenant, 2)) << index;
  }

  SeededRandom chance_{11};
};

TEST_F(VectorSearchTest, IsWhatTheItemsAreWhateverIsWritten) {
  create_with({vector_index("keyed", api::Distance::kCosine, kSearch), vector_index("all", api::Distance::kEuclidean),
               vector_index("dot", api::Distance::kDotProduct)});
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 20; ++i) change();
    expect_consistent("T");
    expect_right("keyed", api::Distance::kCosine, true);
    expect_right("all", api::Distance::kEuclidean, false);
    expect_right("dot", api::Distance::kDotProduct, false);
  }
  reopen();
  expect_consistent("T");
  expect_right("keyed", api::Distance::kCosine, true);
}

TEST_F(VectorSearchTest, IsFilledOnALiveTable) {
  create(plain_table());
  for (int i = 0; i < 300; ++i) change();
  put("T", item({{"pk", s("short")}, {"sk", n(1)}, {"v", AttributeValue::list({n(1)})}}));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) change();
  });
  update(add_vectors(vector_index("keyed", api::Distance::kCosine, kSearch), kNamed));
  wait_for_jobs();
  done = true;
  writer.join();
  wait_for_jobs();
  const Table table = find("T");
  ASSERT_EQ(table->find_index("keyed")->status, Status::kActive);
  EXPECT_EQ(table->features, std::vector<std::string>{std::string(kVectorFeature)});
  expect_consistent("T");
  expect_right("keyed", api::Distance::kCosine, true);

  api::UpdateTableRequest drop;
  drop.name = "T";
  drop.vector_indexes.emplace().emplace_back().dropped = "keyed";
  const size_t before = stored_rows(table->id);
  update(drop);
  wait_for_jobs();
  EXPECT_TRUE(find("T")->features.empty());
  EXPECT_LT(stored_rows(table->id), before);
  EXPECT_EQ(stored_rows(table->id), rows("T").size());
}

TEST_F(VectorSearchTest, OfAnItemThatIsOlderThanTheIndexOnlyWhatChangesIsLookedAt) {
  create(plain_table());
  const Item old = item({{"pk", s("a")}, {"sk", n(1)}, {"v", s("none")}});
  put("T", old);
  update(add_vectors(vector_index("all", api::Distance::kCosine)));
  wait_for_jobs();
  api::WriteAction action;
  action.kind = Kind::kUpdate;
  action.key = item({{"pk", s("a")}, {"sk", n(1)}});
  auto given = expr::Placeholders::make(std::nullopt, item({{":n", n(7)}, {":l", s("other")}})).value();
  action.update = expr::parse_update("SET note = :n", given).value();
  EXPECT_TRUE(write("T", action).ok());
  action.update = expr::parse_update("SET v = :l", given).value();
  const auto refused = write("T", action);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kVectorType);
  expect_consistent("T");
}

// A row is read again when it is to be answered: others come in the place of those that are gone, or that the condition
// does not allow any more.
TEST_F(VectorSearchTest, AnswersRowsAsTheyAreWhenItReadsThem) {
  create_with({vector_index("keyed", api::Distance::kEuclidean, kSearch)});
  const auto row = [](int64_t i, int64_t kind) {
    AttributeValue::List list(kSearchDimensions, n(i));
    return item({{"pk", s("p" + std::to_string(i))},
                 {"sk", n(1)},
                 {"v", AttributeValue::list(std::move(list))},
                 {"tenant", s("t1")},
                 {"kind", n(kind)}});
  };
  for (int64_t i = 0; i < 20; ++i) put("T", row(i, 2));
  bool changed = false;
  engine_.after_own_scan = [&] {
    if (std::exchange(changed, true)) return;
    put("T", row(0, 1));
    ASSERT_TRUE(write(Kind::kDelete, "T", item({{"pk", s("p1")}, {"sk", n(1)}})).ok());
    AttributeValue::List far(kSearchDimensions, n(19));
    Item moved = row(2, 2);
    moved.set("v", AttributeValue::list(std::move(far)));
    put("T", moved);
  };
  const std::vector<float> sought(kSearchDimensions, 0), far(kSearchDimensions, 19);
  const auto found = search("keyed", sought, 3, "t1", 2);
  engine_.after_own_scan = nullptr;
  EXPECT_TRUE(changed);
  std::vector<std::string> keys;
  for (const auto& hit : found.hits) keys.push_back(model::decode_item(hit.item)->find("pk")->as_string());
  EXPECT_EQ(keys, (std::vector<std::string>{"p3", "p4", "p2"}));
  EXPECT_EQ(found.hits.back().score, Nearness(api::Distance::kEuclidean, sought).score(packed(far)));
}

TEST_F(VectorSearchTest, ADamagedRowIsTold) {
  create_with({vector_index("all", api::Distance::kCosine)});
  put("T", item({{"pk", s("a")}, {"sk", n(1)}, {"v", vector_of(chance_)}}));
  const Table table = find("T");
  storage::Key key = *index_key(*table, *table->find_index("all"), rows("T")[0]);
  store(key, encoded(item({{"pk", s("a")}, {"sk", n(1)}, {"v", b("123")}})));
  api::SearchRequest request;
  request.table = "T", request.index = "all", request.sought = std::vector<float>(kSearchDimensions, 1);
  const auto plan = table::bind(request, table);
  const auto found = wait_for(run(db(), *plan));
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind(), ErrorKind::kCorrupt);
}

TEST_F(VectorSearchTest, TheDescriptionIsReadAsItWasStored) {
  create_with({vector_index("keyed", api::Distance::kDotProduct, kSearch)});
  const auto before = find("T");
  reopen();
  const auto after = find("T");
  EXPECT_EQ(before->find_index("keyed")->vector, after->find_index("keyed")->vector);
  EXPECT_EQ(after->find_index("keyed")->vector->search.size(), 2U);
  EXPECT_EQ(after->find_index("keyed")->keys.partition.front().name, "tenant");
}

}  // namespace
}  // namespace partita::table
