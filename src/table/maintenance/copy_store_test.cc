#include "table/maintenance/copy_store.h"

#include <gtest/gtest.h>

#include <memory>

#include "engines/memory/memory_engine.h"
#include "storage/tracking_engine.h"
#include "table/maintenance/namespaces.h"
#include "table/maintenance/snapshots.h"
#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

class CopyTest : public TableTest {
 protected:
  CopyTest() {
    api::CreateTableRequest request = plain_table();
    request.stream = api::StreamRequest{true, "NEW_AND_OLD_IMAGES"};
    create(request);
    for (int i = 0; i < 50; ++i) put("T", item({{"pk", s("p" + std::to_string(i))}, {"sk", n(i)}}));
    close();
  }

  static StoreCopyOptions options(std::function<bool(const CopyProgress&)> progress = nullptr) {
    StoreCopyOptions options;
    options.from_name = options.from_mark = "here";
    options.page_rows = 7;
    options.progress = std::move(progress);
    return options;
  }
  Result<CopyReport> copy(std::function<bool(const CopyProgress&)> progress = nullptr) {
    return wait_for(copy_store(engine_, *to_, options(std::move(progress))));
  }
  Result<std::unique_ptr<Database>> open_copy() { return Database::open(*to_, clock_, random_, options_); }

  std::unique_ptr<storage::Engine> to_ = open_memory_engine();
};

TEST_F(CopyTest, IsWhatItWasCopiedFrom) {
  const auto report = copy();
  ASSERT_TRUE(report.ok()) << report.error().sentence();
  EXPECT_FALSE(report->resumed);
  EXPECT_GE(report->logs.rows, 50U);
  uint64_t rows = 0;
  for (const auto& [id, part] : report->tables) rows += id == 0 || id == kSecondCopyId ? 0 : part.rows;
  EXPECT_EQ(rows, 50U);
  const auto database = open_copy();
  ASSERT_TRUE(database.ok()) << database.error().sentence();
  open();
  EXPECT_EQ(rows_of(**database, "T").size(), 50U);
  EXPECT_EQ(rows_of(**database, "T"), rows_of(db(), "T"));
  partita::table::expect_consistent(**database, "T");
}

// The copy gives each key the same `read_mostly` as its users do.
TEST_F(CopyTest, NamesRowsAsTheirUsersDo) {
  for (const storage::Key& key : {table_key("T"), job_key(Job()), system_key(SystemRow::kProbe, "x")}) {
    const storage::Key named = key_of_row(key.bytes);
    EXPECT_EQ(named, key);
    EXPECT_EQ(named.place, key.place);
    EXPECT_EQ(named.read_mostly, key.read_mostly);
  }
  EXPECT_TRUE(key_of_row(table_key("T").bytes).read_mostly);
  open();
  const storage::Key used = item_key(*find("T"), item({{"pk", s("p")}, {"sk", n(1)}}));
  EXPECT_LE(key_of_row(used.bytes).place, used.place);
  EXPECT_FALSE(key_of_row(used.bytes).read_mostly);
  EXPECT_EQ(key_of_row("abc").place, 3U);
}

// Stopped after each page in turn, it goes on, and no half of it is ever opened.
TEST_F(CopyTest, GoesOnWhereItWas) {
  int stops = 0;
  for (;; ++stops) {
    uint64_t pages = 0;
    const auto report = copy([&](const CopyProgress& progress) { return progress.verifying || ++pages > 1; });
    if (report.ok()) {
      EXPECT_EQ(report->resumed, stops > 0);
      break;
    }
    ASSERT_EQ(report.error().kind(), ErrorKind::kUnavailable) << report.error().sentence();
    const auto half = open_copy();
    ASSERT_FALSE(half.ok());
    EXPECT_NE(half.error().sentence().find("not whole yet"), std::string::npos);
    ASSERT_LT(stops, 200);
  }
  EXPECT_GT(stops, 10);
  EXPECT_TRUE(open_copy().ok());
}

