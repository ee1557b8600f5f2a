// A store that fits together, and one kind of damage at a time planted in it.
#include "table/maintenance/verify_store.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/catalog/attribute_lists.h"
#include "table/catalog/catalog.h"
#include "table/control/policy.h"
#include "table/maintenance/full_store_testing.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/item_rows.h"
#include "table/rows/job_row.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using storage::Key;

class VerifyStoreTest : public FullStoreTest {
 protected:
  std::vector<Verified> verify(VerifyOptions options = {}) {
    auto report = wait_for_report(options);
    EXPECT_TRUE(report.ok()) << report.error().sentence();
    return std::move(report).value();
  }
  Result<std::vector<Verified>> wait_for_report(const VerifyOptions& options) { return verify_store(engine_, options); }

  void expect_well() {
    for (const Verified& one : verify()) {
      EXPECT_EQ(one.differences, 0u) << one.table << ": " << one.named.front();
      EXPECT_TRUE(one.skipped.empty()) << one.skipped.front();
    }
  }
  // That it is found, where it is, and nothing else.
  void expect_found(const std::string& where, const std::string& part, size_t differences = 1) {
    for (const Verified& one : verify()) {
      EXPECT_EQ(one.differences, one.table == where ? differences : 0)
          << one.table << ": " << (one.named.empty() ? "" : one.named.back());
      if (one.table != where || one.named.empty()) continue;
      const bool named = std::ranges::any_of(one.named, [&](const auto& text) { return text.contains(part); });
      EXPECT_TRUE(named) << one.named.front();
    }
  }
};

TEST_F(VerifyStoreTest, ASoundStoreIsSound) {
  expect_well();
  const auto report = verify();
  ASSERT_EQ(report.size(), 3u);
  EXPECT_EQ(report[1].table, "T");
  EXPECT_EQ(report[1].items, 24u);
  EXPECT_EQ(report[1].records, 36u);
  EXPECT_EQ(report[1].expiring, 8u);
  size_t rows = 0;
  for (int i = 0; i < kItems; ++i) rows += i % 5 == 0 ? 0 : 1 + (i % 2 == 0) + (i % 4 != 0);
  EXPECT_EQ(report[1].index_rows, rows);
  EXPECT_EQ(report[2].items, 1u);
  uint64_t read = 0;
  VerifyOptions stopping;
  stopping.page_rows = 3;
  stopping.progress = [&](uint64_t so_far, uint64_t) { return read = so_far, so_far < 20; };
  EXPECT_EQ(wait_for_report(stopping).error().kind(), ErrorKind::kUnavailable);
  EXPECT_GE(read, 20u);
  // Page by page, and the stream's keys a few at a time, it is the same.
  VerifyOptions small;
  small.page_rows = 2;
  small.keys_at_once = 5;
  for (const Verified& one : verify(small)) EXPECT_EQ(one.differences, 0u);
}

TEST_F(VerifyStoreTest, RowsOfIndexes) {
  for (const char* name : {"local", "all", "near"}) {
    SCOPED_TRACE(name);
    const Key victim = row_of(name, 6);
    const std::string value = stored(victim);
    erase(victim);
    expect_found("T", "Index " + std::string(name) + " lacks the item with pk = \"p2\", sk = 6", 2);  // and its count
    store(victim, value);
    Item other = model::decode_item(value).value();
    other.set("more", n(1));
    store(victim, model::encode_item(other));
    expect_found("T", "Index " + std::string(name) + " has other attributes for the item with pk = \"p2\", sk = 6", 2);
    store(victim, value);
    const Key stray = row_of(name, 10);  // of an item that was deleted
    store(stray, value);
    expect_found("T", "Index " + std::string(name) + " has an item with pk = \"p2\", sk = 10 that the table has not",
                 2);
    erase(stray);
  }
  Item moved = row(6);
  moved.set("g", s("elsewhere"));
  const Key wrong_place = *index_key(table(), index("all"), moved);
  store(wrong_place, model::encode_item(moved));
  expect_found("T", "Index all has an item with pk = \"p2\", sk = 6 in a wrong place", 2);
  erase(wrong_place);
  Key nobody = row_of("all", 6);
  nobody.bytes[5] = 9;
  store(nobody, "x");
  expect_found("T", "an index that is not there (id 9)");
  erase(nobody);
  expect_well();
}

