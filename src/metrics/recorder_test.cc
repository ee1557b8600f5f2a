#include "metrics/recorder.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "metrics/history.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {
namespace {

constexpr int64_t kHour = 490'000;
constexpr int64_t kNow = kHour * 60;  // minutes since 1970

const Series kVotes{Scope::kTable, "Votes", ""};

// A server of one table with an index, whose counters a test moves.
class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    counts_.tables.push_back({});
    table().id = 1;
    table().name = "Votes";
    table().capacity.provisioned_read = 100;
    table().capacity.provisioned_write = 50;
    table().indexes.push_back({"by_day", {}});
  }

  TableCounts& table() { return counts_.tables.front(); }
  static void add(AmountCounts& amounts, uint64_t samples, int64_t each) {
    amounts.samples += samples;
    amounts.sum += static_cast<int64_t>(samples) * each;
    amounts.extremes = Extremes::Taken{each, each};
  }
  void record(Recorder& recorder, int64_t minute) {
    ServerCounts counts = counts_;
    ASSERT_TRUE(wait_for(recorder.record(*engine_, std::move(counts), minute)).ok());
    // Extremes are of one minute.
    if (counts_.tables.empty()) return;
    table().capacity.read.extremes.reset();
    table().capacity.write.extremes.reset();
  }
  void record(int64_t minute) { record(recorder_, minute); }
  std::vector<MinuteStatistics> read(const Series& series, Metric metric, int64_t from, int64_t to) {
    auto read = wait_for(history_.read(series, metric, from, to));
    EXPECT_TRUE(read.ok());
    return read.ok() ? *read : std::vector<MinuteStatistics>();
  }
  std::map<int64_t, double> sums(const Series& series, Metric metric, int64_t from = kNow - 600,
                                 int64_t to = kNow + 600) {
    std::map<int64_t, double> sums;
    for (const auto& [minute, statistics] : read(series, metric, from, to)) sums[minute - kNow] = statistics.sum;
    return sums;
  }
  size_t rows() {
    const auto page = wait_for(engine_->scan(table::system_rows(table::SystemRow::kMetrics),
                                             storage::Direction::kAscending, 100'000, 1 << 30));
    return page.ok() ? page->size() : 0;
  }

  using Sums = std::map<int64_t, double>;
  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  History history_{*engine_};
  Recorder recorder_{1};
  ServerCounts counts_;
};

TEST_F(RecorderTest, EachMinuteHasWhatWasCountedInIt) {
  add(table().capacity.read, 10, 2);
  record(kNow);
  record(kNow + 1);
  add(table().capacity.read, 1, 7);
  record(kNow + 2);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{0, 10}, {1, 0}, {2, 3.5}}));
  const auto values = read(kVotes, Metric::kConsumedRead, kNow, kNow + 3);
  EXPECT_EQ(values[0].statistics.samples, 10);
  EXPECT_EQ(values[0].statistics.least, 1);
  EXPECT_EQ(values[0].statistics.most, 1);
  EXPECT_EQ(values[1].statistics.samples, 1) << "an idle minute";
  EXPECT_EQ(values[2].statistics.most, 3.5);
  EXPECT_EQ(read(kVotes, Metric::kConsumedRead, kNow + 1, kNow + 2).size(), 1) << "the end is excluded";
}

TEST_F(RecorderTest, RowsAreWrittenAgainAfterARollback) {
  record(kNow);
  const auto range = table::system_rows(table::SystemRow::kMetrics);
  const auto page = wait_for(engine_->scan(range, storage::Direction::kAscending, 100, 1 << 20));
  const storage::Decide erase = [&](auto, storage::Changes& changes) {
    for (size_t i = 0; i < page->size(); ++i) changes.erase(table::key_of_row((*page)[i].key));
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact({}, {}, erase)).ok());
  recorder_.write_again();
  record(kNow + 1);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedWrite), (Sums{{0, 0}, {1, 0}}));
  EXPECT_FALSE(wait_for(history_.known("Votes"))->empty());
}

