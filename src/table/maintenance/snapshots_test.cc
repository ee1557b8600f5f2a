#include "table/maintenance/snapshots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "model/aside_fault.h"
#include "storage/range_cursor.h"
#include "table/catalog/attribute_lists.h"
#include "table/maintenance/copy_store.h"
#include "table/maintenance/namespaces.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using model::AsideFault;
using model::Fault;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Position;

// Refuses what writes when a number of writes are done.
class Failing final : public storage::TrackingEngine {
 public:
  explicit Failing(std::unique_ptr<storage::Engine> engine) : TrackingEngine(*engine), engine_(std::move(engine)) {}

  int64_t writes_left = INT64_MAX;
  int scans = 0;
  size_t largest = 0;  // transaction so far, in bytes that it writes

  Task<Result<storage::Page>> scan(storage::Range range, storage::Direction direction, size_t max_records,
                                   size_t max_bytes) override {
    ++scans;
    return engine_->scan(std::move(range), direction, max_records, max_bytes);
  }
  Task<Result<storage::Outcome>> transact(std::vector<Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    if (writes_left-- <= 0) co_return refused();
    const storage::Decide weighing = [&](std::span<const storage::Record* const> found, Changes& changes) {
      const Decision decision = decide(found, changes);
      size_t bytes = 0;
      for (const auto& write : changes.writes()) bytes += write.key.bytes.size() + write.value.value_or("").size();
      largest = std::max(largest, bytes);
      return decision;
    };
    co_return co_await engine_->transact(std::move(keys), std::move(compare), weighing, version);
  }
  Task<Result<void>> forget_log(std::string topic) override {
    if (writes_left-- <= 0) co_return refused();
    co_return co_await engine_->forget_log(std::move(topic));
  }
  Task<Result<void>> restore_log(std::string topic, std::vector<storage::LogEntry> entries, Position end) override {
    if (writes_left-- <= 0) co_return refused();
    co_return co_await engine_->restore_log(std::move(topic), std::move(entries), end);
  }

 private:
  static Error refused() { return Error(ErrorKind::kUnavailable, "the test says so"); }
  std::unique_ptr<storage::Engine> engine_;
};

// All that a database has, but for what is never set back.
struct Dump {
  std::map<std::string, std::string> rows;
  std::map<std::string, std::pair<std::vector<std::pair<Position, std::string>>, Position>> logs;
  bool operator==(const Dump&) const = default;
};