// As it is between the call that creates an index and the first step of the job that fills it.
TEST_F(VerifyStoreTest, AnIndexThatIsToBeFilled) {
  for (const char* name : {"local", "all", "near"}) {
    SCOPED_TRACE(name);
    Job job;
    job.kind = JobKind::kFillIndex;
    job.table_id = table().id;
    job.index_id = index(name).id;
    job.table = "T";
    const Key victim = row_of(name, 6);
    const std::string value = stored(victim);
    erase(victim);
    store(job_key(job), job_row(job));
    const auto report = verify();
    EXPECT_EQ(report[1].differences, 0u);
    ASSERT_EQ(report[1].skipped.size(), 1u);
    EXPECT_TRUE(report[1].skipped[0].contains("Index " + std::string(name) + " is still being filled"));
    const Key stray = row_of(name, 10);  // of an item that was deleted
    store(stray, value);
    EXPECT_EQ(verify()[1].differences, 1u);
    erase(stray);
    erase(job_key(job));
    store(victim, value);
    expect_well();
  }
}

TEST_F(VerifyStoreTest, Items) {
  const Key victim = item_key(table(), row(7));
  const std::string value = stored(victim);
  store(victim, "\x09nonsense");
  const auto report = verify();
  EXPECT_GE(report[1].differences, 2u);
  EXPECT_EQ(report[1].named[0], "The item with pk = \"p3\", sk = 7 cannot be read.");
  store(victim, value);
  const Key place = item_key(table(), row(10));
  store(place, value);
  EXPECT_TRUE(verify()[1].named[0].contains("pk = \"p3\", sk = 7 stands in the place of another"));
  erase(place);
  erase(victim);
  VerifyOptions few;
  few.named = 3;
  const auto lost = verify(few);
  EXPECT_EQ(lost[1].differences, 4u);  // two rows, a record, counts
  EXPECT_EQ(lost[1].named.size(), 3u);
  store(victim, value);
  expect_well();
}

TEST_F(VerifyStoreTest, CountsAndRowsToExpireBy) {
  const Key base = base_count_key(table().id);
  const std::string counted = stored(base);
  Counts one;
  one.add(0, {1, 100});
  std::string row_of_slot;
  encode_counts(one, row_of_slot);
  Key slot = base;
  append_u64(slot.bytes, 1);
  append_u64(slot.bytes, 7);
  append_u32(slot.bytes, 0);
  append_u32(slot.bytes, 0);
  store(slot, row_of_slot);
  expect_found("T", "Counted as 25 with");
  erase(slot);
  store(base, "\x07");
  EXPECT_EQ(verify()[0].named[0], "A count cannot be read.");
  store(base, counted);
  const Key due = expiry_of_item(3);
  const std::string value = stored(due);
  erase(due);
  expect_found("T", "The item with pk = \"p3\", sk = 3 has no row to expire by");
  store(due, value);
  const Key stray = expiry_of_item(4);
  store(stray, value);
  expect_found("T", "A row says that an item with pk = \"p0\", sk = 4 expires");
  erase(stray);
  Key old = due;
  old.bytes[5 + 4 + 7] = static_cast<char>(old.bytes[5 + 4 + 7] - 1);  // of a run before
  store(old, value);
  expect_found("T", "of a time to live that is over");
  erase(old);
  expect_well();
}

TEST_F(VerifyStoreTest, Streams) {
  // Written past the stream.
  const Key victim = item_key(table(), row(8));
  const std::string value = stored(victim);
  Item other = row(8);
  other.set("l", s("l2"));
  other.set("z", n(1));
  store(victim, model::encode_item(other));
  const auto altered = verify();
  EXPECT_TRUE(std::ranges::any_of(altered[1].named, [](const auto& one) {
    return one.contains("the newest record of the item with pk = \"p0\", sk = 8 says that it is another");
  }));
  store(victim, value);
  const uint32_t shard = shard_of(table(), item_key(table(), row(9)))->number;
  const auto append = [&](const std::string& entry, uint32_t to) {
    change([&](storage::Changes& changes) { changes.append(topic(to), entry); });
  };
  ItemRecord record;
  const std::string keys = model::encode_item(key(9));
  record.event = StreamEvent::kRemove;
  record.keys = keys;
  append(encode_record(record), shard);
  expect_found("T", "the newest record of the item with pk = \"p1\", sk = 9 says that it is gone");
  record.event = StreamEvent::kInsert;
  const std::string image = stored(item_key(table(), row(9)));
  record.new_image = image;
  append(encode_record(record), shard);
  expect_well();
  append(encode_record(record), shard % 4 + 1);
  expect_found("T", "is in shard " + std::to_string(shard % 4 + 1) + ", where it does not belong");
  append("\x05", 1);
  expect_found("T", "an entry of shard 1 cannot be read", 2);
}

