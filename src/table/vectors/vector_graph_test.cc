// A graph of vectors beside a look at all of them.
#include "table/vectors/vector_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_distance.h"

namespace partita::table {
namespace {

using Vector = std::vector<float>;

constexpr size_t kDimensions = 16;

class VectorGraphTest : public testing::Test {
 protected:
  void make(api::Distance distance, size_t room, size_t dimensions = kDimensions) {
    distance_ = distance;
    dimensions_ = dimensions;
    graph_ = VectorGraph::make(distance, dimensions, room).value();
    rows_.clear();
  }

  Vector random_vector() {
    Vector made(dimensions_);
    std::ranges::generate(made, [&] { return static_cast<float>(chance_.below(2001)) / 1000 - 1; });
    return made;
  }

  void put(const std::string& key, const Vector& vector) {
    if (graph_->is_full()) {
      ASSERT_TRUE(graph_->grow().ok());
    }
    ASSERT_TRUE(graph_->put(key, packed(vector)).ok());
    rows_[key] = vector;
  }
  void erase(const std::string& key) {
    ASSERT_TRUE(graph_->erase(key).ok());
    rows_.erase(key);
  }

  std::vector<std::string> nearest(const Vector& sought, size_t count) {
    return graph_->nearest(sought, count).value();
  }

  std::vector<std::string> expected(const Vector& sought, size_t count) {
    const Nearness nearness(distance_, sought);
    std::vector<std::pair<double, std::string>> scored;
    for (const auto& [key, vector] : rows_) {
      const double score = nearness.score(packed(vector));
      scored.emplace_back(distance_ == api::Distance::kDotProduct ? -score : score, key);
    }
    std::ranges::sort(scored);
    std::vector<std::string> keys;
    for (size_t i = 0; i < std::min(count, scored.size()); ++i) keys.push_back(scored[i].second);
    return keys;
  }

  // The share of the ten nearest that are found, of some searches.
  double recall() {
    constexpr size_t kSearches = 50;
    size_t among = 0, all = 0;
    for (size_t i = 0; i < kSearches; ++i) {
      const Vector sought = random_vector();
      const auto found = nearest(sought, 10), right = expected(sought, 10);
      EXPECT_EQ(found.size(), right.size());
      for (const auto& key : found) {
        EXPECT_TRUE(rows_.contains(key)) << "a row that is not there";
        among += std::ranges::find(right, key) != right.end();
      }
      all += right.size();
    }
    return static_cast<double>(among) / static_cast<double>(all);
  }

