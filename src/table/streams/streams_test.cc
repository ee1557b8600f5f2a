#include "table/streams/streams.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/item_codec.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

using storage::Position;
using Kind = api::WriteAction::Kind;

constexpr int64_t kHourMs = 60LL * 60 * 1000;

api::CreateTableRequest streamed_table(std::string view = "NEW_AND_OLD_IMAGES") {
  api::CreateTableRequest request = plain_table();
  request.stream = api::StreamRequest{true, std::move(view)};
  return request;
}

api::UpdateTableRequest switch_stream(bool on, std::string view = "NEW_AND_OLD_IMAGES") {
  api::UpdateTableRequest update;
  update.name = "T";
  update.stream = api::StreamRequest{on, on ? std::move(view) : ""};
  return update;
}

Item row(int64_t number, int64_t value) {
  return item({{"pk", s("p" + std::to_string(number))}, {"sk", n(number)}, {"v", n(value)}});
}
Item key(int64_t number) { return item({{"pk", s("p" + std::to_string(number))}, {"sk", n(number)}}); }

struct Seen {
  StreamEvent event;
  Item keys;
  std::optional<Item> before;
  std::optional<Item> after;
  bool by_service;
  std::string sequence;
};

Seen seen_of(const StreamRecords::One& one) {
  const ItemRecord& record = one.record;
  Seen seen{
      record.event, model::decode_item(record.keys).value(), {}, {}, record.by_service, sequence_number(one.position)};
  if (!record.old_image.empty()) seen.before = model::decode_item(record.old_image).value();
  if (!record.new_image.empty()) seen.after = model::decode_item(record.new_image).value();
  return seen;
}

class StreamsTest : public TableTest {
 protected:
  api::StreamName newest() { return {"T", find("T")->stream.label}; }

  Result<DescribedStream> describe(const api::StreamName& stream) {
    return wait_for(describe_stream(db(), {.stream = stream, .after = {}, .children = {}, .limit = 100}));
  }

  Result<ShardIterator> iterate(const api::StreamName& stream, const StreamShard& shard, api::IteratorKind kind,
                                std::string sequence = "", int64_t at_ms = 0) {
    return wait_for(shard_iterator(
        db(),
        {.stream = stream, .shard = shard_id(shard), .kind = kind, .sequence = std::move(sequence), .at_ms = at_ms}));
  }

  // What is behind the iterator, in pages of `limit`; `ended` says whether the shard is read to its end.
  std::vector<Seen> read(ShardIterator iterator, bool* ended = nullptr, size_t limit = 3) {
    std::vector<Seen> all;
    for (;;) {
      const auto page = wait_for(read_records(db(), iterator, limit));
      EXPECT_TRUE(page.ok());
      if (!page.ok()) return all;
      EXPECT_LE(page->records.size(), limit);
      for (const auto& one : page->records) all.push_back(seen_of(one));
      if (ended != nullptr) *ended = !page->next;
      if (!page->next || page->records.empty()) return all;
      iterator = *page->next;
    }
  }

  std::vector<Seen> read(const api::StreamName& stream, const StreamShard& shard, bool* ended = nullptr) {
    const auto iterator = iterate(stream, shard, api::IteratorKind::kTrimHorizon);
    EXPECT_TRUE(iterator.ok());
    return iterator.ok() ? read(*iterator, ended) : std::vector<Seen>();
  }

  // All records, each shard behind the one that it goes on from.
  std::vector<Seen> read_all(const api::StreamName& stream) {
    std::vector<Seen> all;
    const auto described = describe(stream);
    EXPECT_TRUE(described.ok());
    if (!described.ok()) return all;
    for (const ShownShard& shown : described->shards) {
      for (Seen& seen : read(stream, shown.shard)) all.push_back(std::move(seen));
    }
    return all;
  }

  Fault fault_of_reading(const ShardIterator& iterator) {
    const auto page = wait_for(read_records(db(), iterator, 10));
    EXPECT_FALSE(page.ok());
    return page.ok() ? Fault::kInternal : model::fault_of(page.error());
  }

