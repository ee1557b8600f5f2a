#include "engines/memory/record_index.h"

#include <gtest/gtest.h>

#include <random>

namespace partita {
namespace {

// Few names, so that entries come and go in runs of slots that are in use.
TEST(RecordIndex, FindsWhatATreeFinds) {
  std::mt19937 random(1);
  for (const size_t names : {3U, 40U, 41U, 300U, 5000U}) {
    RecordIndex::Records records;
    RecordIndex index;
    for (size_t step = 0; step < 20 * names; ++step) {
      const std::string key = std::to_string(random() % names);
      RecordIndex::Entry* const found = index.find(key);
      const auto at = records.find(key);
      ASSERT_EQ(found, at == records.end() ? nullptr : &*at) << key;
      if (random() % 2 == 0 && found == nullptr) {
        index.make_room();
        index.insert(records.try_emplace(key).first);
      } else if (found != nullptr) {
        const auto erased = index.erase(key);
        ASSERT_EQ(erased, at);
        records.erase(erased);
      }
    }
    for (size_t name = 0; name < names; ++name) {
      const auto at = records.find(std::to_string(name));
      ASSERT_EQ(index.find(std::to_string(name)), at == records.end() ? nullptr : &*at);
    }
  }
}

TEST(RecordIndex, ShrinksOnceMostAreGone) {
  RecordIndex::Records records;
  RecordIndex index;
  for (int i = 0; i < 10'000; ++i) {
    index.make_room();
    index.insert(records.try_emplace(std::to_string(i)).first);
  }
  const size_t full = index.slots();
  index.shrink();
  EXPECT_EQ(index.slots(), full);
  for (int i = 100; i < 10'000; ++i) records.erase(index.erase(std::to_string(i)));
  EXPECT_EQ(index.slots(), full);
  index.shrink();
  EXPECT_LE(index.slots(), 256U);
  for (int i = 0; i < 200; ++i) {
    const auto at = records.find(std::to_string(i));
    EXPECT_EQ(index.find(std::to_string(i)), at == records.end() ? nullptr : &*at);
  }
}

TEST(RecordIndex, FindsNothingWhenEmpty) {
  RecordIndex index;
  EXPECT_EQ(index.find("a"), nullptr);
  EXPECT_EQ(index.find(""), nullptr);
}

}  // namespace
}  // namespace partita
