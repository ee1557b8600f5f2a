#include "engines/foundationdb/version_cache.h"

#include <gtest/gtest.h>

namespace partita::foundationdb {
namespace {

constexpr storage::Version kOne{1};
constexpr storage::Version kTwo{2};

TEST(VersionCache, VersionsAreThoseOfTheirEra) {
  VersionCache cache;
  EXPECT_FALSE(cache.find("", "k").has_value());
  cache.keep("", "k", kOne);
  cache.keep("", "absent", std::nullopt);
  EXPECT_EQ(cache.find("", "k").value(), kOne);
  EXPECT_EQ(cache.find("", "absent").value(), std::nullopt);
  EXPECT_FALSE(cache.find("", "another").has_value());
  EXPECT_FALSE(cache.find("1", "k").has_value());
  cache.keep("1", "k", kTwo);
  EXPECT_EQ(cache.find("1", "k").value(), kTwo);
  EXPECT_FALSE(cache.find("1", "absent").has_value());
  EXPECT_FALSE(cache.find("", "k").has_value());
}

// Who looked before somebody wrote may tell of it afterwards.
TEST(VersionCache, OlderLooksAreNotKept) {
  VersionCache cache;
  cache.keep("2", "k", kTwo);
  cache.keep("1", "k", kOne);
  EXPECT_EQ(cache.find("2", "k").value(), kTwo);
  EXPECT_FALSE(cache.find("1", "k").has_value());
}

}  // namespace
}  // namespace partita::foundationdb
