// What RocksDB alone does with items of the same size: the other end of the comparison.
//
//   rocksdb_baseline DIRECTORY put|get|query THREADS SECONDS
//
// `put` is durable (sync=true, RocksDB's own group commit), `get` reads from the block cache, `query` seeks and takes
// 50 records of 1 KiB. Prints one line of JSON: the rate, the latencies and the process's CPU time per operation.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kItems = 10'000;
constexpr uint64_t kCollections = 100;
constexpr int kCollectionItems = 50;
constexpr size_t kItemBytes = 300;
constexpr size_t kQueryItemBytes = 1024;

void must(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "rocksdb_baseline: %s\n", status.ToString().c_str());
  std::exit(1);
}

std::string key(char kind, uint64_t number, int sort = 0) {
  char text[40];
  const int size = std::snprintf(text, sizeof(text), "%c-%010llu-%010d-partition-key", kind,
                                 static_cast<unsigned long long>(number), sort);
  return std::string(text, static_cast<size_t>(std::min(size, 39)));
}

// Text that does not compress to nothing.
std::string value(size_t bytes, uint64_t seed) {
  std::string text(bytes, ' ');
  for (char& letter : text) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    letter = static_cast<char>('a' + (seed >> 33) % 26);
  }
  return text;
}

std::unique_ptr<rocksdb::DB> open(const std::string& directory) {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 16 * 1024;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* db = nullptr;
  must(rocksdb::DB::Open(options, directory, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

void fill(rocksdb::DB& db) {
  for (uint64_t i = 0; i < kItems; ++i) must(db.Put({}, key('i', i), value(kItemBytes, i)));
  for (uint64_t i = 0; i < kCollections; ++i) {
    for (int s = 0; s < kCollectionItems; ++s) must(db.Put({}, key('q', i, s), value(kQueryItemBytes, i * 100)));
  }
  must(db.Flush({}));
}

void put(rocksdb::DB& db, uint64_t n) {
  static const std::string written = value(kItemBytes, 1);
  rocksdb::WriteOptions durable;
  durable.sync = true;
  must(db.Put(durable, key('i', n % kItems), written));
}

void get(rocksdb::DB& db, uint64_t n) {
  rocksdb::PinnableSlice found;
  must(db.Get({}, db.DefaultColumnFamily(), key('i', n % kItems), &found));
}

void query(rocksdb::DB& db, uint64_t n) {
  std::unique_ptr<rocksdb::Iterator> it(db.NewIterator({}));
  size_t bytes = 0;
  int left = kCollectionItems;
  for (it->Seek(key('q', n % kCollections)); it->Valid() && left > 0; it->Next(), --left) bytes += it->value().size();
  if (bytes != kCollectionItems * kQueryItemBytes) must(rocksdb::Status::Corruption("a query found too little"));
}

double process_cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void measure(const std::function<void(uint64_t)>& operation, size_t threads, double seconds) {
  std::vector<std::vector<float>> latencies_us(threads);
  const Clock::time_point start = Clock::now();
  const double cpu_before = process_cpu_us();
  const auto until = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  auto work = [&](size_t thread) {
    uint64_t n = thread * 7919;
    for (Clock::time_point before = Clock::now(); before < until;) {
      operation(n += 13);
      const Clock::time_point after = Clock::now();
      latencies_us[thread].push_back(std::chrono::duration<float, std::micro>(after - before).count());
      before = after;
    }
  };
  std::vector<std::thread> workers;
  for (size_t i = 0; i < threads; ++i) workers.emplace_back(work, i);
  for (std::thread& worker : workers) worker.join();
  const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  const double cpu = process_cpu_us() - cpu_before;

  std::vector<float> all;
  for (const auto& one : latencies_us) all.insert(all.end(), one.begin(), one.end());
  std::sort(all.begin(), all.end());
  std::printf("{\"requests\": %zu, \"per_second\": %.0f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"cpu_us\": %.2f}\n",
              all.size(), static_cast<double>(all.size()) / elapsed, static_cast<double>(all[all.size() / 2]),
              static_cast<double>(all[all.size() * 99 / 100]), cpu / static_cast<double>(all.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: rocksdb_baseline DIRECTORY put|get|query THREADS SECONDS\n");
    return 2;
  }
  const std::string_view what = argv[2];
  auto operation = what == "put" ? put : what == "get" ? get : query;
  const std::unique_ptr<rocksdb::DB> db = open(argv[1]);
  rocksdb::PinnableSlice found;
  if (!db->Get({}, db->DefaultColumnFamily(), key('i', 0), &found).ok()) fill(*db);
  measure([&](uint64_t n) { operation(*db, n); }, std::strtoul(argv[3], nullptr, 10), std::strtod(argv[4], nullptr));
}