  // A look at the streams, as comes by itself every minute.
  // Twice: the first time may only end what was begun before.
  void tend() {
    for (int i = 0; i < 2; ++i) {
      clock_.advance_ms(61'000);
      reopen();
      wait_for_jobs();
    }
  }

  void change_something(Random& random) {
    const auto number = static_cast<int64_t>(random.below(12));
    const auto value = static_cast<int64_t>(random.below(3));
    switch (random.below(4)) {
      case 0:
        ASSERT_TRUE(write(Kind::kDelete, "T", key(number)).ok());
        break;
      case 1: {
        api::WriteAction action;
        action.kind = Kind::kUpdate;
        action.key = key(number);
        auto given = expr::Placeholders::make(std::nullopt, item({{":v", n(value)}})).value();
        action.update = expr::parse_update("SET v = :v", given).value();
        ASSERT_TRUE(write("T", action).ok());
        break;
      }
      default:
        put("T", row(number, value));
    }
  }
};

// The table made again from the records alone.
void expect_replays(const std::vector<Seen>& records, const std::vector<Item>& rows) {
  std::map<std::string, Item> made;
  for (const Seen& seen : records) {
    const std::string name = encoded(seen.keys);
    const auto there = made.find(name);
    ASSERT_EQ(seen.before.has_value(), there != made.end());
    if (seen.before) {
      EXPECT_EQ(*seen.before, there->second);
    }
    EXPECT_FALSE(seen.before && seen.after && *seen.before == *seen.after);
    EXPECT_EQ(seen.event, !seen.before ? StreamEvent::kInsert
                          : seen.after ? StreamEvent::kModify
                                       : StreamEvent::kRemove);
    if (seen.after) {
      made.insert_or_assign(name, *seen.after);
    } else {
      made.erase(name);
    }
  }
  std::set<std::string> expected;
  for (const Item& one : rows) expected.insert(encoded(one));
  std::set<std::string> got;
  for (const auto& [name, one] : made) got.insert(encoded(one));
  EXPECT_EQ(got, expected);
}

TEST_F(StreamsTest, TheRecordsMakeTheTableWhateverHappensToItsShards) {
  create(streamed_table());
  SeededRandom random(7);
  const api::StreamName stream = newest();
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 20; ++i) change_something(random);
    switch (random.below(4)) {
      case 0:
        reopen();
        break;
      case 1:
        crash();
        engine_.writes_left = INT64_MAX;
        open();
        break;
      case 2: {
        const auto open = std::ranges::find(find("T")->stream.shards, 0, &StreamShard::closed_ms);
        const uint32_t number = open->number;
        const int children = 1 + static_cast<int>(random.below(2));
        const Catalog::Change renew = [&](TableInfo& table) -> Result<void> {
          renew_shard(table, number, children, clock_.now_ms());
          return {};
        };
        ASSERT_TRUE(wait_for(db().catalog().change("T", renew)).ok());
        break;
      }
      default:
        break;
    }
    expect_replays(read_all(stream), rows("T"));
  }
  EXPECT_GT(find("T")->stream.shards.size(), 4U);
}

TEST_F(StreamsTest, NumbersOfAShardGrowAndLieInItsRange) {
  create(streamed_table());
  const api::StreamName stream = newest();
  for (int i = 0; i < 40; ++i) put("T", row(i, i));
  update(switch_stream(false));
  std::set<std::string> numbers;
  const DescribedStream described = describe(stream).value();
  for (const ShownShard& shown : described.shards) {
    std::string last = sequence_number(*shown.start);
    bool ended = false;
    for (const Seen& seen : read(stream, shown.shard, &ended)) {
      EXPECT_GT(seen.sequence, last);
      last = seen.sequence;
      numbers.insert(last);
    }
    EXPECT_TRUE(ended);
    EXPECT_LT(last, sequence_number(*shown.end));
  }
  EXPECT_EQ(numbers.size(), 40U);
}

TEST_F(StreamsTest, TheLastRecordsOfAClosedShardSayThatItEnded) {
  create(streamed_table());
  const api::StreamName stream = newest();
  for (int i = 0; i < 20; ++i) put("T", row(i, i));
  update(switch_stream(false));
  size_t records = 0;
  const auto described = describe(stream);
  ASSERT_TRUE(described.ok());
  for (const ShownShard& shown : described->shards) {
    const auto page = wait_for(read_records(db(), *iterate(stream, shown.shard, api::IteratorKind::kTrimHorizon), 30));
    ASSERT_TRUE(page.ok());
    records += page->records.size();
    EXPECT_FALSE(page->next);
  }
  EXPECT_EQ(records, 20U);
}