  SeededRandom chance_{3};
  api::Distance distance_ = api::Distance::kEuclidean;
  size_t dimensions_ = kDimensions;
  std::unique_ptr<VectorGraph> graph_;
  std::map<std::string, Vector> rows_;
};

TEST_F(VectorGraphTest, FindsTheNearestByAnyDistance) {
  for (const api::Distance distance : {api::Distance::kCosine, api::Distance::kEuclidean, api::Distance::kDotProduct}) {
    make(distance, 2'000);
    for (int i = 0; i < 2'000; ++i) put("k" + std::to_string(i), random_vector());
    EXPECT_GE(recall(), 0.98) << static_cast<int>(distance);
    const auto [key, vector] = *rows_.begin();
    if (distance == api::Distance::kDotProduct) continue;
    EXPECT_EQ(nearest(vector, 3).front(), key);
  }
}

TEST_F(VectorGraphTest, HasForTheCosineOnlyTheDirection) {
  make(api::Distance::kCosine, 100);
  for (int i = 0; i < 100; ++i) {
    Vector vector = random_vector();
    for (float& one : vector) one *= static_cast<float>(i % 2 == 0 ? 1e30 : 1e-30);
    put("k" + std::to_string(i), vector);
  }
  put("nowhere", Vector(kDimensions, 0));
  EXPECT_GE(recall(), 0.98);
}

TEST_F(VectorGraphTest, FollowsWhatIsErasedAndReplaced) {
  make(api::Distance::kEuclidean, 16);
  for (int i = 0; i < 4'000; ++i) {
    const std::string key = "k" + std::to_string(chance_.below(1'000));
    if (chance_.below(3) == 0) {
      erase(key);
    } else {
      put(key, random_vector());
    }
    EXPECT_EQ(graph_->size(), rows_.size());
  }
  EXPECT_GE(recall(), 0.98);
}

TEST_F(VectorGraphTest, FindsAsManyWhereAllThatWasNearIsErased) {
  make(api::Distance::kEuclidean, 2'000);
  for (int i = 0; i < 2'000; ++i) put("k" + std::to_string(i), random_vector());
  const Vector sought = random_vector();
  for (const auto& key : expected(sought, 1'500)) erase(key);
  EXPECT_EQ(nearest(sought, 10), expected(sought, 10));
}

TEST_F(VectorGraphTest, FindsRowsAmongManyOfEqualVectors) {
  for (const api::Distance distance : {api::Distance::kCosine, api::Distance::kEuclidean, api::Distance::kDotProduct}) {
    make(distance, 16);
    for (int i = 0; i < 500; ++i) {
      put("zero" + std::to_string(i), Vector(kDimensions, 0));
      put("one" + std::to_string(i), Vector(kDimensions, 1));
      put("k" + std::to_string(i), random_vector());
    }
    const auto found = nearest(Vector(kDimensions, 1), 120);
    EXPECT_EQ(found.size(), 120U);
    for (const auto& key : found) EXPECT_TRUE(key.starts_with("one")) << key;
    for (int i = 0; i < 500; ++i) erase("one" + std::to_string(i)), erase("zero" + std::to_string(i));
    EXPECT_GE(recall(), 0.98) << static_cast<int>(distance);
    put("one", Vector(kDimensions, 1));
    EXPECT_EQ(nearest(Vector(kDimensions, 1), 1), std::vector<std::string>{"one"});
  }
}

// Whoever is put where all were erased has to find somebody there.
TEST_F(VectorGraphTest, PutsWhereAllWereErased) {
  make(api::Distance::kEuclidean, 16);
  const auto around = [&](float middle) {
    Vector made = random_vector();
    for (float& one : made) one = middle + one / 1000;
    return made;
  };
  for (int i = 0; i < 400; ++i) put("here" + std::to_string(i), around(1));
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 400; ++i) put("there" + std::to_string(i), around(-1));
    for (int i = 0; i < 400; ++i) erase("there" + std::to_string(i));
  }
  for (int i = 0; i < 20; ++i) put("again" + std::to_string(i), around(-1));
  EXPECT_EQ(nearest(around(-1), 20).size(), 20U);
  for (const auto& key : nearest(around(-1), 20)) EXPECT_TRUE(key.starts_with("again")) << key;
  for (const auto& key : nearest(around(1), 20)) EXPECT_TRUE(key.starts_with("here")) << key;
}

TEST_F(VectorGraphTest, IsEmptyAgainWhenAllIsErased) {
  make(api::Distance::kDotProduct, 16);
  EXPECT_TRUE(nearest(random_vector(), 10).empty());
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 200; ++i) put("k" + std::to_string(i), random_vector());
    for (int i = 0; i < 200; ++i) erase("k" + std::to_string(i));
    erase("k0");
    EXPECT_TRUE(nearest(random_vector(), 10).empty());
    EXPECT_EQ(graph_->size(), 0U);
  }
  EXPECT_EQ(graph_->empty(), 600U);
}

TEST_F(VectorGraphTest, ARowThatKeepsItsVectorTakesNoMoreRoom) {
  make(api::Distance::kCosine, 16);
  const Vector vector = random_vector();
  for (int i = 0; i < 50; ++i) put("k", vector);
  EXPECT_EQ(graph_->size(), 1U);
  EXPECT_EQ(graph_->empty(), 0U);
  put("k", random_vector());
  EXPECT_EQ(graph_->empty(), 1U);
  // Nor does one that takes it back.
  put("k", vector);
  EXPECT_EQ(graph_->empty(), 1U);
  EXPECT_EQ(nearest(vector, 2), std::vector<std::string>{"k"});
}

TEST_F(VectorGraphTest, WalksAsWideAsTheVectorsAsk) {
  make(api::Distance::kCosine, 4'000, 64);
  // Of many dimensions, but of few ways in which they differ.
  for (int i = 0; i < 4'000; ++i) {
    Vector vector = random_vector();
    for (size_t at = 8; at < vector.size(); ++at) vector[at] = vector[at % 8] + vector[at] / 100;
    put("k" + std::to_string(i), vector);
  }
  const size_t width = graph_->good_width();
  EXPECT_GT(width, 0U);
  EXPECT_LE(width, 4'000U / 16);
}

TEST_F(VectorGraphTest, LooksAtAllWhereNoWalkFindsItsWay) {
  make(api::Distance::kEuclidean, 3'000, 200);
  for (int i = 0; i < 3'000; ++i) put("k" + std::to_string(i), random_vector());
  const double walked = recall();
  EXPECT_LT(walked, 0.9);
  EXPECT_EQ(graph_->good_width(), 0U);
  graph_->use_width(0);
  EXPECT_EQ(recall(), 1);
  for (int i = 0; i < 1'000; ++i) erase("k" + std::to_string(i));
  EXPECT_EQ(recall(), 1);
}

TEST_F(VectorGraphTest, TakesNoVectorWhoseDistancesAreBeyondFloats) {
  Vector vector = random_vector();
  vector[0] = 1e19F;
  for (const api::Distance distance : {api::Distance::kEuclidean, api::Distance::kDotProduct}) {
    make(distance, 16);
    put("k", random_vector());
    EXPECT_EQ(graph_->put("long", packed(vector)).error().kind(), ErrorKind::kTooLarge);
    make(distance, 16);
    EXPECT_EQ(graph_->nearest(vector, 1).error().kind(), ErrorKind::kTooLarge);
  }
}

}  // namespace
}  // namespace partita::table
