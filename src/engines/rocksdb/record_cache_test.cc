#include "engines/rocksdb/record_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::rocks {
namespace {

constexpr size_t kRoom = size_t{64} * 64 * 1024;  // 64 KiB in each of the 64 shards
constexpr uint64_t kHash = uint64_t{1} << 56;

std::shared_ptr<CachedRecord> newest(const std::string& key, std::optional<std::string> value, uint64_t number = 0,
                                     uint64_t hash = kHash) {
  auto made = std::make_shared<CachedRecord>();
  made->key = key;
  if (value) made->record = storage::Record{*value, storage::Version{number}};
  made->hash = hash;
  made->number = number;
  return made;
}

std::string seen_by_reader(RecordCache& table, const std::string& key, uint64_t hash = kHash) {
  RecordCache::Ticket ticket = 0;
  const auto found = table.find_durable(key, hash, ticket);
  return found == nullptr ? "nothing" : found->record->value;
}

// Of one who looks for the key again.
RecordCache::Ticket draw(RecordCache& table, const std::string& key, uint64_t hash = kHash) {
  RecordCache::Ticket ticket = 0;
  EXPECT_EQ(table.find_durable(key, hash, ticket), nullptr);
  EXPECT_EQ(table.find_durable(key, hash, ticket), nullptr);
  return ticket;
}

TEST(RecordCache, AReaderSeesWhatIsDurableAndATransactionWhatIsQueued) {
  RecordCache table(kRoom);
  const auto first = newest("k", "1", 1);
  table.insert(first);
  EXPECT_TRUE(table.has_pending());
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
  table.settle(first);
  EXPECT_FALSE(table.has_pending());
  EXPECT_EQ(seen_by_reader(table, "k"), "1");
  const auto second = newest("k", "2", 2);
  table.insert(second);
  // Its first write may be in the store or its second: only the store knows.
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
  bool pending = false;
  EXPECT_EQ(table.find("k", kHash, pending)->record->value, "2");
  EXPECT_TRUE(pending);
  table.settle(second);
  EXPECT_EQ(table.find("k", kHash, pending)->record->value, "2");
  EXPECT_FALSE(pending);
}

TEST(RecordCache, AnOlderWriteThatSettlesOrIsLostLeavesTheNewerOne) {
  RecordCache table(kRoom);
  const auto older = newest("k", "1", 1);
  const auto newer = newest("k", "2", 2);
  table.insert(older);
  EXPECT_EQ(older->superseded_by, 0u);
  table.insert(newer);
  EXPECT_EQ(older->superseded_by, 2u);
  table.settle(older);
  EXPECT_TRUE(table.has_pending());
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
  table.drop(*older);
  EXPECT_TRUE(table.has_pending());
  table.drop(*newer);
  EXPECT_FALSE(table.has_pending());
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
}

TEST(RecordCache, AnErasedKeyIsNotKept) {
  RecordCache table(kRoom);
  const auto put = newest("k", "1", 1);
  table.insert(put);
  table.settle(put);
  const auto erased = newest("k", std::nullopt, 2);
  table.insert(erased);
  table.settle(erased);
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
}

TEST(RecordCache, WhatAReaderReadIsKeptUnlessTheKeyWasWrittenMeanwhile) {
  RecordCache table(kRoom);
  table.offer(newest("k", "read"), draw(table, "k"));
  EXPECT_EQ(seen_by_reader(table, "k"), "read");

  const auto stale = draw(table, "other");
  // Too large to be kept: nothing but the ticket tells of it.
  const auto large = newest("other", std::string(1 << 20, 'x'), 1);
  table.insert(large);
  table.offer(newest("other", "old"), stale);
  EXPECT_EQ(seen_by_reader(table, "other"), "nothing");
  table.offer(newest("other", "old"), draw(table, "other"));  // drawn while it was queued
  table.settle(large);
  table.offer(newest("other", "old"), stale);
  EXPECT_EQ(seen_by_reader(table, "other"), "nothing");
}

TEST(RecordCache, ATicketDrawnWhileAWriteIsQueuedIsVoidAfterIt) {
  RecordCache table(kRoom);
  const auto large = newest("k", std::string(1 << 20, 'x'), 1);
  table.insert(large);
  const auto ticket = draw(table, "k");
  table.settle(large);
  table.offer(newest("k", "old"), ticket);
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
}

TEST(RecordCache, WhatWasLostIsNotOfferedByWhoReadBefore) {
  RecordCache table(kRoom);
  const auto ticket = draw(table, "k");
  const auto lost = newest("k", "1", 1);
  table.insert(lost);
  table.drop(*lost);
  table.offer(newest("k", "old"), ticket);
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
}

TEST(RecordCache, WhatIsReadOnceIsNotKept) {
  RecordCache table(kRoom);
  const auto offer = [&](uint64_t hash) {
    const std::string key = std::to_string(hash);
    RecordCache::Ticket ticket = 0;
    EXPECT_EQ(table.find_durable(key, hash, ticket), nullptr);
    table.offer(newest(key, "v", 0, hash), ticket);
    return seen_by_reader(table, key, hash);
  };
  const uint64_t again = (uint64_t{2} << 56) + 5;
  EXPECT_EQ(offer(again), "nothing");
  EXPECT_EQ(offer((uint64_t{3} << 56) + 5), "nothing");  // in its place
  EXPECT_EQ(offer(again), "nothing");
  EXPECT_EQ(offer(again), "v");
}

TEST(RecordCache, WhatWasUsedLeastRecentlyGoesFirst) {
  RecordCache table(kRoom);
  const std::string value(4096, 'v');
  for (int i = 0; i < 100; ++i) {
    table.offer(newest("k" + std::to_string(i), value), draw(table, "k" + std::to_string(i)));
    EXPECT_EQ(seen_by_reader(table, "k0"), value) << i;
  }
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += seen_by_reader(table, "k" + std::to_string(i)) == value ? 1 : 0;
  EXPECT_GE(kept, 8);
  EXPECT_LE(kept, 16);
  EXPECT_EQ(seen_by_reader(table, "k1"), "nothing");
  EXPECT_EQ(seen_by_reader(table, "k99"), value);
}

// Rewriting what is kept takes no more room each time.
TEST(RecordCache, ARecordTakesItsRoomOnce) {
  RecordCache table(kRoom);
  table.offer(newest("other", "v"), draw(table, "other"));
  for (uint64_t i = 1; i <= 1000; ++i) {
    const auto write = newest("k", std::string(4096, 'v'), i);
    table.insert(write);
    table.settle(write);
  }
  EXPECT_EQ(seen_by_reader(table, "other"), "v");
}

TEST(RecordCache, ForgettingLeavesWhatIsQueuedAndVoidsTickets) {
  RecordCache table(kRoom);
  table.offer(newest("durable", "1"), draw(table, "durable"));
  const auto ticket = draw(table, "read");
  const auto queued = newest("queued", "2", 1);
  table.insert(queued);
  table.forget_durable();
  EXPECT_EQ(seen_by_reader(table, "durable"), "nothing");
  table.offer(newest("read", "old"), ticket);
  EXPECT_EQ(seen_by_reader(table, "read"), "nothing");
  bool pending = false;
  EXPECT_EQ(table.find("queued", kHash, pending), queued);
  table.settle(queued);
  EXPECT_EQ(seen_by_reader(table, "queued"), "2");
}

TEST(RecordCache, WithoutRoomNothingDurableIsKept) {
  RecordCache table(0);
  const auto write = newest("k", "1", 1);
  table.insert(write);
  table.settle(write);
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
  table.offer(newest("k", "1"), draw(table, "k"));
  EXPECT_EQ(seen_by_reader(table, "k"), "nothing");
}

}  // namespace
}  // namespace partita::rocks
