#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <array>

namespace partita {
namespace {

constexpr std::array<std::string_view, 5> kWords{"serve", "status", "salvage", "snapshot rollback", "--data"};

TEST(Suggestion, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("serve", "serve"), 0u);
  EXPECT_EQ(edit_distance("sreve", "serve"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("serv", "serve"), 1u);
  EXPECT_EQ(edit_distance("server", "serve"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggestion, IsTheClosest) {
  EXPECT_EQ(closest("sreve", kWords), "serve");
  EXPECT_EQ(closest("stauts", kWords), "status");
  EXPECT_EQ(closest("--dat", kWords), "--data");
  EXPECT_EQ(closest("snap", kWords), "snapshot rollback");
  EXPECT_EQ(closest("dance", kWords), "");
  EXPECT_EQ(closest("s", kWords), "");
  EXPECT_EQ(closest("", kWords), "");
  EXPECT_EQ(closest(std::string(100'000, 's'), kWords), "");
  EXPECT_EQ(suggestion("sreve", kWords), " Did you mean 'serve'?");
  EXPECT_EQ(suggestion("dance", kWords), "");
}

}  // namespace
}  // namespace partita