TEST_F(CopyTest, RefusesWhatIsNotForIt) {
  std::vector<storage::Key> none;
  const storage::Decide put = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put({"zzzz", 4}, "other");
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(to_->transact(none, {}, put)).ok());
  const auto full = copy();
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().sentence().find("not empty"), std::string::npos);

  to_ = open_memory_engine();
  ASSERT_FALSE(copy([](const CopyProgress&) { return false; }).ok());
  StoreCopyOptions elsewhere = options();
  elsewhere.from_mark = "elsewhere";
  const auto other = wait_for(copy_store(engine_, *to_, elsewhere));
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().sentence().find("another store, here"), std::string::npos);

  const auto nothing = open_memory_engine();
  const auto third = open_memory_engine();
  EXPECT_FALSE(wait_for(copy_store(*nothing, *third, options())).ok());
  EXPECT_FALSE(wait_for(copy_store(*to_, *third, options())).ok());  // half a copy
}

TEST_F(CopyTest, GoesOnWithWhatAnOlderVersionCalledOtherwise) {
  ASSERT_FALSE(copy([](const CopyProgress&) { return false; }).ok());
  StoreCopyOptions renamed = options([](const CopyProgress&) { return false; });
  renamed.from_mark = "there";
  renamed.former_marks = {"nowhere", "here"};
  EXPECT_EQ(wait_for(copy_store(engine_, *to_, renamed)).error().kind(), ErrorKind::kUnavailable);  // it stopped
  EXPECT_EQ(copy().error().kind(), ErrorKind::kInvalid);
  renamed.former_marks.clear();
  renamed.progress = nullptr;
  const auto report = wait_for(copy_store(engine_, *to_, renamed));
  ASSERT_TRUE(report.ok()) << report.error().sentence();
  EXPECT_TRUE(report->resumed);
}

// As of a server that was started on it once, and asked whether it is ready.
class WithoutRoom final : public storage::TrackingEngine {
 public:
  using TrackingEngine::TrackingEngine;
  bool has_room_for(const storage::Position&) const override { return false; }
};

TEST_F(CopyTest, WritesNothingWhereLogsHaveNoRoom) {
  WithoutRoom to(*to_);
  const auto refused = wait_for(copy_store(engine_, to, options()));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kTooLarge);
  const auto written = wait_for(to_->scan({}, storage::Direction::kAscending, 1, 1'000));
  ASSERT_TRUE(written.ok());
  EXPECT_TRUE(written->empty());
}

TEST_F(CopyTest, LeavesSnapshotsOutWhereItIsToldTo) {
  for (const char* const space : {"", "n"}) {
    Snapshots snapshots(engine_, space, clock_);
    ASSERT_TRUE(wait_for(snapshots.recover()).ok());
    ASSERT_TRUE(wait_for(snapshots.create("s")).ok());
  }
  StoreCopyOptions without = options();
  without.snapshots = false;
  for (const bool kept : {true, false}) {
    to_ = open_memory_engine();
    const auto report = wait_for(copy_store(engine_, *to_, kept ? options() : without));
    ASSERT_TRUE(report.ok()) << report.error().sentence();
    EXPECT_EQ(report->left_out, kept ? 0U : 2U);
    EXPECT_EQ(report->tables.contains(UINT32_MAX), kept);
    const std::vector<std::string> none;
    EXPECT_EQ(wait_for(namespaces_with_aside(*to_)).value(), kept ? std::vector<std::string>({"", "n"}) : none);
    const auto database = open_copy();
    ASSERT_TRUE(database.ok()) << database.error().sentence();
    EXPECT_EQ(rows_of(**database, "T").size(), 50U);
  }
}

TEST_F(CopyTest, TakesAStoreThatWasOnlyProbed) {
  std::vector<storage::Key> none;
  const storage::Decide probe = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(system_key(SystemRow::kProbe, "x"), {});
    changes.put(system_key(SystemRow::kLedger), {});
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(to_->transact(none, {}, probe)).ok());
  const auto report = copy();
  EXPECT_TRUE(report.ok()) << report.error().sentence();
  const auto probed = open_memory_engine();
  const auto third = open_memory_engine();
  ASSERT_TRUE(wait_for(probed->transact(none, {}, probe)).ok());
  const storage::Decide measure = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(system_key(SystemRow::kMetrics, "x"), {});
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(probed->transact(none, {}, measure)).ok());
  EXPECT_FALSE(wait_for(copy_store(*probed, *third, options())).ok());
}

