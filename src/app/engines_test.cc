#include "app/engines.h"

#include <gtest/gtest.h>

namespace partita::app {
namespace {

TEST(Engines, KnowTheirUrls) {
  EXPECT_TRUE(check_store("memory:").ok());
  EXPECT_TRUE(check_store("rocksdb:./x").ok());
  EXPECT_EQ(place_of_store("memory:"), "memory");
  EXPECT_EQ(place_of_store("rocksdb:./a:b"), "./a:b");
  for (const char* url : {"", "rocksdb", "rocksdb:", "memory:x", "oracle:x"}) {
    const auto checked = check_store(url);
    ASSERT_FALSE(checked.ok());
    EXPECT_NE(checked.error().sentence().find("rocksdb:DIR or memory:"), std::string_view::npos);
  }
}

TEST(Engines, OpenMemory) { EXPECT_TRUE(open_store("memory:").ok()); }

TEST(Engines, SayWhyADirectoryCanNotBeUsed) {
  const auto refused = open_store("rocksdb:/dev/null/x");
  ASSERT_FALSE(refused.ok());
  EXPECT_FALSE(refused.error().sentence().empty());
}

}  // namespace
}  // namespace partita::app
