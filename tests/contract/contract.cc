#include "contract.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <utility>

#include "base/check.h"
#include "engines/foundationdb/foundationdb_engine.h"
#include "engines/memory/memory_engine.h"
#include "engines/postgres/postgres_engine.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "postgres_cluster.h"
#include "spread_engine.h"
#include "storage/prefixed_engine.h"

namespace partita::contract {

using namespace storage;

namespace {

std::unique_ptr<Engine> open_memory(const std::string&) { return open_memory_engine(); }

std::unique_ptr<Engine> open_rocksdb(const std::string& directory) {
  RocksdbOptions options;
  options.directory = directory;
  Result<std::unique_ptr<Engine>> engine = open_rocksdb_engine(options);
  if (!engine.ok()) std::cerr << engine.error().sentence() << "\n";
  return std::move(engine).value();
}

struct Owner {
  std::unique_ptr<Engine> base;
};

// A view that seems to be alone in an engine in which there are rows and logs on all sides of its own.
class Within final : private Owner, public PrefixedEngine {
 public:
  explicit Within(std::unique_ptr<Engine> engine)
      : Owner{std::move(engine)}, PrefixedEngine(*base, "\xff\xffNn" + kEnd, "\xffn" + kEnd) {
    for (const char* const other : {"m", "o", "n.", "N", "nn"}) {
      PrefixedEngine view(*base, std::string("\xff\xffN") + other + kEnd, std::string("\xff") + other + kEnd);
      fill(view);
    }
    fill(*base);
  }

 private:
  inline static const std::string kEnd = std::string(1, '\0');

  static void fill(Engine& engine) {
    for (const char* const what : {"", "a", "k", "t", "\xff", "\xff\xff\xff"}) {
      put(engine, what, "another's");
      append(engine, what, "another's");
    }
  }
};

std::unique_ptr<Engine> open_view(const std::string&) { return std::make_unique<Within>(open_memory_engine()); }

std::unique_ptr<Engine> open_view_of_rocksdb(const std::string& directory) {
  return std::make_unique<Within>(open_rocksdb(directory));
}

std::unique_ptr<Engine> open_postgres_at(const std::string& url) {
  PostgresOptions options;
  options.url = url;
  Result<std::unique_ptr<Engine>> engine = open_postgres_engine(options);
  if (!engine.ok()) std::cerr << engine.error().sentence() << "\n";
  return std::move(engine).value();
}

std::unique_ptr<Engine> open_postgres(const std::string&) {
  return open_postgres_at(PostgresCluster::shared().new_store());
}

std::unique_ptr<Engine> open_postgres_twice(const std::string&) {
  const std::string url = PostgresCluster::shared().new_store();
  return std::make_unique<SpreadEngine>(open_postgres_at(url), open_postgres_at(url));
}

std::unique_ptr<Engine> open_foundationdb_at(const std::string& place) {
  FoundationdbOptions options;
  options.place = place;
  Result<std::unique_ptr<Engine>> engine = open_foundationdb_engine(options);
  if (!engine.ok()) std::cerr << engine.error().sentence() << "\n";
  return std::move(engine).value();
}

std::unique_ptr<Engine> open_foundationdb(const std::string&) { return open_foundationdb_at(new_foundationdb_store()); }

std::unique_ptr<Engine> open_foundationdb_twice(const std::string&) {
  const std::string place = new_foundationdb_store();
  return std::make_unique<SpreadEngine>(open_foundationdb_at(place), open_foundationdb_at(place));
}

std::vector<EngineRow> make_rows() {
  std::vector<EngineRow> rows{{"memory", open_memory},     {"rocksdb", open_rocksdb},
                              {"view", open_view},         {"view_of_rocksdb", open_view_of_rocksdb},
                              {"postgres", open_postgres}, {"two_on_postgres", open_postgres_twice}};
  if (foundationdb_cluster() == nullptr) {
    std::cout << "PARTITA_TEST_FDB names no cluster file: nothing is tested on FoundationDB.\n";
    return rows;
  }
  rows.push_back({"foundationdb", open_foundationdb});
  rows.push_back({"two_on_foundationdb", open_foundationdb_twice});
  return rows;
}

}  // namespace

const char* foundationdb_cluster() { return std::getenv("PARTITA_TEST_FDB"); }

std::string new_foundationdb_store() {
  return std::string(foundationdb_cluster()) + "?prefix=test-" + system_random().uuid();
}

const std::vector<EngineRow>& engine_rows() {
  static const std::vector<EngineRow> rows = make_rows();
  return rows;
}

TempDirectory::TempDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "partita-contract-XXXXXX").string();
  PARTITA_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