TEST_F(StreamsTest, AViewHasItsImages) {
  const std::map<std::string, std::pair<bool, bool>> kViews{{"KEYS_ONLY", {false, false}},
                                                            {"NEW_IMAGE", {false, true}},
                                                            {"OLD_IMAGE", {true, false}},
                                                            {"NEW_AND_OLD_IMAGES", {true, true}}};
  create(plain_table());
  for (const auto& [view, kept] : kViews) {
    update(switch_stream(true, view));
    put("T", row(1, 1));
    put("T", row(1, 2));
    ASSERT_TRUE(write(Kind::kDelete, "T", key(1)).ok());
    const std::vector<Seen> records = read_all(newest());
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].event, StreamEvent::kModify);
    EXPECT_EQ(records[1].keys, key(1));
    EXPECT_EQ(records[1].before, kept.first ? std::optional(row(1, 1)) : std::nullopt);
    EXPECT_EQ(records[1].after, kept.second ? std::optional(row(1, 2)) : std::nullopt);
    update(switch_stream(false));
  }
}

TEST_F(StreamsTest, AllOfATransactionIsThereOrNothing) {
  create(streamed_table());
  put("T", row(1, 1));
  api::TransactWriteRequest request;
  for (int i = 2; i < 5; ++i) {
    api::TransactWriteRequest::Part part;
    part.table = "T";
    part.action.item = model::encode_item(row(i, i));
    request.parts.push_back(std::move(part));
  }
  ASSERT_TRUE(carry_out(db(), request).ok());
  EXPECT_EQ(read_all(newest()).size(), 4U);
  auto given = expr::Placeholders::make(std::nullopt, std::nullopt).value();
  request.parts.back().action.condition =
      expr::parse_condition("attribute_not_exists(pk)", expr::ExpressionKind::kCondition, given).value();
  for (int i = 2; i < 5; ++i) request.parts[static_cast<size_t>(i - 2)].action.item = model::encode_item(row(i, 9));
  EXPECT_FALSE(carry_out(db(), request).ok());
  EXPECT_EQ(read_all(newest()).size(), 4U);
}

TEST_F(StreamsTest, AnIteratorStandsWhereItWasAsked) {
  api::CreateTableRequest request = streamed_table();
  request.billing_mode = api::BillingMode::kProvisioned;
  request.throughput = api::Units{5, 5};
  create(request);
  const api::StreamName stream = newest();
  ASSERT_EQ(find("T")->stream.shards.size(), 1U);
  const StreamShard shard = find("T")->stream.shards[0];
  const int64_t begin_ms = clock_.now_ms();
  for (int i = 0; i < 10; ++i) {
    put("T", row(i, i));
    clock_.advance_ms(1'000);
  }
  const std::vector<Seen> all = read(stream, shard);
  ASSERT_EQ(all.size(), 10U);
  const auto behind = [&](api::IteratorKind kind, std::string sequence, int64_t at_ms) {
    const auto iterator = iterate(stream, shard, kind, std::move(sequence), at_ms);
    EXPECT_TRUE(iterator.ok());
    return iterator.ok() ? read(*iterator).size() : 0;
  };
  EXPECT_EQ(behind(api::IteratorKind::kLatest, "", 0), 0U);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(behind(api::IteratorKind::kAtSequence, all[i].sequence, 0), 10 - i);
    EXPECT_EQ(behind(api::IteratorKind::kAfterSequence, all[i].sequence, 0), 9 - i);
    const auto ms = static_cast<int64_t>(i) * 1'000;
    EXPECT_EQ(behind(api::IteratorKind::kAtTimestamp, "", begin_ms + ms), 10 - i);
    EXPECT_EQ(behind(api::IteratorKind::kAtTimestamp, "", begin_ms + ms + 1), 9 - i);
  }
  EXPECT_EQ(behind(api::IteratorKind::kAtTimestamp, "", 0), 10U);
  const std::string start = sequence_number(*describe(stream)->shards[0].start);
  EXPECT_EQ(behind(api::IteratorKind::kAfterSequence, start, 0), 10U);
  EXPECT_EQ(behind(api::IteratorKind::kAtSequence, start, 0), 10U);
  const auto future = iterate(stream, shard, api::IteratorKind::kAtTimestamp, "", clock_.now_ms() + 1);
  EXPECT_EQ(model::fault_of(future.error()), Fault::kTimestampInFuture);
  const auto early = iterate(stream, shard, api::IteratorKind::kAtSequence, std::string(21, '0'));
  EXPECT_EQ(model::fault_of(early.error()), Fault::kRecordsTrimmed);
}

