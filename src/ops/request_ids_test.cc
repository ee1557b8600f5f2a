#include "ops/request_ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/random.h"

namespace partita::ops {
namespace {

TEST(RequestIds, LookLikeDynamoDbs) {
  SeededRandom random(1);
  RequestIds ids(random);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    RequestIds::Id id{};
    ids.next(id);
    EXPECT_TRUE(std::ranges::all_of(id, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); }));
    seen.emplace(id.data(), id.size());
  }
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace partita::ops
