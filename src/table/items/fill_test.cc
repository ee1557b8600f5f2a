// What is shown of an index while it is filled, and until its rows are counted.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "table/open/table_testing.h"

namespace partita::table {
namespace {

using model::Type;

class FillTest : public TableTest {
 protected:
  FillTest() { create(plain_table()); }

  void fill_table(int64_t items) {
    for (int64_t i = 0; i < items; ++i) {
      put("T", item({{"pk", s("p" + std::to_string(i % 7))}, {"sk", n(i)}, {"g", s("g" + std::to_string(i % 5))}}));
    }
    wait_for_jobs();  // the start's own
  }

  // The index's count as DescribeTable would show it at each look at rows whose keys begin so.
  std::vector<int64_t> counts_seen(const std::string& prefix) {
    std::vector<int64_t> seen;
    engine_.after_scan = [&](const storage::Range& range, size_t) {
      const Table table = find("T");
      if (!range.begin.starts_with(prefix) || table->find_index("by-g") == nullptr) return;
      EXPECT_TRUE(wait_for(db().refresh_tallies(table, true)).ok());
      seen.push_back(table->find_index("by-g")->tally->items);
    };
    update(add_index("T", index_request("by-g", {hash("g")}, api::ProjectionKind::kKeysOnly), {{"g", Type::kS}}));
    wait_for_jobs();
    engine_.after_scan = nullptr;
    expect_consistent("T");
    return seen;
  }
};

TEST_F(FillTest, ItsCountSaysHowFarAFillIs) {
  fill_table(2'500);
  const std::string items = model::index_prefix(find("T")->id, model::kBaseIndex);
  EXPECT_EQ(counts_seen(items), (std::vector<int64_t>{0, 1'000, 2'000}));
}

// It shows about what was filled in, not only what was written since.
TEST_F(FillTest, AFilledIndexIsNotShownEmptyWhileItIsCounted) {
  fill_table(300);
  const std::string rows = model::index_prefix(find("T")->id, 1);
  EXPECT_EQ(counts_seen(rows), (std::vector<int64_t>{300}));
}

// So that those who write meanwhile have half of the store's time at least.
TEST_F(FillTest, RestsAsLongAsItsStepsTake) {
  constexpr int64_t kStepMs = 10;
  fill_table(1'000);  // ten steps
  engine_.after_transact = [&] { clock_.advance_ms(kStepMs); };
  const auto began = std::chrono::steady_clock::now();
  update(add_index("T", index_request("by-g", {hash("g")}, api::ProjectionKind::kKeysOnly), {{"g", Type::kS}}));
  wait_for_jobs();
  engine_.after_transact = nullptr;
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(10 * kStepMs));
  expect_consistent("T");
}

}  // namespace
}  // namespace partita::table