Task<Dump> dump(storage::Engine& store, std::string space) {
  std::unique_ptr<storage::Engine> view;
  if (!space.empty()) view = namespace_of(store, space);
  storage::Engine& engine = view == nullptr ? store : *view;
  Dump all;
  storage::RangeCursor walk(engine, {"", space.empty() ? std::string(kBesideDatabase) : ""});
  while (true) {
    auto more = co_await walk.next();
    EXPECT_TRUE(more.ok());
    if (!more.ok() || !*more) break;
    const std::string key(walk.row().key);
    if (key == system_key(SystemRow::kNextId).bytes || key == system_key(SystemRow::kRevision).bytes) continue;
    const Key lists = system_key(SystemRow::kNames);
    if (key.starts_with(lists.bytes) || key.starts_with(second_copy(lists).bytes)) continue;
    all.rows.emplace(key, walk.row().value);
  }
  std::string first;
  auto topics = co_await engine.topics(std::move(first), 10'000);
  EXPECT_TRUE(topics.ok());
  for (const std::string& topic : *topics) {
    if (space.empty() && is_topic_beside(topic)) continue;
    auto& log = all.logs[topic];
    auto entries = co_await engine.read_log(topic, Position(), 100'000, size_t{1} << 30);
    EXPECT_TRUE(entries.ok());
    for (const auto& one : *entries) log.first.emplace_back(one.position, one.entry);
    auto end = co_await engine.log_end(topic);
    EXPECT_TRUE(end.ok());
    log.second = *end;
  }
  co_return all;
}

class SnapshotsTest : public testing::TestWithParam<std::string> {
 protected:
  SnapshotsTest() {
    // What rolling back must never touch.
    for (const std::string& other : {std::string(), std::string("n"), std::string("nn"), std::string("m")}) {
      if (other == space()) continue;
      std::unique_ptr<storage::Engine> view;
      if (!other.empty()) view = namespace_of(engine_, other);
      change(view == nullptr ? engine_ : *view, 0, 40);
      others_.push_back(other);
    }
    for (const std::string& other : others_) before_.push_back(wait_for(dump(engine_, other)));
    restart();
  }
  ~SnapshotsTest() override {
    for (size_t i = 0; i < others_.size(); ++i) EXPECT_EQ(wait_for(dump(engine_, others_[i])), before_[i]);
  }

  const std::string& space() const { return GetParam(); }
  Dump now() { return wait_for(dump(engine_, space())); }
  // As after a kill.
  void restart() {
    snapshots_ = std::make_unique<Snapshots>(engine_, space(), clock_, 300);
    const auto recovered = wait_for(snapshots_->recover());
    EXPECT_TRUE(recovered.ok()) << recovered.error().sentence();
  }
  static std::string name_of(uint64_t number) { return "\x00\x00\x00\x05\x00\x01k" + std::to_string(number); }
  uint64_t draw(uint64_t below) { return random_.next() % below; }

  void change(storage::Engine& engine, uint64_t first, uint64_t count) {
    const storage::Decide decide = [&](std::span<const storage::Record* const>, Changes& changes) {
      for (uint64_t i = first; i < first + count; ++i) {
        changes.put(Key{name_of(i)}, std::to_string(random_.next()));
        changes.append("topic" + std::to_string(i % 3), std::to_string(i));
      }
      changes.put(system_key(SystemRow::kNextId), std::to_string(random_.next()));
      return Decision::kCommit;
    };
    EXPECT_TRUE(wait_for(engine.transact({}, {}, decide)).ok());
  }
  void change_something() {
    storage::Engine& engine = snapshots_->engine();
    const std::string topic = "topic" + std::to_string(draw(5));
    switch (draw(6)) {
      case 0:
      case 1: {
        const storage::Decide decide = [&](std::span<const storage::Record* const>, Changes& changes) {
          for (int i = 0; i < 4; ++i) changes.put(Key{name_of(draw(60))}, std::string(draw(50), 'v'));
          changes.erase(Key{name_of(draw(60))});
          if (draw(2) == 0) changes.append(topic, std::to_string(draw(1'000)));
          return Decision::kCommit;
        };
        EXPECT_TRUE(wait_for(engine.transact({}, {}, decide)).ok());
        break;
      }
      case 2:
        EXPECT_TRUE(wait_for(engine.erase_range({name_of(draw(30)), name_of(30 + draw(30))})).ok());
        break;
      case 3: {
        const auto entries = wait_for(engine.read_log(topic, Position(), 3, 1'000));
        if (!entries->empty()) {
          EXPECT_TRUE(wait_for(engine.trim_log(topic, entries->back().position)).ok());
        }
        break;
      }
      case 4:
        if (draw(3) == 0) {
          EXPECT_TRUE(wait_for(engine.forget_log(topic)).ok());
        }
        break;
      default:
        change(engine, draw(40), draw(20));
    }
  }

  Failing engine_{open_memory_engine()};
  ManualClock clock_{1'700'000'000'000};
  SeededRandom random_{7};
  std::unique_ptr<Snapshots> snapshots_;

 private:
  std::vector<std::string> others_;
  std::vector<Dump> before_;
};
INSTANTIATE_TEST_SUITE_P(Of, SnapshotsTest, testing::Values("", "n"),
                         [](const auto& one) { return one.param.empty() ? "TheStore" : "ANamespace"; });

TEST_P(SnapshotsTest, RollingBackIsExact) {
  std::map<std::string, Dump> taken;
  for (int round = 0; round < 400; ++round) {
    const std::string name = "s" + std::to_string(draw(4));
    switch (draw(8)) {
      case 0:
        if (taken.contains(name)) break;
        ASSERT_TRUE(wait_for(snapshots_->create(name)).ok());
        taken.emplace(name, now());
        break;
      case 1:
      case 2: {
        clock_.advance_ms(1);
        const auto rolled = wait_for(snapshots_->roll_back(name));
        ASSERT_EQ(rolled.ok(), taken.contains(name));
        if (rolled.ok()) {
          ASSERT_EQ(now(), taken.at(name)) << "round " << round;
        }
        break;
      }
      case 3:
        if (draw(3) != 0) break;
        ASSERT_EQ(wait_for(snapshots_->remove(name)).ok(), taken.erase(name) > 0);
        break;
      case 4:
        if (draw(3) == 0) restart();
        break;
      default:
        for (uint64_t i = draw(5); i > 0; --i) change_something();
    }
    ASSERT_EQ(snapshots_->list().size(), taken.size());
  }
}

// Whatever the moment at which it is killed: the database is as it was before, or as the snapshot.
TEST_P(SnapshotsTest, RollingBackIsWholeOrNothing) {
  change(snapshots_->engine(), 0, 30);
  ASSERT_TRUE(wait_for(snapshots_->create("s")).ok());
  const Dump then = now();
  int64_t writes = 0;
  int before = 0;
  int after = 0;
  for (bool whole = false; !whole; ++writes) {
    for (int i = 0; i < 10; ++i) change_something();
    const Dump changed = now();
    if (changed == then) continue;
    engine_.writes_left = writes;
    const auto rolled = wait_for(snapshots_->roll_back("s"));
    engine_.writes_left = INT64_MAX;
    whole = rolled.ok();
    const auto begun = wait_for(Snapshots::begun_rollback(engine_, space()));
    ASSERT_TRUE(begun.ok());
    restart();
    const Dump found = now();
    ASSERT_TRUE(found == changed || found == then) << "after " << writes << " writes";
    ASSERT_EQ(*begun, !whole && found == then ? "s" : "") << "after " << writes << " writes";
    ASSERT_EQ(*wait_for(Snapshots::begun_rollback(engine_, space())), "");
    (found == changed ? before : after) += 1;
    if (whole) {
      EXPECT_EQ(found, then);
    }
  }
  EXPECT_GT(before, 0);
  EXPECT_GT(after, 2);
}

// The same of making one and of deleting one.
TEST_P(SnapshotsTest, AHalfSnapshotIsNone) {
  change(snapshots_->engine(), 0, 30);
  const Dump then = now();
  for (int64_t writes = 0;; ++writes) {
    engine_.writes_left = writes;
    const bool whole = wait_for(snapshots_->create("s")).ok();
    engine_.writes_left = INT64_MAX;
    restart();
    ASSERT_EQ(now(), then);
    ASSERT_EQ(snapshots_->list().size(), whole ? 1U : 0U);
    if (whole) break;
    const std::string aside = aside_of_namespace(space());
    const auto left = wait_for(engine_.scan(storage::range_of(aside), storage::Direction::kAscending, 10, 1'000));
    ASSERT_TRUE(left->empty()) << "after " << writes << " writes";
  }
  change(snapshots_->engine(), 10, 5);
  for (int64_t writes = 0;; ++writes) {
    engine_.writes_left = writes;
    const bool gone = wait_for(snapshots_->remove("s")).ok();
    engine_.writes_left = INT64_MAX;
    restart();
    if (gone) break;
    if (!snapshots_->list().empty()) continue;
    ASSERT_TRUE(wait_for(snapshots_->create("s")).ok());
  }
  EXPECT_TRUE(snapshots_->list().empty());
}

TEST_P(SnapshotsTest, IdsUsersAttributeListsAndNoticesStayAsTheyAre) {
  std::vector<Key> keys;
  for (const Key& key : {system_key(SystemRow::kNextId), system_key(SystemRow::kRevision),
                         system_key(SystemRow::kAccount, "user"), system_key(SystemRow::kAlarmNotices, "busy"),
                         system_key(SystemRow::kAccount, "other"), system_key(SystemRow::kAlarmNotices, "calm"),
                         system_key(SystemRow::kNames, "list"), second_copy(system_key(SystemRow::kNames, "list"))}) {
    keys.push_back(key);
  }
  const auto write = [&](const std::string& value, size_t count) {
    const storage::Decide put_all = [&](std::span<const storage::Record* const>, Changes& changes) {
      for (size_t i = 0; i < count; ++i) changes.put(keys[i], value);
      changes.put(Key{name_of(1)}, value);
      return Decision::kCommit;
    };
    ASSERT_TRUE(wait_for(snapshots_->engine().transact({}, {}, put_all)).ok());
  };
  write("then", 4);
  ASSERT_TRUE(wait_for(snapshots_->create("s")).ok());
  for (const bool known : {true, false}) {
    write("now", 8);
    if (!known) restart();
    ASSERT_TRUE(wait_for(snapshots_->roll_back("s")).ok());
    const auto found = wait_for(snapshots_->engine().read(keys));
    for (const auto& record : *found) EXPECT_EQ(record.value_or(storage::Record{}).value, "now");
    const std::vector<Key> item{Key{name_of(1)}};
    EXPECT_EQ((*wait_for(snapshots_->engine().read(item)))[0]->value, "then");
  }
}

TEST_P(SnapshotsTest, NoTransactionIsMuchLargerThanABatch) {
  constexpr size_t kItem = 100;
  constexpr size_t kMost = 300 + 2 * kItem;  // what fills a batch may be large, and the mark is there too
  const auto fill = [&](char letter) {
    const storage::Decide put_one = [&](std::span<const storage::Record* const>, Changes& changes) {
      for (uint64_t i = 0; i < 50; ++i) changes.put(Key{name_of(i)}, std::string(kItem, letter));
      return Decision::kCommit;
    };
    ASSERT_TRUE(wait_for(snapshots_->engine().transact({}, {}, put_one)).ok());
  };
  fill('a');
  engine_.largest = 0;
  ASSERT_TRUE(wait_for(snapshots_->create("s")).ok());
  EXPECT_LE(engine_.largest, kMost);
  const Dump then = now();
  for (const bool known : {true, false}) {
    fill('b');
    if (!known) restart();
    engine_.largest = 0;
    ASSERT_TRUE(wait_for(snapshots_->roll_back("s")).ok());
    EXPECT_LE(engine_.largest, kMost);
    EXPECT_EQ(now(), then);
  }
}

TEST_P(SnapshotsTest, ARollbackThatWasBegunIsSeen) {
  change(snapshots_->engine(), 0, 30);
  ASSERT_TRUE(wait_for(snapshots_->create("s")).ok());
  change(snapshots_->engine(), 0, 30);
  EXPECT_EQ(*wait_for(Snapshots::begun_rollback(engine_, space())), "");
  engine_.writes_left = 3;
  ASSERT_FALSE(wait_for(snapshots_->roll_back("s")).ok());
  engine_.writes_left = INT64_MAX;
  EXPECT_EQ(*wait_for(Snapshots::begun_rollback(engine_, space())), "s");
  EXPECT_EQ(*wait_for(Snapshots::begun_rollback(engine_, space().empty() ? "n" : "")), "");
  const auto copy = open_memory_engine();
  StoreCopyOptions options;
  options.from_name = "here";
  const auto copied = wait_for(copy_store(engine_, *copy, std::move(options)));
  ASSERT_FALSE(copied.ok());
  EXPECT_NE(copied.error().sentence().find("to the snapshot s was begun"), std::string_view::npos);
  restart();
  EXPECT_EQ(*wait_for(Snapshots::begun_rollback(engine_, space())), "");
}

// A namespace that holds nothing but a snapshot of nothing can be found, and dropped.
TEST_P(SnapshotsTest, ASnapshotIsSomething) {
  for (const std::string& name : {std::string("a"), std::string("lone"), std::string("z")}) {
    Snapshots snapshots(engine_, name, clock_);
    ASSERT_TRUE(wait_for(snapshots.create("s")).ok());
  }
  std::vector<std::string> all{"a", "lone", "m", "n", "nn", "z"};
  if (!space().empty()) std::erase(all, space());  // nothing was written there
  std::vector<std::string> found;
  for (std::string after;;) {
    auto some = wait_for(namespaces(engine_, after, 2));
    ASSERT_TRUE(some.ok());
    if (some->empty()) break;
    found.insert(found.end(), some->begin(), some->end());
    after = found.back();
  }
  EXPECT_EQ(found, all);
  engine_.scans = 0;
  EXPECT_EQ(*wait_for(namespaces_with_aside(engine_)), (std::vector<std::string>{"a", "lone", "z"}));
  EXPECT_EQ(engine_.scans, 4);  // none for those without
  EXPECT_TRUE(*wait_for(namespace_exists(engine_, "lone")));
  ASSERT_TRUE(wait_for(drop_namespace(engine_, "lone")).ok());
  EXPECT_FALSE(*wait_for(namespace_exists(engine_, "lone")));
}

TEST_P(SnapshotsTest, ADropThatIsCutOffLeavesNoRowsWithoutTheirCatalogue) {
  const auto half = namespace_of(engine_, "half");
  const std::string of_catalogue(5, '\0');
  const std::string of_table("\0\0\0\1row", 7);
  const storage::Decide fill = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    for (const std::string& row : {of_catalogue, of_table}) changes.put(storage::Key{row}, "v");
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> no_keys;
  std::vector<storage::Compare> no_compare;
  ASSERT_TRUE(wait_for(half->transact(std::move(no_keys), std::move(no_compare), fill, nullptr)).ok());
  engine_.writes_left = 1;
  EXPECT_FALSE(wait_for(drop_namespace(engine_, "half")).ok());
  engine_.writes_left = INT64_MAX;
  const auto left = wait_for(half->scan({}, storage::Direction::kAscending, 10, 1'000)).value();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].key, of_catalogue);
  ASSERT_TRUE(wait_for(drop_namespace(engine_, "half")).ok());
  EXPECT_FALSE(*wait_for(namespace_exists(engine_, "half")));
}

// Clients use the ids of lists as long as they run.
TEST_P(SnapshotsTest, AttributeListsOutliveTheirNamespace) {
  const std::vector<std::vector<std::string>> names{{"a", "b"}, {"b", "a"}, {"c"}};
  std::vector<uint64_t> ids;
  {
    const auto view = namespace_of(engine_, "gone");
    AttributeLists lists(*view);
    for (const auto& each : names) ids.push_back((*wait_for(lists.store(each)))->id);
  }
  ASSERT_TRUE(wait_for(drop_namespace(engine_, "gone")).ok());
  EXPECT_FALSE(*wait_for(namespace_exists(engine_, "gone")));
  for (const std::string_view again : {"gone", "new"}) {
    const auto view = namespace_of(engine_, again);
    AttributeLists lists(*view);
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto found = wait_for(lists.find(ids[i]));
      ASSERT_TRUE(found.ok() && *found != nullptr) << i;
      EXPECT_EQ((*found)->names, names[i]);
    }
    EXPECT_EQ(*wait_for(lists.find(ids[0] + 1)), nullptr);
    EXPECT_FALSE(*wait_for(namespace_exists(engine_, std::string(again))));
  }
}

TEST_P(SnapshotsTest, WhatDidNotChangeIsNotLookedAt) {
  change(snapshots_->engine(), 0, 50);
  ASSERT_TRUE(wait_for(snapshots_->create("s")).ok());
  change(snapshots_->engine(), 3, 2);
  engine_.scans = 0;
  const auto rolled = wait_for(snapshots_->roll_back("s"));
  ASSERT_TRUE(rolled.ok());
  EXPECT_EQ(*rolled, 2U + 1U);  // the last is the mark: logs changed too
  EXPECT_LE(engine_.scans, 4);  // of the entries of logs
  engine_.writes_left = 0;
  EXPECT_EQ(*wait_for(snapshots_->roll_back("s")), 0U);
  engine_.writes_left = INT64_MAX;
}

// Whatever is written, and however many note it.
TEST(TrackingEngine, RemembersSoManyBytes) {
  constexpr size_t kMost = size_t{40} << 20;
  const std::unique_ptr<storage::Engine> engine = open_memory_engine();
  storage::TrackingEngine tracked(*engine);
  std::vector<storage::ChangeSet> noted(16);
  const auto bytes = [&] {
    size_t sum = 0;
    for (const auto& one : noted) sum += one.bytes;
    return sum;
  };
  for (storage::ChangeSet& one : noted) tracked.note(one);
  size_t most = 0;
  for (int i = 0; i < 12'000; ++i) {
    const std::string long_name = std::string(1'000, 'k') + std::to_string(i);
    const storage::Decide put_one = [&](std::span<const storage::Record* const>, Changes& changes) {
      if (i % 2 == 0) changes.put(Key{long_name}, "v");
      if (i % 2 == 1) changes.append(long_name.substr(900), "v");
      return Decision::kCommit;
    };
    ASSERT_TRUE(wait_for(tracked.transact({}, {}, put_one, nullptr)).ok());
    most = std::max(most, bytes());
  }
  EXPECT_GT(most, size_t{16} << 20);
  EXPECT_LT(most, kMost);
  // Each of them alone forgets what is too much, too.
  storage::ChangeSet alone;
  for (int i = 0; i < 100'000 && !alone.all; ++i) alone.add_topic(std::string(200, 't') + std::to_string(i));
  EXPECT_TRUE(alone.all);
  storage::ChangeSet sum;
  for (int i = 0; i < 30'000; ++i) sum.add_key("a" + std::to_string(i));
  storage::ChangeSet other;
  for (int i = 0; i < 30'000; ++i) other.add_key("b" + std::to_string(i));
  EXPECT_FALSE(sum.all || other.all);
  sum.add(other);
  EXPECT_TRUE(sum.all);
}

template <class Value>
AsideFault aside_of(const Result<Value>& result) {
  const auto* const detail = dynamic_cast<const model::AsideDetail*>(result.error().detail().get());
  EXPECT_NE(detail, nullptr);
  return detail->fault;
}

TEST_P(SnapshotsTest, NamesAndLimits) {
  for (const std::string& name : {std::string(), std::string(65, 'x'), std::string("a b"), std::string("a\0b", 3)}) {
    EXPECT_EQ(model::fault_of(wait_for(snapshots_->create(name)).error()), Fault::kConstraints);
  }
  for (size_t i = 0; i < kMaxSnapshots; ++i) ASSERT_TRUE(wait_for(snapshots_->create("s" + std::to_string(i))).ok());
  EXPECT_EQ(aside_of(wait_for(snapshots_->create("s1"))), AsideFault::kInUse);
  EXPECT_EQ(aside_of(wait_for(snapshots_->create("more"))), AsideFault::kLimit);
  EXPECT_EQ(aside_of(wait_for(snapshots_->roll_back("more"))), AsideFault::kNotFound);
  EXPECT_EQ(aside_of(wait_for(snapshots_->remove("more"))), AsideFault::kNotFound);
}

}  // namespace
}  // namespace partita::table