TEST_F(RecorderTest, AClockThatGoesBackReplacesNothing) {
  const auto use = [&](uint64_t units, int64_t minute) {
    add(table().capacity.read, units, 2);
    record(minute);
  };
  use(1, kNow + 50);
  use(2, kNow + 70);
  use(4, kNow + 50);
  use(8, kNow + 70);
  use(16, kNow + 70);
  use(32, kNow + 71);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{50, 5}, {70, 26}, {71, 32}}));
  const size_t before = rows();
  for (int64_t minute = kNow + 72; minute < kNow + 110; ++minute) record(minute);
  EXPECT_EQ(rows(), before) << "a row an hour";
}

TEST_F(RecorderTest, ATableThatWasDroppedAsTheClockWentBackHasEnded) {
  record(kNow + 10);
  counts_.tables.clear();
  record(kNow + 5);
  for (int64_t minute = kNow + 6; minute < kNow + 15; ++minute) record(minute);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{10, 0}}));
}

TEST_F(RecorderTest, WhatIsFarAheadOfTheClockIsErased) {
  const int64_t ahead = kNow + kKeptMinutes + 120;
  record(ahead);
  record(kNow);
  record(kNow + kKeptMinutes);
  const size_t all = rows();
  ASSERT_TRUE(wait_for(erase_old(*engine_, kNow)).ok());
  EXPECT_EQ(rows(), all - 2) << "of the table and of the account";
  EXPECT_EQ(read(kVotes, Metric::kConsumedRead, ahead, ahead + 1).size(), 0);
  EXPECT_EQ(read(kVotes, Metric::kConsumedRead, kNow + kKeptMinutes, ahead).size(), 1);
}

TEST_F(RecorderTest, KnownMetricsHaveNoHoursFarAhead) {
  record(kNow + 10 * kKeptMinutes);
  table().indexes.clear();
  record(kNow);
  const auto known = wait_for(history_.known("Votes"));
  for (const KnownMetric& one : *known) {
    EXPECT_LE(one.hour, kHour + kKeptMinutes / 60) << one.series.part;
  }
  record(kNow + 2 * kKeptMinutes + 25 * 60);
  const auto left = wait_for(history_.known("Votes"));
  for (const KnownMetric& one : *left) EXPECT_EQ(one.series.part, "");
}

TEST_F(RecorderTest, OnlyMinutesInWhichTheServerRanAreZero) {
  record(kNow);
  record(kNow + 5);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedWrite), (Sums{{0, 0}, {5, 0}}));
  EXPECT_EQ(sums({Scope::kTable, "Other", ""}, Metric::kConsumedWrite), Sums());
  EXPECT_EQ(sums({Scope::kIndex, "Votes", "by_day"}, Metric::kConsumedWrite), (Sums{{0, 0}, {5, 0}}));
}

