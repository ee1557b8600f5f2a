#include "table/catalog/catalog.h"

#include <atomic>
#include <utility>

#include "engines/memory/memory_engine.h"
#include "table/open/table_testing.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;

class CatalogTest : public TableTest {};

Item row(int64_t number) { return item({{"pk", s("p")}, {"sk", n(number)}, {"g", s("g" + std::to_string(number))}}); }

api::CreateTableRequest with_index(const std::string& name) {
  api::CreateTableRequest request = plain_table(name);
  request.definitions.push_back({"g", model::Type::kS});
  request.global_indexes = {{index_request("by-g", {hash("g")}, api::ProjectionKind::kKeysOnly)}};
  return request;
}

TEST_F(CatalogTest, ANameIsTakenOnce) {
  create(plain_table());
  const api::CreateTableRequest again = plain_table();
  const auto refused = wait_for(create_table(db(), again));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kTableExists);
}

TEST_F(CatalogTest, NamesComeInOrderAndPages) {
  for (const char* name : {"b", "c", "a"}) create(plain_table(name));
  EXPECT_EQ(wait_for(db().catalog().names("", 10)).value(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(wait_for(db().catalog().names("a", 1)).value(), (std::vector<std::string>{"b"}));
  EXPECT_TRUE(wait_for(db().catalog().names("c", 1)).value().empty());
}

TEST_F(CatalogTest, ARefusedChangeChangesNothing) {
  create(plain_table());
  const Catalog::Change refuse = [](TableInfo& info) -> Result<void> {
    info.deletion_protection = true;
    return model::refuse(Fault::kTableInUse);
  };
  EXPECT_FALSE(wait_for(db().catalog().change("T", refuse)).ok());
  reopen();
  EXPECT_FALSE(find("T")->deletion_protection);
  EXPECT_EQ(find("T")->revision, 1u);
}

// Two changes, the first of which is announced after the second: a look-up began before the second was made.
TEST_F(CatalogTest, AnOlderDescriptionNeverReplacesANewer) {
  create(plain_table());
  Catalog other(engine_, clock_, 99, {});
  ASSERT_TRUE(wait_for(other.look_again()).ok());
  const Catalog::Change protect = [](TableInfo& info) -> Result<void> {
    info.deletion_protection = true;
    return {};
  };
  bool changed = false;
  close();  // nobody else reads
  engine_.after_read = [&] {
    if (std::exchange(changed, true)) return;
    EXPECT_TRUE(wait_for(other.change("T", protect)).ok());
  };
  const Table late = wait_for(other.look_up("T")).value();
  engine_.after_read = nullptr;
  EXPECT_TRUE(changed);
  EXPECT_EQ(late->revision, 1u);
  EXPECT_EQ(other.find("T")->revision, 2u);
  EXPECT_TRUE(other.find("T")->deletion_protection);
}

// A table that was forgotten here while the catalogue was read does not come back.
TEST_F(CatalogTest, AForgottenTableStaysAway) {
  create(plain_table());
  close();
  bool deleted = true;
  engine_.after_read = [&] {
    if (std::exchange(deleted, true)) return;
    EXPECT_TRUE(wait_for(delete_table(db(), "T")).ok());
    wait_for_jobs();
  };
  open();
  wait_for_jobs();
  deleted = false;
  EXPECT_EQ(wait_for(db().catalog().look_up("T")).value(), nullptr);
  EXPECT_EQ(find("T"), nullptr);
  close();
  engine_.after_read = nullptr;
}

// Another server's catalogue, of a table that is made and forgotten past it.
class LateCatalogTest : public CatalogTest {
 protected:
  LateCatalogTest() {
    create(plain_table());
    close();
  }
  void forget(Catalog& catalog) {
    const Table table = wait_for(catalog.look_up("T")).value();
    ASSERT_NE(table, nullptr);
    Catalog::AttachedWrite nobody;
    nobody.key = table_key("no table");
    nobody.apply = [](const storage::Record*, const TableInfo&, storage::Changes&) { return true; };
    ASSERT_TRUE(wait_for(catalog.forget(table, nobody)).ok());
  }
  // `meanwhile` comes once, between what the engine does next and its caller.
  template <class Meanwhile>
  auto once(Meanwhile meanwhile) {
    return [meanwhile, done = std::make_shared<bool>(false)] {
      if (!std::exchange(*done, true)) meanwhile();
    };
  }

  Catalog late_{engine_, clock_, 98, {}};
  Catalog other_{engine_, clock_, 99, {}};
};

TEST_F(LateCatalogTest, WhatWasReadBeforeItWasFoundGoneDoesNotComeBack) {
  engine_.after_read = once([&] {
    forget(other_);
    EXPECT_TRUE(wait_for(late_.look_again()).ok());
  });
  EXPECT_EQ(wait_for(late_.look_up("T")).value(), nullptr);
  EXPECT_EQ(late_.find("T"), nullptr);
}

TEST_F(LateCatalogTest, WhatWasChangedBeforeItWasForgottenDoesNotComeBack) {
  ASSERT_TRUE(wait_for(late_.look_again()).ok());
  engine_.after_transact = once([&] { forget(late_); });
  const Catalog::Change nothing = [](TableInfo&) { return Result<void>(); };
  EXPECT_TRUE(wait_for(late_.change("T", nothing)).ok());
  EXPECT_EQ(late_.find("T"), nullptr);
}

TEST_F(LateCatalogTest, WhatWasMadeBeforeItWasForgottenDoesNotComeBack) {
  forget(other_);
  engine_.after_transact = once([&] { forget(late_); });
  TableInfo made;
  made.name = "T";
  made.keys = {{{"pk", model::Type::kS}}, {}};
  EXPECT_TRUE(wait_for(late_.create(made)).ok());
  EXPECT_EQ(late_.find("T"), nullptr);
}

// To forget what is gone already is no change of the catalogue, and the next change is one.
TEST_F(LateCatalogTest, AChangeIsSeenByWhoForgotATableThatWasGone) {
  ASSERT_TRUE(wait_for(late_.look_again()).ok());
  const Table table = late_.find("T");
  forget(other_);
  ASSERT_TRUE(wait_for(late_.look_again()).ok());
  Catalog::AttachedWrite nobody;
  nobody.key = table_key("no table");
  nobody.apply = [](const storage::Record*, const TableInfo&, storage::Changes&) { return true; };
  ASSERT_TRUE(wait_for(late_.forget(table, nobody)).ok());
  TableInfo made;
  made.name = "U";
  made.keys = {{{"pk", model::Type::kS}}, {}};
  ASSERT_TRUE(wait_for(other_.create(made)).ok());
  ASSERT_TRUE(wait_for(late_.look_again()).ok());
  EXPECT_NE(late_.find("U"), nullptr);
}

// Ids that begin anew would give a table the rows of another.
TEST_F(CatalogTest, ADamagedNumberStopsTheMakingOfTables) {
  for (const SystemRow row : {SystemRow::kNextId, SystemRow::kRevision}) {
    create(plain_table(row == SystemRow::kNextId ? "T" : "U"));
    const storage::Key key = system_key(row);
    const std::vector<storage::Key> keys{key};
    const auto sound = wait_for(engine_.read(keys)).value();
    store(key, "?");
    const api::CreateTableRequest request = plain_table("V");
    const auto refused = wait_for(create_table(db(), request));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
    store(key, sound[0]->value);
  }
}

TEST_F(CatalogTest, AnIdIsNotUsedAgain) {
  const Table first = create(plain_table());
  EXPECT_TRUE(wait_for(delete_table(db(), "T")).ok());
  wait_for_jobs();
  EXPECT_EQ(find("T"), nullptr);
  const Table second = create(plain_table());
  EXPECT_NE(second->id, first->id);
  reopen();
  wait_for_jobs();
  ASSERT_NE(find("T"), nullptr);
  EXPECT_EQ(find("T")->id, second->id);
}

// Features are set by a version of the program that this one is not.
TEST_F(CatalogTest, ATableWithUnknownFeaturesIsLeftAlone) {
  create(plain_table());
  put("T", row(1));
  const Catalog::Change newer = [](TableInfo& info) -> Result<void> {
    info.features = {"time-travel"};
    return {};
  };
  ASSERT_TRUE(wait_for(db().catalog().change("T", newer)).ok());
  reopen();
  EXPECT_EQ(find("T")->features, std::vector<std::string>{"time-travel"});
  auto fault_of = [](const auto& refused) {
    return refused.ok() ? std::nullopt : std::optional(model::fault_of(refused.error()));
  };
  EXPECT_EQ(fault_of(write(Kind::kPut, "T", row(2))), Fault::kTableOfNewerVersion);
  EXPECT_EQ(fault_of(wait_for(delete_table(db(), "T"))), Fault::kTableOfNewerVersion);
  api::UpdateTableRequest update;
  update.name = "T";
  update.deletion_protection = true;
  EXPECT_EQ(fault_of(wait_for(update_table(db(), update))), Fault::kTableOfNewerVersion);
  EXPECT_EQ(find("T")->status_at(clock_.now_ms()), Status::kActive);
}

// In a store that a newer version serves too.
TEST_F(CatalogTest, AJobOfAnUnknownKindIsLeftAlone) {
  const std::vector<storage::Key> newer{job_key(static_cast<JobKind>('A'), 7, 0)};
  testing::internal::CaptureStderr();
  store(newer.front(), "of a newer version");
  create(plain_table());
  ASSERT_TRUE(wait_for(delete_table(db(), "T")).ok());
  wait_for_jobs();
  EXPECT_EQ(find("T"), nullptr);
  close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("damaged"), std::string::npos) << said;
  const auto found = wait_for(engine_.read(newer));
  ASSERT_TRUE(found.ok() && found->front());
  EXPECT_EQ(found->front()->value, "of a newer version");
  open();
}

// The clock of the test stands still: whoever waited for a moment to pass would see its patience end.
TEST_F(CatalogTest, NobodyWaitsForATableThatWasMadeOrDeleted) {
  const auto refusal = [](const Result<Table>& result) {
    return result.ok() ? Fault::kInternal : model::fault_of(result.error());
  };
  options_.updating_ms = options_.deleting_ms = 50;
  reopen();
  for (int round = 0; round < 3; ++round) {
    const auto made = wait_for(create_table(db(), plain_table()));
    ASSERT_TRUE(made.ok());
    EXPECT_EQ((*made)->status, Status::kCreating);
    EXPECT_EQ((*made)->status_at(clock_.now_ms()), Status::kCreating);
    ASSERT_TRUE(db().ready_table("T").ok());
    EXPECT_EQ(wait_for(describe_table(db(), "T")).value()->status, Status::kActive);
    EXPECT_EQ(refusal(wait_for(create_table(db(), plain_table()))), Fault::kTableExists);
    EXPECT_TRUE(rows("T").empty());
    put("T", row(round));
    const auto deleted = wait_for(delete_table(db(), "T"));
    ASSERT_TRUE(deleted.ok());
    EXPECT_EQ((*deleted)->status, Status::kDeleting);
    EXPECT_EQ(refusal(wait_for(describe_table(db(), "T"))), Fault::kTableNotFound);
    EXPECT_EQ(refusal(wait_for(delete_table(db(), "T"))), Fault::kTableNotFound);
    EXPECT_TRUE(wait_for(list_tables(db(), {"", 9})).value().names.empty());
  }
}

TEST_F(CatalogTest, StatusIsCreatingUntilItsTimeIsOver) {
  TableInfo table;
  table.status = Status::kCreating;
  table.settles_at_ms = 100;
  EXPECT_EQ(table.status_at(99), Status::kCreating);
  EXPECT_EQ(table.status_at(100), Status::kActive);
  // The clock was set back.
  EXPECT_EQ(table.status_at(100 - kLongestMomentMs - 1), Status::kActive);
  table.status = Status::kDeleting;
  EXPECT_EQ(table.status_at(100), Status::kDeleting);
}

// Goes on by itself, and can be set.
class SetClock final : public Clock {
 public:
  int64_t now_ms() const override { return system_clock().now_ms() + by_ms; }
  int64_t monotonic_ns() const override { return system_clock().monotonic_ns(); }
  std::atomic<int64_t> by_ms{0};
};

TEST(SetClock, BackToTheMomentInWhichATableWasMadeRefusesNobody) {
  for (const int64_t back_ms : {900, 1'500, 4'000}) {
    const auto engine = open_memory_engine();
    SetClock clock;
    SeededRandom random(1);
    const auto database = Database::open(*engine, clock, random).value();
    const api::CreateTableRequest request = plain_table();
    ASSERT_TRUE(wait_for(create_table(*database, request)).ok());
    ASSERT_NE(wait_for(database->settled_table("T")).value(), nullptr);
    clock.by_ms = -back_ms;
    api::WriteAction action;
    action.item = model::encode_item(row(1));
    EXPECT_TRUE(carry_out(*database, "T", action).ok()) << back_ms;
  }
}

TEST_F(CatalogTest, ACleanStopKeepsTablesAndCounters) {
  create(with_index("T"));
  for (int64_t number = 0; number < 20; ++number) put("T", row(number));
  const std::string uuid = find("T")->uuid;
  reopen();
  ASSERT_NE(find("T"), nullptr);
  EXPECT_EQ(find("T")->uuid, uuid);
  expect_consistent("T");
  put("T", row(20));
  expect_consistent("T");
}

}  // namespace
}  // namespace partita::table
