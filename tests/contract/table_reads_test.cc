// Reads from table files: at home as far as memory has them, on a worker otherwise, and past those that have nothing.
#include <fcntl.h>
#include <rocksdb/db.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <random>

#include "base/bytes.h"
#include "rocksdb_store.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

// A start opens sixteen tables. Of a key in another RocksDB says, asked for memory alone, that it is there and empty.
TEST_F(RocksdbStore, ReadsFromTablesThatAreNotOpenYet) {
  {
    fill(*open());
  }
  rocksdb::ColumnFamilyOptions small;
  small.target_file_size_base = 1;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(
      rocksdb::DB::Open(rocksdb::DBOptions(), path(), {{"default", small}, {"log", small}}, &handles, &opened).ok());
  std::unique_ptr<rocksdb::DB> db(opened);
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db->CompactRange(all, handles[0], nullptr, nullptr).ok());
  for (rocksdb::ColumnFamilyHandle* handle : handles) ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  db.reset();
  ASSERT_GT(files(".sst").size(), 50u);

  const auto engine = open();
  const std::string value(100'000, 'v');
  for (int i = 0; i < 50; ++i) EXPECT_EQ(value_of(*engine, big_name(i)), value + std::to_string(i));
  for (int i = 50; i < 100; i += 2) {
    const std::vector<Key> two{key(big_name(i)), key(big_name(i + 1))};
    const auto found = wait_for(engine->read(two));
    ASSERT_TRUE(found.ok()) << found.error().sentence();
    for (size_t j = 0; j < 2; ++j) {
      ASSERT_TRUE((*found)[j]);
      EXPECT_EQ((*found)[j]->value, value + std::to_string(i + static_cast<int>(j)));
    }
  }
  for (int i = 100; i < 150; ++i) put(*engine, big_name(i), "new");
  for (int i = 100; i < 150; ++i) EXPECT_EQ(value_of(*engine, big_name(i)), "new");
}