TEST_F(CopyTest, LeavesRowsOfServersOut) {
  const auto ours = namespace_of(engine_, "n");
  const auto others = namespace_of(*to_, "n");
  const std::vector<storage::Key> keys{system_key(SystemRow::kProbe, "x"), system_key(SystemRow::kLedger, "B"),
                                       system_key(SystemRow::kAlarmNotices, "busy"),
                                       system_key(SystemRow::kAlarm, "busy"), system_key(SystemRow::kNames, "list")};
  const storage::Decide put_all = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    for (const storage::Key& key : keys) changes.put(key, "value");
    return storage::Decision::kCommit;
  };
  for (storage::Engine* const engine : {static_cast<storage::Engine*>(&engine_), ours.get()}) {
    ASSERT_TRUE(wait_for(engine->transact({}, {}, put_all)).ok());
  }
  const auto report = copy();
  ASSERT_TRUE(report.ok()) << report.error().sentence();
  for (storage::Engine* const engine : {to_.get(), others.get()}) {
    const auto found = wait_for(engine->read(keys));
    for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ((*found)[i].has_value(), i >= 3) << i;
  }
}

TEST_F(CopyTest, FindsALogThatIsOnlyInTheCopy) {
  bool done = false;
  const auto report = copy([&](const CopyProgress& progress) {
    if (progress.verifying && !std::exchange(done, true)) {
      const storage::Decide append = [](std::span<const storage::Record* const>, storage::Changes& changes) {
        changes.append("another", "entry");
        return storage::Decision::kCommit;
      };
      EXPECT_TRUE(wait_for(to_->transact({}, {}, append)).ok());
    }
    return true;
  });
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().sentence().find("the number of logs"), std::string::npos) << report.error().sentence();
}

TEST_F(CopyTest, IsNotWholeUnlessItHadBothStoresForItself) {
  StoreCopyOptions lost = options();
  lost.still_alone = [] { return Result<void>(Error(ErrorKind::kUnavailable, "It is used.")); };
  EXPECT_FALSE(wait_for(copy_store(engine_, *to_, lost)).ok());
  EXPECT_FALSE(open_copy().ok());
  EXPECT_TRUE(copy().ok());
  EXPECT_TRUE(open_copy().ok());
}

// Behind where the copy is, or in the copy itself.
TEST_F(CopyTest, FindsWhatChangedMeanwhile) {
  for (const bool in_copy : {false, true}) {
    for (const char* const value : {"changed", ""}) {
      to_ = open_memory_engine();
      bool done = false;
      const auto report = copy([&](const CopyProgress& progress) {
        if (!progress.verifying || std::exchange(done, true)) return true;
        storage::Engine& target = in_copy ? *to_ : static_cast<storage::Engine&>(engine_);
        const auto page = wait_for(target.scan({}, storage::Direction::kDescending, 1, 1)).value();
        const storage::Key key{std::string(page[0].key), 4};
        const storage::Decide change = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
          *value != 0 ? changes.put(key, value) : changes.erase(key);
          return storage::Decision::kCommit;
        };
        EXPECT_TRUE(wait_for(target.transact({}, {}, change)).ok());
        return true;
      });
      ASSERT_FALSE(report.ok());
      EXPECT_EQ(report.error().kind(), ErrorKind::kConflict) << report.error().sentence();
      EXPECT_FALSE(open_copy().ok());
    }
  }
}

}  // namespace
}  // namespace partita::table