TEST_F(RecorderTest, IndexesOperationsAndTheAccountHaveSeriesOfTheirOwn) {
  add(table().indexes[0].capacity.write, 3, 2);
  OperationCounts gets;
  gets.name = "GetItem";
  gets.succeeded[1] = 4;
  gets.succeeded_ns = 4'000'000;
  gets.extremes_ns = Extremes::Taken{500'000, 2'000'000};
  gets.throttled = 2;
  gets.server_errors = 1;
  table().operations.push_back(gets);
  table().conditions_failed = 5;
  table().expired = 6;
  counts_.operations.push_back(gets);
  counts_.user_errors = 9;
  record(kNow);
  EXPECT_EQ(sums({Scope::kIndex, "Votes", "by_day"}, Metric::kConsumedWrite), (Sums{{0, 3}}));
  EXPECT_EQ(sums(kVotes, Metric::kConsumedWrite), (Sums{{0, 0}}));
  const Series of_gets{Scope::kTableOperation, "Votes", "GetItem"};
  EXPECT_EQ(sums(of_gets, Metric::kLatency), (Sums{{0, 4}}));
  const Statistics took = read(of_gets, Metric::kLatency, kNow, kNow + 1)[0].statistics;
  EXPECT_EQ(took.samples, 4);
  EXPECT_EQ(took.least, 0.5);
  EXPECT_EQ(took.most, 2);
  EXPECT_EQ(sums(of_gets, Metric::kThrottledRequests), (Sums{{0, 2}}));
  EXPECT_EQ(sums(of_gets, Metric::kSystemErrors), (Sums{{0, 1}}));
  EXPECT_EQ(sums({Scope::kOperation, "", "GetItem"}, Metric::kLatency), (Sums{{0, 4}}));
  EXPECT_EQ(sums(kVotes, Metric::kConditionsFailed), (Sums{{0, 5}}));
  EXPECT_EQ(sums(kVotes, Metric::kExpiredItems), (Sums{{0, 6}}));
  EXPECT_EQ(sums({}, Metric::kUserErrors), (Sums{{0, 9}}));
  record(kNow + 1);
  EXPECT_EQ(sums(of_gets, Metric::kLatency), (Sums{{0, 4}})) << "nothing happened";
}

TEST_F(RecorderTest, ThrottlesAreThoseOfAllLimitsTogetherAndOfEach) {
  table().capacity.read_throttles = {1, 2, 4, 8};
  table().capacity.write_throttles = {0, 0, 0, 16};
  record(kNow);
  EXPECT_EQ(sums(kVotes, Metric::kReadThrottles), (Sums{{0, 15}}));
  EXPECT_EQ(sums(kVotes, Metric::kProvisionedReadThrottles), (Sums{{0, 1}}));
  EXPECT_EQ(sums(kVotes, Metric::kKeyRangeReadThrottles), (Sums{{0, 2}}));
  EXPECT_EQ(sums(kVotes, Metric::kMaxOnDemandReadThrottles), (Sums{{0, 4}}));
  EXPECT_EQ(sums(kVotes, Metric::kAccountReadThrottles), (Sums{{0, 8}}));
  EXPECT_EQ(sums(kVotes, Metric::kWriteThrottles), (Sums{{0, 16}}));
  EXPECT_EQ(sums(kVotes, Metric::kProvisionedWriteThrottles), Sums());
  EXPECT_EQ(sums(kVotes, Metric::kAccountWriteThrottles), (Sums{{0, 16}}));
  record(kNow + 1);
  EXPECT_EQ(sums(kVotes, Metric::kReadThrottles), (Sums{{0, 15}})) << "none since";
}

TEST_F(RecorderTest, LevelsComeEveryFiveMinutesAndAcrossHours) {
  for (int64_t minute = kNow - 3; minute <= kNow + 7; ++minute) {
    if (minute == kNow + 2) table().capacity.provisioned_read = 200;
    record(minute);
  }
  EXPECT_EQ(sums(kVotes, Metric::kProvisionedRead), (Sums{{0, 100}, {5, 200}}));
  EXPECT_EQ(sums(kVotes, Metric::kProvisionedWrite), (Sums{{0, 50}, {5, 50}}));
  EXPECT_EQ(sums(kVotes, Metric::kMaxOnDemandRead), Sums());
}

TEST_F(RecorderTest, ATableAtRestCostsARowAnHour) {
  for (int64_t minute = kNow; minute < kNow + 180; ++minute) record(minute);
  // Of the table and of the account: three rows, and that of the known series; the account at rest has none of these.
  EXPECT_EQ(rows(), 2 * 3 + 1);
}

TEST_F(RecorderTest, ServersAndStartsAddUp) {
  Recorder other(99);
  add(table().capacity.read, 10, 2);
  record(kNow);
  record(other, kNow);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{0, 20}}));
  EXPECT_EQ(sums(kVotes, Metric::kProvisionedRead), (Sums{{0, 100}})) << "a level is no sum";
  Recorder restarted(100);
  table().capacity.read = {};
  add(table().capacity.read, 1, 2);
  record(restarted, kNow + 1);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{0, 20}, {1, 1}}));
}

