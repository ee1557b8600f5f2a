// What `partita mcp` opens.
#include "cli/mcp.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

#include "engines/stores.h"
#include "table/maintenance/namespaces.h"

namespace partita::cli {
namespace {

class McpTest : public testing::Test {
 protected:
  McpTest() {
    std::string name = testing::TempDir() + "mcp-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    place_ = name;
    line_.store = "rocksdb:" + place_ + "/store";
  }
  ~McpTest() override { std::filesystem::remove_all(place_); }

  // What it answers to a call of a tool, or its one sentence.
  std::string use(bool writes, const std::string& tool, const std::string& arguments) {
    line_.writes = writes;
    std::istringstream in(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ")" + tool +
                          R"(", "arguments": )" + arguments + "}}\n");
    std::ostringstream out;
    auto* const usual_in = std::cin.rdbuf(in.rdbuf());
    auto* const usual_out = std::cout.rdbuf(out.rdbuf());
    const auto ended = mcp(line_, "1");
    std::cin.rdbuf(usual_in);
    std::cout.rdbuf(usual_out);
    return ended.ok() ? out.str() : std::string(ended.error().sentence());
  }

  std::string place_;
  McpOptions line_;
};

void put(const std::string& url, const std::string& key, const std::string& value) {
  const auto engine = std::move(open_store(url)).value();
  const auto put_it = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(storage::Key{key}, value);
    return storage::Decision::kCommit;
  };
  const auto stored = wait_for(engine->transact({}, {}, put_it));
  ASSERT_TRUE(stored.ok() && *stored == storage::Outcome::kCommitted);
}

TEST_F(McpTest, ARollbackThatWasCutOffEndsBeforeAnybodySeesIt) {
  const std::string table = R"({"TableName": "Music", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions":
    [{"AttributeName": "a", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]})";
  std::string one_line = table;
  std::erase(one_line, '\n');
  ASSERT_NE(use(true, "CreateTable", one_line).find("TableDescription"), std::string::npos);
  ASSERT_NE(use(false, "ListTables", "{}").find("Music"), std::string::npos);
  // To a snapshot of nothing.
  const std::string aside = table::aside_of_namespace({});
  put(line_.store, aside + "Iclean", std::string(1, '\2') + std::string(24, '\0'));
  put(line_.store, aside + "B", "clean");
  for (int i = 0; i < 2; ++i) {
    const std::string refused = use(false, "ListTables", "{}");
    EXPECT_EQ(
        refused,
        "A rollback to the snapshot clean was begun: serve the store once, or say --write here, so that it ends.");
  }
  for (const bool writes : {true, false}) {
    const std::string tables = use(writes, "ListTables", "{}");
    EXPECT_NE(tables.find(R"({\"TableNames\":[]})"), std::string::npos) << tables;
  }
}

TEST_F(McpTest, WhoOnlyReadsMakesNoStore) {
  const std::filesystem::path store = place_ + "/store";
  for (const bool is_there : {false, true}) {
    if (is_there) std::filesystem::create_directory(store);
    EXPECT_EQ(use(false, "ListTables", "{}"), "There is no store in " + store.string() + ": check the name.");
    EXPECT_EQ(std::filesystem::exists(store), is_there);
    EXPECT_TRUE(!is_there || std::filesystem::is_empty(store));
  }
  EXPECT_NE(use(true, "ListTables", "{}").find("TableNames"), std::string::npos);
  EXPECT_NE(use(false, "ListTables", "{}").find("TableNames"), std::string::npos);
}

}  // namespace
}  // namespace partita::cli