TEST_F(VerifyStoreTest, StreamsThatEnd) {
  change([&](storage::Changes& changes) { changes.append(topic(), encode_mark(ShardMark::kClosed)); });
  expect_found("T", "shard 1 has an end and is open");
  const Key stream = stream_row_key("T", table().stream.label);
  StreamRow row = decode_stream_row(stored(stream)).value();
  row.shards[0].closed_ms = 5;
  store(stream, encode_stream_row(row));
  expect_found("T", "The row of its stream is not what its description says.");
  erase(stream);
  expect_found("T", "The row of its stream is missing.");
}

TEST_F(VerifyStoreTest, AForgottenLogIsMissed) {
  ASSERT_TRUE(wait_for(engine_.forget_log(topic())).ok());
  expect_found("T", "shard 1 has no log");
}

TEST_F(VerifyStoreTest, TheCatalogue) {
  const Key description = table_key("U");
  const std::string value = stored(description);
  erase(description);
  expect_found("", "", 2);  // rows and counts of nobody; of U nothing is said any more
  store(description, "\x09");
  EXPECT_EQ(verify()[0].named[0], "The description of table U cannot be read.");
  store(description, value);
  const Key other = table_key("V");
  store(other, value);
  expect_found("", "The row of table V describes table U.");
  erase(other);
  store(system_key(SystemRow{'?'}), "x");
  expect_found("", "a row of the unknown kind '?'");
  erase(system_key(SystemRow{'?'}));
  const Key list = attribute_list_key(model::list_digest(std::vector<std::string>{"n"}));
  for (const char* const name : {"n", "x"}) {
    for (const Key& key : {list, second_copy(list)}) store(key, attribute_list_row({name}));
    EXPECT_EQ(verify()[0].differences, name == std::string("n") ? 0U : 1U);
  }
  expect_found("", "The attribute list ");
  for (const Key& key : {list, second_copy(list)}) erase(key);
  const Key policy = policy_key(99, {});
  store(policy, stored(policy_key(table().id, {})));
  expect_found("", "a policy of a table or stream that is not there (id 99)");
  erase(policy);
  const Key next = system_key(SystemRow::kNextId);
  const std::string id = stored(next);
  std::string low;
  append_u32(low, 1);
  store(next, low);
  EXPECT_GE(verify()[0].differences, 1u);
  store(next, id);
  const Key token = system_key(SystemRow::kToken, "token");
  store(token, "x");
  expect_found("", "A ClientRequestToken cannot be read.");
  erase(token);
  expect_well();
}

// What a job is about to do is no damage.
TEST_F(VerifyStoreTest, JobsUnderWay) {
  Key nobody = row_of("all", 6);
  nobody.bytes[5] = 9;
  store(nobody, "x");
  Job drop;
  drop.kind = JobKind::kDropIndex;
  drop.table_id = table().id;
  drop.index_id = 9;
  store(job_key(drop), job_row(drop));
  expect_well();
  erase(nobody);
  erase(job_key(drop));
  Job fill;
  fill.kind = JobKind::kFillExpiry;
  fill.table_id = table().id;
  store(job_key(fill), job_row(fill));
  erase(expiry_of_item(3));
  const auto report = verify();
  EXPECT_EQ(report[1].differences, 0u);
  EXPECT_EQ(report[1].skipped.size(), 1u);
}

TEST_F(VerifyStoreTest, LogsOfNobodyAreMentioned) {
  change([](storage::Changes& changes) { changes.append("vector" + std::string(6, '\x09'), "key"); });
  const auto report = verify();
  EXPECT_EQ(report[0].differences, 0u);
  EXPECT_EQ(report[0].skipped, std::vector<std::string>{"1 log belongs to nothing that is there any more."});
}

}  // namespace
}  // namespace partita::table
