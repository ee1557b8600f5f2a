#include "table/rows/sink_rows.h"

#include <gtest/gtest.h>

#include "model/item_codec.h"
#include "model/key.h"

namespace partita::table {
namespace {

std::string some_key() { return std::string(model::kRowPlaceBytes, 'p') + "key"; }

ChangeEntry some_change(const std::string& key) {
  return {key, {StreamEvent::kModify, true, 1'700'000'000'123, "keys", "old", "new"}};
}

TEST(SinkRows, AChangeComesBack) {
  const std::string key = some_key();
  const std::string stored = encode_change_entry(some_change(key));
  const Result<ChangeEntry> entry = change_entry_from(stored);
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry->key, key);
  EXPECT_EQ(entry->record.event, StreamEvent::kModify);
  EXPECT_TRUE(entry->record.by_service);
  EXPECT_EQ(entry->record.at_ms, 1'700'000'000'123);
  EXPECT_EQ(entry->record.keys, "keys");
  EXPECT_EQ(entry->record.old_image, "old");
  EXPECT_EQ(entry->record.new_image, "new");
  EXPECT_EQ(sink_entry_time(stored), 1'700'000'000'123);
  EXPECT_EQ(sink_entry_time(encode_sink_entry({77, key})), 77);
}

TEST(SinkRows, ADamagedChangeIsTold) {
  const std::string stored = encode_change_entry(some_change(some_key()));
  for (size_t size = 0; size < stored.size(); ++size) {
    EXPECT_FALSE(change_entry_from(std::string_view(stored).substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(change_entry_from(stored + "x").ok());
  EXPECT_FALSE(change_entry_from(encode_change_entry(some_change("short"))).ok());
  std::string mark;
  for (size_t i = 0; i < sizeof(uint64_t); ++i) mark += '\0';
  mark += static_cast<char>(some_key().size());
  EXPECT_FALSE(change_entry_from(mark + some_key() + encode_mark(ShardMark::kOpened)).ok());
  EXPECT_FALSE(sink_entry_time("short"));
}

TEST(SinkRows, ASinkComesBack) {
  Sink sink;
  sink.table_id = 7;
  sink.number = 2;
  sink.id = "abc";
  sink.table = "T";
  sink.name = "changes";
  sink.url = "kafka://here/things";
  sink.changes = true;
  sink.options = {{"acks", "all"}, {"format", ""}};
  sink.owner = "Kinesis streaming";
  sink.dropped = 12;
  const Result<Sink> stored = sink_from(sink_row(sink));
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(stored->changes);
  EXPECT_EQ(stored->options, sink.options);
  EXPECT_EQ(stored->owner, sink.owner);
  EXPECT_EQ(stored->dropped, 12U);
}

// As they were stored before there were sinks that take every change.
TEST(SinkRows, AnOlderSinkIsRead) {
  Sink sink;
  sink.number = 1;
  sink.id = "abc";
  sink.name = "search";
  std::string row = sink_row(sink);
  model::Item item = model::decode_item(std::string_view(row).substr(1)).value();
  for (const char* const name : {"changes", "dropped", "options", "owner"}) item.erase(name);
  const Result<Sink> read = sink_from(row.substr(0, 1) + model::encode_item(item));
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->changes);
  EXPECT_TRUE(read->options.empty());
  EXPECT_EQ(read->dropped, 0U);
}

TEST(SinkRows, ATableNamesTheFeaturesOfItsSinks) {
  TableInfo table;
  table.features = {"streams"};
  table.sinks = {1, 2};
  table.change_sinks = {2};
  note_sinks(table);
  EXPECT_EQ(table.features, (std::vector<std::string>{"streams", "sinks", "change-sinks"}));
  table.change_sinks.clear();
  note_sinks(table);
  EXPECT_EQ(table.features, (std::vector<std::string>{"streams", "sinks"}));
  table.sinks.clear();
  note_sinks(table);
  EXPECT_EQ(table.features, std::vector<std::string>{"streams"});
}

TEST(SinkRows, ATableKnowsWhichSinksTakeEveryChange) {
  TableInfo table;
  table.name = "T";
  table.keys = {{{"pk", model::Type::kS}}, {}};
  table.sinks = {1, 3};
  table.change_sinks = {3};
  table.next_sink = 4;
  const Result<TableInfo> stored = table_from_item(to_item(table));
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->sinks, table.sinks);
  EXPECT_EQ(stored->change_sinks, table.change_sinks);
  table.change_sinks = {2};
  EXPECT_FALSE(table_from_item(to_item(table)).ok()) << "it has no such sink";
}

}  // namespace
}  // namespace partita::table