TEST_F(StreamsTest, AnIteratorIsAsItWasIssuedForAQuarterOfAnHour) {
  create(streamed_table());
  put("T", row(1, 1));
  const auto issued = iterate(newest(), find("T")->stream.shards[0], api::IteratorKind::kTrimHorizon);
  const std::string text = encode_iterator("arn:x", *issued);
  const auto again = decode_iterator(text);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->arn, "arn:x");
  EXPECT_EQ(again->iterator.position, issued->position);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string altered = text;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    EXPECT_FALSE(decode_iterator(altered).has_value()) << i;
    EXPECT_FALSE(decode_iterator(text.substr(0, i)).has_value()) << i;
  }
  ShardIterator forged = *issued;
  forged.issued_ms = INT64_MIN;
  EXPECT_FALSE(decode_iterator(encode_iterator("arn:x", forged)).has_value());
  clock_.advance_ms(kIteratorLifetimeMs);
  EXPECT_TRUE(wait_for(read_records(db(), *issued, 10)).ok());
  clock_.advance_ms(1);
  EXPECT_EQ(fault_of_reading(*issued), Fault::kIteratorExpired);
}

TEST_F(StreamsTest, RecordsAreKeptForADayAndThenTrimmed) {
  api::CreateTableRequest request = streamed_table();
  request.billing_mode = api::BillingMode::kProvisioned;
  request.throughput = api::Units{5, 5};
  create(request);
  const api::StreamName stream = newest();
  for (int i = 0; i < 5; ++i) put("T", row(i, i));
  const StreamShard first = find("T")->stream.shards[0];
  const std::vector<Seen> old = read(stream, first);
  ASSERT_EQ(old.size(), 5U);
  // Before the shard is old enough to go on in another: whoever tends streams beside this test would be first.
  clock_.advance_ms(kShardLifetimeMs - kHourMs);
  put("T", row(5, 5));
  clock_.advance_ms(kStreamLifetimeMs - kHourMs - kShardLifetimeMs);
  tend();
  // The shard was written to for long enough, and went on in another.
  ASSERT_EQ(find("T")->stream.shards.size(), 2U);
  EXPECT_EQ(find("T")->stream.shards[1].parent, first.number);
  EXPECT_EQ(read_all(stream).size(), 6U);
  clock_.advance_ms(2 * kHourMs);
  EXPECT_EQ(read(stream, first).size(), 1U);
  tend();
  EXPECT_EQ(read(stream, first).size(), 1U);
  const auto trimmed = iterate(stream, first, api::IteratorKind::kAtSequence, old[1].sequence);
  EXPECT_EQ(model::fault_of(trimmed.error()), Fault::kRecordsTrimmed);
  // Whoever had read all that is gone has lost nothing.
  const auto complete = iterate(stream, first, api::IteratorKind::kAfterSequence, old[4].sequence);
  ASSERT_TRUE(complete.ok());
  EXPECT_EQ(read(*complete).size(), 1U);
  const auto entries =
      wait_for(engine_.read_log(topic_of(find("T")->id, find("T")->stream.created_ms, first.number), {}, 100, 1 << 20));
  EXPECT_EQ(entries->size(), 3U);  // the last of the old ones, the one that is kept, and the mark of the end
  clock_.advance_ms(kStreamLifetimeMs);
  tend();
  ASSERT_EQ(describe(stream)->shards.size(), 1U);
  EXPECT_NE(describe(stream)->shards[0].shard.number, first.number);
  EXPECT_EQ(model::fault_of(iterate(stream, first, api::IteratorKind::kTrimHorizon).error()), Fault::kShardNotFound);
}

// The clock stands still.
TEST_F(StreamsTest, TablesOfOneMillisecondHaveStreamsOfTheirOwn) {
  std::vector<api::StreamName> streams;
  for (int i = 0; i < 4; ++i) {
    create(streamed_table());
    streams.push_back(newest());
    for (int written = 0; written <= i; ++written) put("T", row(written, 1));
    ASSERT_TRUE(wait_for(delete_table(db(), "T")).ok());
  }
  wait_for_jobs();
  for (size_t i = 0; i < streams.size(); ++i) EXPECT_EQ(read_all(streams[i]).size(), i + 1);
  EXPECT_EQ(wait_for(list_streams(db(), {.table = "T", .after = {}, .limit = 10}))->streams.size(), 4U);
}

