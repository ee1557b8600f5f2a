#include "engines/stores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace partita {
namespace {

TEST(Engines, KnowTheirUrls) {
  EXPECT_TRUE(check_store("memory:").ok());
  EXPECT_TRUE(check_store("rocksdb:./x").ok());
  EXPECT_EQ(place_of_store("memory:"), "memory");
  EXPECT_EQ(place_of_store("rocksdb:./a:b"), "./a:b");
  EXPECT_EQ(place_of_store("fdb:/etc/fdb.cluster?prefix=shop"), "fdb:/etc/fdb.cluster?prefix=shop");
  for (const char* url : {"", "rocksdb", "rocksdb:", "memory", "memory:x", "oracle:x"}) {
    const auto checked = check_store(url);
    ASSERT_FALSE(checked.ok());
    EXPECT_NE(
        checked.error().sentence().find("rocksdb:DIR or memory: or postgresql://HOST/DATABASE or fdb:CLUSTER_FILE"),
        std::string_view::npos);
  }
}

TEST(Engines, TellNoPasswords) {
  const std::string url = "postgresql://user:secret@host/database?password=secret";
  EXPECT_TRUE(check_store(url).ok());
  EXPECT_EQ(place_of_store(url), "postgresql://user@host/database");
  for (const char* none : {"oracle://user:secret@host/x", "oracle:user:secret@host", "oracle:password=secret"}) {
    EXPECT_EQ(check_store(none).error().sentence().find("secret"), std::string_view::npos) << none;
  }
  const auto refused = open_store("postgresql://user:secret@127.0.0.1:1/database?connect_timeout=1");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().sentence().find("secret"), std::string_view::npos);
}

TEST(Engines, TellStoresApart) {
  EXPECT_EQ(mark_of_store("fdb:/etc/fdb.cluster?prefix=shop"), "/etc/fdb.cluster?prefix=shop");
  EXPECT_EQ(mark_of_store("postgresql://me:secret@host/db?sslmode=require"), "postgresql://host/db");
  EXPECT_EQ(mark_of_store("rocksdb:x"), (std::filesystem::current_path() / "x").string());
}

TEST(Engines, OpenMemory) { EXPECT_TRUE(open_store("memory:").ok()); }

TEST(Engines, SayWhyADirectoryCanNotBeUsed) {
  const auto refused = open_store("rocksdb:/dev/null/x");
  ASSERT_FALSE(refused.ok());
  EXPECT_FALSE(refused.error().sentence().empty());
}

TEST(Engines, MakeAStoreOnlyWhereThereIsNothingElse) {
  const std::filesystem::path place = testing::TempDir() + "/foreign";
  std::filesystem::remove_all(place);
  std::filesystem::create_directories(place / "lost+found");
  const std::string url = "rocksdb:" + place.string();
  EXPECT_TRUE(open_store(url).ok());
  std::ofstream(place / "letter.txt") << "dear reader";
  EXPECT_TRUE(open_store(url).ok());  // it is a store already
  std::filesystem::remove_all(place);
  std::filesystem::create_directories(place);
  std::ofstream(place / "letter.txt") << "dear reader";
  const auto refused = open_store(url);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("letter.txt"), std::string_view::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1);
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace partita
