// The item cache and the query cache by themselves, on a manual clock.
#include "dax/item_cache.h"

#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/seeded_hash.h"
#include "dax/query_cache.h"
#include "model/item_codec.h"

namespace partita::dax {
namespace {

CachedItem item_of(std::string bytes) {
  const size_t size = bytes.size();
  return std::make_shared<const StoredItem>(StoredItem{std::move(bytes), size});
}

class DaxCacheTest : public testing::Test {
 protected:
  static constexpr size_t kBytes = size_t{1} << 20;

  // The texts of keys outlive them.
  static CacheKey key(std::string_view bytes) { return {1, 2, 3, bytes}; }
  int64_t now() const { return clock_.monotonic_ns(); }
  void write(std::string_view of, CachedItem item) { items_.begin_write(key(of)).wrote(std::move(item), now()); }
  // "-": not cached. "": there is no such item.
  std::string cached(std::string_view of) {
    const auto found = items_.find(key(of), now());
    if (!found) return "-";
    return *found == nullptr ? "" : (*found)->bytes;
  }

  ManualClock clock_{1'700'000'000'000};
  api::CacheTimes times_;
  ItemCache items_{kBytes, [this] { return times_; }};
  QueryCache queries_{kBytes, [this] { return times_; }};
};

TEST_F(DaxCacheTest, ItemsLiveForFiveMinutes) {
  EXPECT_EQ(cached("a"), "-");
  write("a", item_of("one"));
  clock_.advance_ms(299'999);
  EXPECT_EQ(cached("a"), "one");
  clock_.advance_ms(1);
  EXPECT_EQ(cached("a"), "-");
  EXPECT_EQ(items_.counts().hits, 1U);
  EXPECT_EQ(items_.counts().misses, 2U);
  EXPECT_EQ(items_.counts().entries, 0U);
}

TEST_F(DaxCacheTest, ANewTtlHoldsForOldEntriesAndZeroIsForever) {
  write("a", item_of("one"));
  clock_.advance_ms(1'000);
  times_.item_ttl_ms = 1'000;
  EXPECT_EQ(cached("a"), "-");
  times_.item_ttl_ms = 0;
  write("a", item_of("two"));
  clock_.advance_ms(1'000'000'000);
  EXPECT_EQ(cached("a"), "two");
}

TEST_F(DaxCacheTest, NoReadFillsAfterAWriteOfUnknownOutcome) {
  times_.item_ttl_ms = 0;
  const auto fill = [&](std::string_view of) { items_.begin_fill(key(of)).fill(item_of("old"), now()); };
  for (const std::string_view of : {"a", "b"}) items_.begin_write(key(of));
  fill("a");
  fill("b");
  EXPECT_EQ(cached("a"), "-");
  items_.begin_write(key("a")).failed();
  fill("a");
  EXPECT_EQ(cached("a"), "-");
  items_.begin_write(key("a")).wrote();
  fill("a");
  EXPECT_EQ(cached("a"), "old");
  clock_.advance_ms(299'999);
  fill("b");
  EXPECT_EQ(cached("b"), "-");
  clock_.advance_ms(1);
  fill("b");
  EXPECT_EQ(cached("b"), "old");
}

// More than are remembered one by one.
TEST_F(DaxCacheTest, AfterManyWritesOfUnknownOutcomeNoReadFills) {
  for (int i = 0; i < 2'000; ++i) {
    const std::string of = std::to_string(i);
    items_.begin_write(key(of));
  }
  items_.begin_fill(key("x")).fill(item_of("old"), now());
  EXPECT_EQ(cached("x"), "-");
  clock_.advance_ms(300'000);
  items_.begin_fill(key("x")).fill(item_of("new"), now());
  EXPECT_EQ(cached("x"), "new");
}

TEST_F(DaxCacheTest, HashesOfKeysHaveASeed) {
  EXPECT_EQ(key("a").hash, key("a").hash);
  EXPECT_NE(seeded_hash64("a", 1), seeded_hash64("a", 2));
  EXPECT_NE(CacheKey(0, 0, 0, "a").hash, hash64("a"));
}

TEST_F(DaxCacheTest, TheLongestTtlIsForever) {
  times_ = {.item_ttl_ms = INT64_MAX, .query_ttl_ms = INT64_MAX};
  write("a", item_of("one"));
  queries_.put(key("q"), {}, now());
  clock_.advance_ms(1'000'000'000);
  EXPECT_EQ(cached("a"), "one");
  EXPECT_NE(queries_.find(key("q"), now()), nullptr);
}

TEST_F(DaxCacheTest, AnAbsentItemIsAnEntry) {
  items_.begin_fill(key("a")).fill(nullptr, now());
  EXPECT_EQ(cached("a"), "");
  write("a", item_of("one"));
  EXPECT_EQ(cached("a"), "one");
  write("a", nullptr);
  EXPECT_EQ(cached("a"), "");
}

TEST_F(DaxCacheTest, KeysDifferByDatabaseTableAndRevision) {
  write("a", item_of("one"));
  for (const CacheKey& other : {CacheKey{2, 2, 3, "a"}, CacheKey{1, 3, 3, "a"}, CacheKey{1, 2, 4, "a"}}) {
    EXPECT_FALSE(items_.find(other, now()));
  }
}

TEST_F(DaxCacheTest, TheLeastRecentlyUsedEntryLeaves) {
  const std::string large(kBytes / 4, 'x');
  for (const std::string_view of : {"a", "b", "c"}) write(of, item_of(large));
  EXPECT_EQ(cached("a"), large);
  write("d", item_of(large));
  EXPECT_EQ(cached("b"), "-");
  for (const std::string_view of : {"a", "c", "d"}) EXPECT_EQ(cached(of), large) << of;
  EXPECT_EQ(items_.counts().evictions, 1U);
  EXPECT_LE(items_.counts().bytes, kBytes);
}

TEST_F(DaxCacheTest, AnItemThatIsTooLargeLeavesNoOlderOne) {
  write("a", item_of("one"));
  write("a", item_of(std::string(kBytes, 'x')));
  EXPECT_EQ(cached("a"), "-");
}

// --- interleavings of one key

TEST_F(DaxCacheTest, AReadFillsOnlyWithoutAWriteMeanwhile) {
  auto alone = items_.begin_fill(key("a"));
  alone.fill(item_of("read"), now());
  EXPECT_EQ(cached("a"), "read");

  auto around = items_.begin_fill(key("b"));
  write("b", item_of("written"));
  around.fill(item_of("read"), now());
  EXPECT_EQ(cached("b"), "written");

  auto before = items_.begin_fill(key("c"));
  auto write_after = items_.begin_write(key("c"));
  before.fill(item_of("read"), now());
  EXPECT_EQ(cached("c"), "-");
  write_after.wrote(item_of("written"), now());
  EXPECT_EQ(cached("c"), "written");

  auto write_before = items_.begin_write(key("d"));
  auto after = items_.begin_fill(key("d"));
  write_before.wrote(item_of("written"), now());
  after.fill(item_of("read"), now());
  EXPECT_EQ(cached("d"), "written");
}

TEST_F(DaxCacheTest, WritesThatOverlapLeaveNoEntry) {
  write("a", item_of("zero"));
  auto one = items_.begin_write(key("a"));
  auto two = items_.begin_write(key("a"));
  EXPECT_EQ(cached("a"), "zero");  // neither of them is done
  two.wrote(item_of("two"), now());
  EXPECT_EQ(cached("a"), "-");
  auto read = items_.begin_fill(key("a"));
  auto three = items_.begin_write(key("a"));
  one.wrote(item_of("one"), now());
  read.fill(item_of("read"), now());
  EXPECT_EQ(cached("a"), "-");
  three.wrote(item_of("three"), now());
  EXPECT_EQ(cached("a"), "-");
  // Once they are over, the next one is alone.
  write("a", item_of("four"));
  EXPECT_EQ(cached("a"), "four");
}

TEST_F(DaxCacheTest, AFailedWriteChangesNothingAndAnUnsureOneDropsTheEntry) {
  write("a", item_of("one"));
  items_.begin_write(key("a")).failed();
  EXPECT_EQ(cached("a"), "one");
  { const auto unsure = items_.begin_write(key("a")); }
  EXPECT_EQ(cached("a"), "-");
  // What a read began to see before it is not kept either.
  auto read = items_.begin_fill(key("a"));
  { const auto unsure = items_.begin_write(key("a")); }
  read.fill(item_of("read"), now());
  EXPECT_EQ(cached("a"), "-");
}

// The "store" is a number that each write increments while it is in progress.
TEST_F(DaxCacheTest, NoThreadLeavesAnOlderItem) {
  ItemCache cache(size_t{64} << 20, [this] { return times_; });
  std::atomic<uint64_t> store = 0;
  const auto work = [&](bool writes) {
    for (int i = 0; i < 20'000; ++i) {
      if (writes) {
        auto entry = cache.begin_write(key("a"));
        const uint64_t mine = ++store;
        entry.wrote(item_of(std::to_string(mine)), now());
      } else if (!cache.find(key("a"), now())) {
        auto fill = cache.begin_fill(key("a"));
        fill.fill(item_of(std::to_string(store)), now());
      }
    }
  };
  std::vector<std::thread> threads;
  for (const bool writes : {true, true, false, false}) threads.emplace_back(work, writes);
  for (std::thread& thread : threads) thread.join();
  const auto found = cache.find(key("a"), now());
  EXPECT_EQ(found ? (*found)->bytes : std::to_string(store), std::to_string(store));
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(DaxCacheTest, BytesAreWhatTheHeapGives) {
  constexpr size_t kEntries = 20'000;
  auto cache = std::make_unique<ItemCache>(size_t{256} << 20, [this] { return times_; });
  std::vector<std::string> keys;
  for (size_t i = 0; i < kEntries; ++i) keys.push_back("a key of some length " + std::to_string(i));
  const auto used = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const size_t before = used();
  for (const std::string& of : keys) cache->begin_write(key(of)).wrote(item_of(std::string(100, 'x')), now());
  const size_t heap = used() - before;
  EXPECT_EQ(cache->counts().entries, kEntries);
  EXPECT_GE(cache->counts().bytes, heap * 9 / 10);
  EXPECT_LE(cache->counts().bytes, heap * 12 / 10);
}
#endif

// --- the query cache

api::RangeReply reply_with(std::string_view text) {
  model::Item item;
  item.set("p", model::AttributeValue::string(std::string(text)));
  auto stored = std::make_shared<const std::string>(model::encode_item(item));
  api::RangeReply reply;
  reply.items.emplace_back(*stored);
  reply.items.emplace_back(item);
  reply.items.emplace_back(std::string_view(*stored));
  reply.owners.push_back(stored);
  reply.count = 3;
  reply.scanned = 7;
  reply.last_key = std::move(item);
  return reply;
}

TEST_F(DaxCacheTest, APageIsWhatItWasMadeOf) {
  const api::RangeReply given = reply_with("text");
  const std::string encoded = std::get<std::string>(given.items[0]);
  const api::RangeReply reply = reply_of(page_of(given));
  ASSERT_EQ(reply.items.size(), 3U);
  for (const auto& item : reply.items) EXPECT_EQ(std::get<std::string_view>(item), encoded);
  EXPECT_EQ(reply.count, 3U);
  EXPECT_EQ(reply.scanned, 7U);
  EXPECT_EQ(reply.last_key, given.last_key);
  EXPECT_TRUE(reply.consumed.table.empty());
  EXPECT_FALSE(reply_of(page_of({})).last_key);
}

TEST_F(DaxCacheTest, PagesHaveATtlOfTheirOwn) {
  times_ = {.item_ttl_ms = 1, .query_ttl_ms = 2'000};
  queries_.put(key("q"), reply_with("text"), now());
  queries_.put(key("empty"), {}, now());
  clock_.advance_ms(1'999);
  EXPECT_NE(queries_.find(key("q"), now()), nullptr);
  EXPECT_NE(queries_.find(key("empty"), now()), nullptr);
  clock_.advance_ms(1);
  EXPECT_EQ(queries_.find(key("q"), now()), nullptr);
  times_.query_ttl_ms = 0;
  queries_.put(key("q"), reply_with("text"), now());
  EXPECT_EQ(queries_.find(key("q"), now()), nullptr);
  times_.query_ttl_ms = 2'000;
  EXPECT_EQ(queries_.find(key("q"), now()), nullptr);
}

TEST_F(DaxCacheTest, PagesAreBoundedInBytes) {
  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) keys.push_back("q" + std::to_string(i));
  for (const std::string& of : keys) queries_.put(key(of), reply_with(std::string(10'000, 'x')), now());
  const CacheCounts counts = queries_.counts();
  EXPECT_LE(counts.bytes, kBytes);
  EXPECT_GT(counts.bytes, kBytes / 2);
  EXPECT_EQ(counts.entries + counts.evictions, keys.size());
  EXPECT_EQ(queries_.find(key("q0"), now()), nullptr);
  EXPECT_NE(queries_.find(key("q99"), now()), nullptr);
}

}  // namespace
}  // namespace partita::dax