// Nothing fits this cache, and the system's is not asked: every read waits for the disk, on a worker, and comes home.
TEST_F(RocksdbStore, ReadsFromTheDiskGoOnAtHome) {
  {
    fill(*open());
  }
  const auto engine = open(1, std::make_shared<FaultyFiles>());
  LoopThread loop;
  std::atomic<int> left{300};
  std::atomic<int> wrong{0};
  std::promise<void> finished;
  auto done = [&](auto&& result) {
    if (!result.ok() || std::this_thread::get_id() != loop.id()) ++wrong;
    if (--left == 0) finished.set_value();
  };
  std::vector<std::vector<Key>> keys;
  for (int i = 0; i < 100; ++i) keys.push_back({key(big_name(i)), key("absent"), key(big_name(i + 1))});
  loop.post([&] {
    for (int i = 0; i < 100; ++i) {
      const Decide count = [i](std::span<const Record* const> found, Changes& changes) {
        changes.put(key(big_name(i)), found[0]->value + "!");
        return Decision::kCommit;
      };
      start(engine->read(keys[static_cast<size_t>(i)]), done);
      start(engine->scan({big_name(i), ""}, Direction::kDescending, 3, 1000), done);
      start(engine->transact(keys[static_cast<size_t>(i)], {}, count), done);
    }
  });
  finished.get_future().wait();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(loop.resumed(), 100u);
  for (int i = 0; i < 150; ++i) {
    EXPECT_EQ(value_of(*engine, big_name(i)), std::string(100'000, 'v') + std::to_string(i) + (i < 100 ? "!" : ""));
  }
}

// Keys of three collections, each of two of which has records in only one of three tables.
class Filtered : public RocksdbStore {
 protected:
  // With as many bytes before the place as keys.md has before the values.
  static std::string name(char collection, int place) { return "collection---" + (collection + std::to_string(place)); }
  static std::vector<std::string> names(char collection) {
    std::vector<std::string> all;
    for (int place = 0; place < 6; ++place) all.push_back(name(collection, place));
    return all;
  }
  Filtered() {
    for (int table = 0; table < 3; ++table) {
      const auto engine = open();
      fill(*engine);
      for (int place = 0; place < 6; ++place) {
        if (place % 3 == table) put(*engine, name('b', place), "all over");
        if (table != 1) put(*engine, name(table == 0 ? 'a' : 'c', place), "in one");
      }
    }
  }
  // Both ways.
  static void expect(Engine& engine, const Range& range, std::vector<std::string> names) {
    EXPECT_EQ(keys_of(scan(engine, range, Direction::kAscending)), names) << range.begin;
    std::reverse(names.begin(), names.end());
    EXPECT_EQ(keys_of(scan(engine, range, Direction::kDescending)), names) << range.begin;
  }
};

TEST_F(Filtered, ScansFindAllOfACollectionAndAllOfMany) {
  const auto engine = open();
  for (const char collection : {'a', 'b', 'c'}) {
    expect(*engine, {name(collection, 0), name(collection, 9)}, names(collection));
  }
  expect(*engine, {name('b', 2), name('b', 4)}, {name('b', 2), name('b', 3)});
  expect(*engine, {name('x', 0), name('x', 9)}, {});
  std::vector<std::string> all = names('a');
  for (const char collection : {'b', 'c'}) {
    for (const std::string& each : names(collection)) all.push_back(each);
  }
  expect(*engine, {name('a', 0), name('d', 0)}, all);
  expect(*engine, {"collection", "collectiona"}, all);
  all.erase(all.begin(), all.begin() + 6);
  expect(*engine, {name('a', 9), name('d', 0)}, all);
}

// The system's cache is not asked, so what is not in ours needs a worker: the filters are there from the start.
TEST_F(Filtered, ScansPassTablesWithoutTheCollection) {
  const auto engine = open(size_t{8} << 20, std::make_shared<FaultyFiles>());
  LoopThread loop;
  const auto goes_to_disk = [&](const std::string& begin) {
    const size_t before = loop.resumed();
    std::promise<void> finished;
    loop.post([&] {
      start(engine->scan({begin, begin + "~"}, Direction::kAscending, 1, 1),
            [&](const auto&) { finished.set_value(); });
    });
    finished.get_future().wait();
    return loop.resumed() > before;
  };
  EXPECT_FALSE(goes_to_disk(big_name(50) + "-absent---"));
  EXPECT_TRUE(goes_to_disk(big_name(50)));
}

// Whether files here can be read as far as they need not be waited for.
bool tells_what_it_has(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  char byte = 'x';
  const iovec where{.iov_base = &byte, .iov_len = 1};
  const bool tells = pwritev(fd, &where, 1, 0) == 1 && preadv2(fd, &where, 1, 0, RWF_NOWAIT) == 1;
  close(fd);
  return tells;
}

// What the system has in memory is read where it is asked for, once its table is open.
TEST_F(RocksdbStore, ReadsFromTheSystemsCacheStayAtHome) {
  if (!tells_what_it_has(directory_.path() / "file")) GTEST_SKIP() << "this file system does not tell what it has";
  {
    fill(*open());
  }
  const auto engine = open(1);
  for (int i = 0; i < 150; ++i) value_of(*engine, big_name(i));
  LoopThread loop;
  for (int i = 0; i < 100; ++i) {
    std::promise<void> finished;
    const std::vector<Key> keys{key(big_name(i))};
    loop.post([&] {
      start(engine->read(keys), [&](const auto& read) {
        EXPECT_EQ(read.value()[0]->value, std::string(100'000, 'v') + std::to_string(i));
        finished.set_value();
      });
    });
    finished.get_future().wait();
  }
  EXPECT_EQ(loop.resumed(), 0u);
}

// A read that has to wait for the disk asks twice, and is one look for the key all the same.
TEST_F(RocksdbStore, WhatIsReadOnceFromTheDiskIsNotKept) {
  {
    fill(*open());
  }
  const auto disk = std::make_shared<FaultyFiles>();
  const auto engine = open(size_t{512} << 20, disk);
  const auto reads_of_all = [&] {
    const uint64_t before = disk->count(FileAct::kRead, ".sst");
    for (int i = 0; i < 150; ++i) value_of(*engine, big_name(i));
    return disk->count(FileAct::kRead, ".sst") - before;
  };
  EXPECT_GE(reads_of_all(), 150u);
  EXPECT_GE(reads_of_all(), 100u);  // some of their blocks are in the cache
  EXPECT_EQ(reads_of_all(), 0u);
}

// Of a block that the system has in part, only a part can be had without waiting.
TEST_F(RocksdbStore, ReadsFromABlockThatTheSystemHasInPart) {
  std::vector<std::string> values;  // that cannot be compressed
  std::minstd_rand chance(1);
  for (int i = 0; i < 150; ++i) {
    std::string& value = values.emplace_back(100'000, '\0');
    std::generate(value.begin(), value.end(), [&] { return static_cast<char>(chance() >> 8); });
  }
  {
    const auto engine = open();
    for (int i = 0; i < 150; ++i) put(*engine, big_name(i), values[static_cast<size_t>(i)]);
  }
  const auto engine = open(1);
  for (int i = 0; i < 150; ++i) value_of(*engine, big_name(i));
  constexpr off_t kPiece = 16 << 10;
  for (const fs::path& table : files(".sst")) {
    const int fd = ::open(table.c_str(), O_RDONLY | O_CLOEXEC);
    for (off_t at = kPiece; at < static_cast<off_t>(fs::file_size(table)); at += 4 * kPiece) {
      posix_fadvise(fd, at, kPiece, POSIX_FADV_DONTNEED);
    }
    close(fd);
  }
  for (int i = 0; i < 150; ++i) EXPECT_TRUE(value_of(*engine, big_name(i)) == values[static_cast<size_t>(i)]) << i;
}

}  // namespace
}  // namespace partita::contract
