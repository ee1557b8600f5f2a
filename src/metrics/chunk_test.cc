#include "metrics/chunk.h"

#include <gtest/gtest.h>

#include "metrics/known_series.h"

namespace partita::metrics {
namespace {

const SeriesPart kItself{Scope::kTable, ""};
const SeriesPart kGets{Scope::kTableOperation, "GetItem"};

RawValue times() {
  RawValue value{1'000, 5'000'000, 20'000, 900'000};
  value.buckets[1] = 990;
  value.buckets[3] = 10;
  return value;
}

ChunkWriter written() {
  ChunkWriter chunk(490'000, 7);
  chunk.begin(kItself, 3);
  chunk.add(4, {{kItself, {{Metric::kConsumedRead, {10, 25, 1, 9}}, {Metric::kReadThrottles, {4, 4, 1, 1}}}},
                {kGets, {{Metric::kLatency, times()}}}});
  chunk.add(59, {{kItself, {{Metric::kProvisionedRead, {1, 500, 500, 500}}}}});
  chunk.end(59);
  return chunk;
}

TEST(ChunkTest, WhatIsWrittenIsRead) {
  const auto read = read_chunk(written().text());
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->series.size(), 2);
  EXPECT_EQ(read->series[0].part, kItself);
  EXPECT_EQ(read->series[0].minute, 3);
  EXPECT_EQ(read->series[1].part, kGets);
  EXPECT_EQ(read->ended, 59);
  ASSERT_EQ(read->minutes.size(), 2);
  EXPECT_EQ(read->minutes[0].minute, 4);
  const auto& values = read->minutes[0].values;
  ASSERT_EQ(values.size(), 3);
  EXPECT_EQ(values[0].metric, Metric::kConsumedRead);
  const Statistics units = statistics_of(Metric::kConsumedRead, values[0].raw);
  EXPECT_EQ(units.samples, 10);
  EXPECT_EQ(units.sum, 12.5) << "half units";
  EXPECT_EQ(units.least, 0.5);
  EXPECT_EQ(units.most, 4.5);
  EXPECT_EQ(values[1].raw.samples, 4);
  EXPECT_EQ(values[1].raw.most, 1);
  EXPECT_EQ(values[2].series, 1);
  EXPECT_EQ(values[2].raw.buckets, times().buckets);
  EXPECT_DOUBLE_EQ(statistics_of(Metric::kLatency, values[2].raw).most, 0.9) << "milliseconds";
  EXPECT_EQ(read->minutes[1].values[0].raw.sum, 500);
  EXPECT_EQ(read->minutes[1].values[0].raw.samples, 1);
}

TEST(ChunkTest, AMinuteOfABusyTableIsSmall) {
  ChunkWriter chunk(490'000, 7);
  chunk.add(0,
            {{kItself,
              {{Metric::kConsumedRead, {60'000, 120'000, 1, 20}}, {Metric::kConsumedWrite, {60'000, 120'000, 2, 20}}}},
             {kGets, {{Metric::kLatency, times()}}}});
  const size_t first = chunk.text().size();
  chunk.add(1,
            {{kItself,
              {{Metric::kConsumedRead, {60'000, 120'000, 1, 20}}, {Metric::kConsumedWrite, {60'000, 120'000, 2, 20}}}},
             {kGets, {{Metric::kLatency, times()}}}});
  EXPECT_LE(chunk.text().size() - first, 50);
}

TEST(ChunkTest, DamageIsFound) {
  const std::string whole(written().text());
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) refused += read_chunk(whole.substr(0, size)).ok() ? 0 : 1;
  EXPECT_GT(refused, whole.size() - 6) << "only the ends of entries are ends";
  std::string newer = whole;
  newer[0] = 2;
  EXPECT_EQ(read_chunk(newer).error().kind(), ErrorKind::kInvalid);
  for (size_t i = 1; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    static_cast<void>(read_chunk(changed).ok());
  }
}

// A version to come may have further metrics.
TEST(ChunkTest, UnknownMetricsAreSkipped) {
  std::string text(written().text());
  const std::string head = {static_cast<char>(static_cast<uint8_t>(ValueKind::kEvents) << 6 | 7)};
  const size_t at = text.rfind(head);  // behind the name GetItem
  ASSERT_NE(at, std::string::npos);
  text[at] = static_cast<char>(static_cast<uint8_t>(ValueKind::kEvents) << 6 | kMostMetric);
  const auto read = read_chunk(text);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->minutes[0].values.size(), 2);
}

TEST(ChunkTest, KeysAreInTheOrderOfTablesAndHours) {
  const auto key = chunk_key("Votes", 490'000, 7);
  const auto name = chunk_name_of(key.bytes);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->table, "Votes");
  EXPECT_EQ(name->hour, 490'000);
  EXPECT_EQ(name->server, 7);
  EXPECT_EQ(table_of_row(key.bytes), "Votes");
  EXPECT_FALSE(chunk_name_of(known_series_key("Votes").bytes));
  const auto hours = chunks_of("Votes", 490'000, 490'001);
  EXPECT_TRUE(hours.begin <= key.bytes && key.bytes < hours.end);
  EXPECT_LT(chunk_key("Votes", 489'999, UINT64_MAX).bytes, hours.begin);
  EXPECT_LT(known_series_key("Votes").bytes, chunks_of("Votes", 0, 490'001).begin);
  EXPECT_LT(chunk_key("Votes", 500'000, 7).bytes, tables_behind("Votes").begin);
  EXPECT_LE(tables_behind("Votes").begin, known_series_key("Votes-2").bytes);
  EXPECT_LE(tables_behind("").begin, known_series_key("A").bytes);
}

TEST(KnownSeriesTest, ARowIsWrittenForWhatIsNewAndOnceADay) {
  KnownSeries known;
  EXPECT_TRUE(known.note(kItself, Metric::kConsumedRead, 1'000));
  EXPECT_FALSE(known.note(kItself, Metric::kConsumedRead, 1'023));
  EXPECT_TRUE(known.note(kItself, Metric::kConsumedWrite, 1'023));
  EXPECT_TRUE(known.note(kItself, Metric::kConsumedRead, 1'050));
  EXPECT_TRUE(known.note(kGets, Metric::kLatency, 900));
  const auto read = KnownSeries::read(known.row());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->entries(), known.entries());
  known.forget_before(901);
  EXPECT_EQ(known.entries().size(), 1);
  known.merge(*read);
  EXPECT_EQ(known.entries(), read->entries());
  EXPECT_FALSE(KnownSeries::read("").ok());
  EXPECT_FALSE(KnownSeries::read(known.row() + "x").ok());
}

}  // namespace
}  // namespace partita::metrics