TEST_F(RecorderTest, ADroppedTableEndsAndANewOneBeginsWithZero) {
  add(table().capacity.read, 10, 2);
  record(kNow);
  TableCounts dropped = std::move(table());
  counts_.tables.clear();
  record(kNow + 1);
  record(kNow + 2);
  dropped.id = 2;
  dropped.capacity.read = {3, 6, Extremes::Taken{2, 2}};
  counts_.tables.push_back(std::move(dropped));
  record(kNow + 3);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{0, 10}, {3, 3}}));
}

TEST_F(RecorderTest, WhatCouldNotBeWrittenIsWrittenLater) {
  class Broken final : public storage::Engine {
   public:
    explicit Broken(storage::Engine& inner) : inner_(inner) {}
    Task<Result<std::vector<std::optional<storage::Record>>>> read(std::span<const storage::Key> keys) override {
      return inner_.read(keys);
    }
    Task<Result<storage::Page>> scan(storage::Range range, storage::Direction direction, size_t records,
                                     size_t bytes) override {
      return inner_.scan(std::move(range), direction, records, bytes);
    }
    Task<Result<storage::Outcome>> transact(std::vector<storage::Key>, std::vector<storage::Compare>, storage::Decide,
                                            storage::Version*) override {
      co_return Error(ErrorKind::kUnavailable, "the store is away.");
    }
    Task<Result<void>> erase_range(storage::Range range) override { return inner_.erase_range(std::move(range)); }
    Task<Result<std::vector<storage::LogEntry>>> read_log(std::string topic, storage::Position after, size_t entries,
                                                          size_t bytes) override {
      return inner_.read_log(std::move(topic), after, entries, bytes);
    }
    Task<Result<storage::Position>> log_end(std::string topic) override { return inner_.log_end(std::move(topic)); }
    Task<Result<void>> trim_log(std::string topic, storage::Position upto) override {
      return inner_.trim_log(std::move(topic), upto);
    }
    Task<Result<void>> forget_log(std::string topic) override { return inner_.forget_log(std::move(topic)); }
    Task<Result<uint64_t>> approximate_bytes(storage::Range range) override {
      return inner_.approximate_bytes(std::move(range));
    }
    storage::Limits limits() const override { return inner_.limits(); }
    Result<void> health() const override { return inner_.health(); }

   private:
    storage::Engine& inner_;
  };
  Broken broken(*engine_);
  add(table().capacity.read, 10, 2);
  EXPECT_FALSE(wait_for(recorder_.record(broken, counts_, kNow + 58)).ok());
  EXPECT_FALSE(wait_for(recorder_.record(broken, counts_, kNow + 59)).ok());
  EXPECT_FALSE(wait_for(recorder_.record(broken, counts_, kNow + 60)).ok()) << "in another hour";
  record(kNow + 61);
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{58, 10}, {59, 0}, {60, 0}, {61, 0}}));
}

TEST_F(RecorderTest, KnownMetricsAreListedAndOldOnesErased) {
  add(table().capacity.read, 10, 2);
  record(kNow);
  const auto names = [&] {
    std::vector<std::string> all;
    const auto known = wait_for(history_.known("Votes"));
    for (const KnownMetric& one : *known) all.push_back(one.series.part + ":" + std::string(row_of(one.metric).name));
    return all;
  };
  EXPECT_EQ(names(),
            (std::vector<std::string>{":ConsumedReadCapacityUnits", ":ConsumedWriteCapacityUnits",
                                      ":ProvisionedReadCapacityUnits", ":ProvisionedWriteCapacityUnits",
                                      "by_day:ConsumedReadCapacityUnits", "by_day:ConsumedWriteCapacityUnits"}));
  EXPECT_EQ(*wait_for(history_.tables("", 10)), std::vector<std::string>{"Votes"});
  ASSERT_TRUE(wait_for(erase_old(*engine_, kNow + kKeptMinutes)).ok());
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), (Sums{{0, 10}})) << "the last hour that is kept";
  ASSERT_TRUE(wait_for(erase_old(*engine_, kNow + kKeptMinutes + 60)).ok());
  EXPECT_EQ(sums(kVotes, Metric::kConsumedRead), Sums());
  EXPECT_EQ(rows(), 0);
}