uint64_t setting(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 0);
}

uint64_t seed() {
  const uint64_t chosen = setting("PARTITA_SEED", system_random().next() >> 32);
  std::cout << "PARTITA_SEED=" << chosen << "\n";
  return chosen;
}

Key key(std::string_view bytes) {
  const bool is_settled = !bytes.empty() && bytes.back() % 2 == 0;
  return Key{std::string(bytes), 0, is_settled};
}

std::optional<Record> get(Engine& engine, std::string_view name) {
  const std::vector<Key> keys{key(name)};
  auto records = wait_for(engine.read(keys));
  EXPECT_TRUE(records.ok());
  return records.ok() ? records.value()[0] : std::nullopt;
}

std::optional<std::string> value_of(Engine& engine, std::string_view name) {
  std::optional<Record> record = get(engine, name);
  return record ? std::optional(std::move(record->value)) : std::nullopt;
}

Outcome transact(Engine& engine, std::vector<std::string> names, Decide decide, std::vector<Compare> compare,
                 Version* version) {
  std::vector<Key> keys;
  for (const std::string& name : names) keys.push_back(key(name));
  const auto outcome = wait_for(engine.transact(std::move(keys), std::move(compare), std::move(decide), version));
  EXPECT_TRUE(outcome.ok()) << outcome.error().sentence();
  return outcome.ok() ? outcome.value() : Outcome::kRefused;
}

Task<Result<Outcome>> blind(Engine& engine, Decide decide) {
  std::vector<Key> keys;
  std::vector<Compare> compare;
  return engine.transact(std::move(keys), std::move(compare), std::move(decide));
}

void put(Engine& engine, std::string_view name, std::string_view value) {
  transact(engine, {}, [&](std::span<const Record* const>, Changes& changes) {
    changes.put(key(name), std::string(value));
    return Decision::kCommit;
  });
}

void erase(Engine& engine, std::string_view name) {
  transact(engine, {}, [&](std::span<const Record* const>, Changes& changes) {
    changes.erase(key(name));
    return Decision::kCommit;
  });
}

void append(Engine& engine, std::string_view topic, std::string_view entry) {
  transact(engine, {}, [&](std::span<const Record* const>, Changes& changes) {
    changes.append(std::string(topic), std::string(entry));
    return Decision::kCommit;
  });
}

Page scan(Engine& engine, Range range, Direction direction, size_t max_records, size_t max_bytes) {
  auto page = wait_for(engine.scan(std::move(range), direction, max_records, max_bytes));
  EXPECT_TRUE(page.ok());
  return page.ok() ? std::move(page).value() : Page();
}

std::vector<std::string> keys_of(const Page& page) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < page.size(); ++i) keys.emplace_back(page[i].key);
  return keys;
}

std::vector<LogEntry> read_log(Engine& engine, std::string_view topic, Position after, size_t max_entries,
                               size_t max_bytes) {
  auto entries = wait_for(engine.read_log(std::string(topic), after, max_entries, max_bytes));
  EXPECT_TRUE(entries.ok());
  return entries.ok() ? std::move(entries).value() : std::vector<LogEntry>();
}

std::vector<std::string> entries_of(const std::vector<LogEntry>& log) {
  std::vector<std::string> entries;
  for (const LogEntry& entry : log) entries.push_back(entry.entry);
  return entries;
}

Position log_end(Engine& engine, std::string_view topic) {
  const auto end = wait_for(engine.log_end(std::string(topic)));
  EXPECT_TRUE(end.ok());
  return end.ok() ? end.value() : Position{};
}

void trim(Engine& engine, std::string_view topic, Position upto) {
  const auto trimmed = wait_for(engine.trim_log(std::string(topic), upto));
  EXPECT_TRUE(trimmed.ok());
}

void forget(Engine& engine, std::string_view topic) {
  const auto forgotten = wait_for(engine.forget_log(std::string(topic)));
  EXPECT_TRUE(forgotten.ok());
}

LoopThread::LoopThread()
    : thread_([this] {
        Executor::set_current(this);
        work_.run();
      }) {}

LoopThread::~LoopThread() {
  work_.stop();
  thread_.join();
}

void LoopThread::resume(std::coroutine_handle<> handle) {
  ++resumed_;
  post([handle] { handle.resume(); });
}

}  // namespace partita::contract