TEST_F(StreamsTest, AStreamOutlivesItsTableByADay) {
  create(streamed_table());
  const api::StreamName stream = newest();
  put("T", row(1, 1));
  ASSERT_TRUE(wait_for(delete_table(db(), "T")).ok());
  wait_for_jobs();
  EXPECT_EQ(describe(stream)->status, api::StreamStatus::kDisabled);
  EXPECT_EQ(read_all(stream).size(), 1U);
  clock_.advance_ms(1);
  create(streamed_table());
  put("T", row(2, 2));
  EXPECT_EQ(read_all(stream).size(), 1U);
  EXPECT_EQ(read_all(newest()).size(), 1U);
  EXPECT_EQ(wait_for(list_streams(db(), {.table = "T", .after = {}, .limit = 10}))->streams.size(), 2U);
  clock_.advance_ms(kStreamLifetimeMs);
  tend();
  EXPECT_EQ(model::fault_of(describe(stream).error()), Fault::kStreamNotFound);
  EXPECT_TRUE(describe(newest()).ok());
}

TEST_F(StreamsTest, ATableThatGrowsGetsMoreShards) {
  api::CreateTableRequest request = streamed_table();
  request.billing_mode = api::BillingMode::kProvisioned;
  request.throughput = api::Units{5, 5};
  create(request);
  put("T", row(1, 1));
  api::UpdateTableRequest faster;
  faster.name = "T";
  faster.throughput = api::Units{5, 3'500};
  update(faster);
  tend();
  const TableInfo& table = *find("T");
  EXPECT_EQ(std::ranges::count(table.stream.shards, 0, &StreamShard::closed_ms), 4);
  for (int i = 0; i < 100; ++i) put("T", row(i, i + 1));
  std::set<uint32_t> used;
  const DescribedStream described = describe(newest()).value();
  for (const ShownShard& shown : described.shards) {
    if (!read(newest(), shown.shard).empty()) used.insert(shown.shard.number);
  }
  EXPECT_EQ(used.size(), 5U);  // the first one, too
  expect_replays(read_all(newest()), rows("T"));
}

TEST_F(StreamsTest, ATableOfAnOlderVersionGetsTheStreamThatItSaysItHas) {
  create(plain_table());
  const Catalog::Change as_it_was = [](TableInfo& table) -> Result<void> {
    table.stream.enabled = true;
    table.stream.view_type = "NEW_IMAGE";
    return {};
  };
  ASSERT_TRUE(wait_for(db().catalog().change("T", as_it_was)).ok());
  put("T", row(1, 1));  // with a record when the stream is there already
  reopen();
  wait_for_jobs();
  put("T", row(1, 2));
  const std::vector<Seen> records = read_all(newest());
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.back().after, row(1, 2));
}

TEST_F(StreamsTest, ADamagedEntryIsSaidToBe) {
  for (const std::string& bytes : {std::string(), std::string("\1"), std::string("\2\0", 2), std::string("\1\5", 2),
                                   std::string("\1\3x"), std::string("\1\0\0", 3)}) {
    EXPECT_FALSE(decode_entry(bytes).ok());
  }
  const std::string sound = encode_record({.at_ms = 5, .keys = "k", .old_image = "", .new_image = "n"});
  ASSERT_TRUE(decode_entry(sound).ok());
  for (size_t i = 0; i < sound.size(); ++i) EXPECT_FALSE(decode_entry(sound.substr(0, i)).ok()) << i;
}

TEST(SequenceNumbers, OrderIsThatOfPositions) {
  SeededRandom random(3);
  for (int i = 0; i < 2'000; ++i) {
    Position one{};
    Position other{};
    for (auto* position : {&one, &other}) {
      for (auto& byte : position->bytes) byte = static_cast<uint8_t>(random.below(2) == 0 ? 0 : random.below(256));
    }
    EXPECT_EQ(one < other, sequence_number(one) < sequence_number(other));
    EXPECT_EQ(position_of(sequence_number(one)), one);
  }
  EXPECT_EQ(position_of(std::string(20, '1')), std::nullopt);
  EXPECT_EQ(position_of(std::string(41, '1')), std::nullopt);
  EXPECT_EQ(position_of(std::string(20, '1') + "x"), std::nullopt);
  EXPECT_EQ(position_of(std::string(30, '9')), Position());
}

}  // namespace
}  // namespace partita::table