// The row of an hour that has become long is continued in another.
TEST_F(RecorderTest, ManySeriesInOneHour) {
  for (int i = 0; i < 300; ++i) table().indexes.push_back({"index_with_a_rather_long_name_" + std::to_string(i), {}});
  for (int64_t minute = kNow; minute < kNow + 10; ++minute) {
    for (IndexCounts& index : table().indexes) add(index.capacity.read, 1'000'000, 1'000);
    record(minute);
  }
  EXPECT_EQ(sums({Scope::kIndex, "Votes", "index_with_a_rather_long_name_299"}, Metric::kConsumedRead).size(), 10);
  EXPECT_GE(rows(), 4u);
}

// The figures of docs/cloudwatch.md: bytes of keys and values that a day of one table takes.
class SizeTest : public RecorderTest {
 protected:
  // A day with these operations and indexes in use in every minute, at thousands of requests a minute.
  size_t bytes_of_a_day(size_t operations, size_t indexes) {
    static constexpr std::array<std::string_view, 10> kNames = {
        "GetItem",          "PutItem",           "Query",        "Scan",
        "UpdateItem",       "DeleteItem",        "BatchGetItem", "BatchWriteItem",
        "TransactGetItems", "TransactWriteItems"};
    table().indexes.resize(indexes);
    table().operations.resize(operations);
    for (size_t i = 0; i < indexes; ++i) table().indexes[i].name = "index_" + std::to_string(i);
    for (size_t i = 0; i < operations; ++i) table().operations[i].name = kNames[i];
    SeededRandom random(7);
    for (int64_t minute = kNow; minute < kNow + 24 * 60; ++minute) {
      const auto use = [&](AmountCounts& amounts) {
        add(amounts, 5'000 + random.below(5'000), 4);
        amounts.extremes = Extremes::Taken{1, 40};
      };
      if (operations > 0) use(table().capacity.read);
      if (operations > 0) use(table().capacity.write);
      for (IndexCounts& index : table().indexes) {
        if (operations > 0) use(index.capacity.read);
        if (operations > 0) use(index.capacity.write);
      }
      for (OperationCounts& operation : table().operations) {
        for (const size_t bucket : {1, 2, 3, 4}) operation.succeeded[bucket] += 100 + random.below(4'000);
        operation.succeeded_ns += 2'000'000'000 + random.below(1'000'000'000);
        operation.extremes_ns = Extremes::Taken{static_cast<int64_t>(40'000 + random.below(9'000)),
                                                static_cast<int64_t>(9'000'000 + random.below(9'000'000))};
      }
      record(minute);
    }
    const auto page =
        wait_for(engine_->scan(chunks_of("Votes", 0, UINT32_MAX), storage::Direction::kAscending, 100'000, 1 << 30));
    EXPECT_TRUE(page.ok());
    return page.ok() ? page->bytes() : 0;
  }
};

TEST_F(SizeTest, ATableAtRest) {
  const size_t bytes = bytes_of_a_day(0, 0);
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LE(bytes, 1'000u);
}

TEST_F(SizeTest, TwoOperations) {
  const size_t bytes = bytes_of_a_day(2, 0);
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LE(bytes, 110'000u);
}

TEST_F(SizeTest, TenOperationsAndFiveIndexes) {
  const size_t bytes = bytes_of_a_day(10, 5);
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LE(bytes, 600'000u);
}

}  // namespace
}  // namespace partita::metrics
