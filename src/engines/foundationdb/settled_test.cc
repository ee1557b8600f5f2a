#include "engines/foundationdb/settled.h"

#include <gtest/gtest.h>

namespace partita::foundationdb {
namespace {

constexpr storage::Version kOne{1};
constexpr storage::Version kTwo{2};

TEST(Settled, VersionsAreThoseOfTheirEra) {
  Settled settled;
  EXPECT_FALSE(settled.find("", "k").has_value());
  settled.keep("", "k", kOne);
  settled.keep("", "absent", std::nullopt);
  EXPECT_EQ(settled.find("", "k").value(), kOne);
  EXPECT_EQ(settled.find("", "absent").value(), std::nullopt);
  EXPECT_FALSE(settled.find("", "another").has_value());
  EXPECT_FALSE(settled.find("1", "k").has_value());
  settled.keep("1", "k", kTwo);
  EXPECT_EQ(settled.find("1", "k").value(), kTwo);
  EXPECT_FALSE(settled.find("1", "absent").has_value());
  EXPECT_FALSE(settled.find("", "k").has_value());
}

// Who looked before somebody wrote may tell of it afterwards.
TEST(Settled, OlderLooksAreNotKept) {
  Settled settled;
  settled.keep("2", "k", kTwo);
  settled.keep("1", "k", kOne);
  EXPECT_EQ(settled.find("2", "k").value(), kTwo);
  EXPECT_FALSE(settled.find("1", "k").has_value());
}

}  // namespace
}  // namespace partita::foundationdb
