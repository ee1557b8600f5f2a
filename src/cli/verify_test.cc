// What `partita verify` says of what is no table.
#include "cli/verify.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "engines/stores.h"
#include "table/maintenance/namespaces.h"
#include "table/open/database.h"
#include "table/rows/account_rows.h"

namespace partita::cli {
namespace {

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    std::string name = testing::TempDir() + "verify-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    place_ = name;
    options_.store = "rocksdb:" + place_;
    EXPECT_TRUE(table::Database::open(*open(), system_clock(), system_random()).ok());
  }
  ~VerifyTest() override { std::filesystem::remove_all(place_); }

  std::unique_ptr<storage::Engine> open() { return std::move(open_store(options_.store)).value(); }
  void put(const std::string& key, const std::string& value) {
    const auto put_it = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
      changes.put(storage::Key{key}, value);
      return storage::Decision::kCommit;
    };
    const auto stored = wait_for(open()->transact({}, {}, put_it));
    ASSERT_TRUE(stored.ok() && *stored == storage::Outcome::kCommitted);
  }
  void change_account(const std::string& row, const std::string& text) {
    const auto engine = open();
    const auto before = wait_for(table::read_account_rows(*engine));
    ASSERT_TRUE(before.ok());
    const auto changed = wait_for(table::change_account_rows(*engine, before->version, {{row, text}}));
    ASSERT_TRUE(changed.ok() && *changed);
  }
  // Whether all is well, and what it said.
  std::pair<bool, std::string> verified() {
    testing::internal::CaptureStdout();
    const auto well = verify(options_);
    EXPECT_TRUE(well.ok());
    return {well.ok() && *well, testing::internal::GetCapturedStdout()};
  }

  std::string place_;
  BackupOptions options_;
};

TEST_F(VerifyTest, ARollbackThatWasCutOffIsNoDamage) {
  const std::string aside = table::aside_of_namespace({});
  const std::string whole = std::string(1, '\2') + std::string(24, '\0');
  put(aside + "Iclean", whole);
  EXPECT_TRUE(verified().first);
  put(aside + "B", "clean");
  const auto [well, said] = verified();
  EXPECT_TRUE(well);
  EXPECT_NE(said.find("Not looked at: a rollback to the snapshot clean was cut off. The next start of a server "
                      "completes it.\nEverything that was checked is well.\n"),
            std::string::npos)
      << said;
  put(aside + "B", "none");
  EXPECT_FALSE(verified().first);
}

TEST_F(VerifyTest, WhatIsHalfRolledBackIsNotLookedAt) {
  const std::string aside = table::aside_of_namespace("space");
  put(aside + "Iclean", std::string(1, '\2') + std::string(24, '\0'));
  put(table::rows_of_namespace("space") + std::string("\0\0\0\0Ttab", 8), "half");
  EXPECT_FALSE(verified().first);
  put(aside + "B", "clean");
  EXPECT_TRUE(verified().first);
}

TEST_F(VerifyTest, RowsOfUsersAreHeldToTheirFormat) {
  change_account("g/readers", R"({"GroupName":"readers"})");
  change_account("u/alice", R"({"UserName":"alice","GroupList":["readers"]})");
  const auto [well, said] = verified();
  EXPECT_TRUE(well);
  EXPECT_NE(said.find("users and policies: 2 rows; all is well\n"), std::string::npos) << said;
  const auto differs = [&](const std::string& row, const std::string& text, const std::string& sentence) {
    const std::string before = wait_for(table::read_account_rows(*open()))->rows[row];
    change_account(row, text);
    const auto [still_well, told] = verified();
    EXPECT_FALSE(still_well);
    EXPECT_NE(told.find("; 1 difference\n  " + sentence + "\n"), std::string::npos) << told;
    change_account(row, before);
  };
  differs("u/alice", "{", "The store's row u/alice cannot be read: The file is not JSON.");
  differs("u/alice", R"({"UserName":"bob"})", "The store's row u/alice cannot be read: It is of bob.");
  differs("u/alice", R"({"UserName":"alice","Hat":1})",
          "The store's row u/alice cannot be read: a user has a member Hat, which is not known.");
  differs("u/alice", R"({"UserName":"alice","GroupList":["gone"]})",
          "the user alice is in a group that is not there: gone.");
  change_account("r/r", R"({"RoleName":"r","AssumeRolePolicyDocument":"{}"})");
  EXPECT_FALSE(verified().first);
}

}  // namespace
}  // namespace partita::cli
