// For tests: another end in memory that loses, delays and rejects, a store that can be cut off at any call, and servers
// over it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/random.h"
#include "model/value.h"
#include "sinks/changes_end_testing.h"
#include "sinks/destination.h"
#include "sinks/sink_store.h"
#include "storage/engine.h"
#include "table/open/database.h"

namespace partita::sinks {

inline constexpr const char* kTestUrl = "memory://here";

// What a search engine keeps. Outlives the servers that write to it. Callable from any thread.
class OtherEnd {
 public:
  struct Document {
    uint64_t version = 0;
    std::optional<model::Item> item;  // nullopt: deleted
  };
  using Index = std::map<std::string, Document>;

  // Of a hundred requests, how many are refused, are carried out without an answer, or are put off in part.
  std::atomic<int> refused{0};
  std::atomic<int> unanswered{0};
  std::atomic<int> later{0};
  std::atomic<bool> down{false};
  std::atomic<bool> has_all{false};  // says that it has an index of any number
  std::atomic<int> slow_ms{0};       // each request for documents
  std::atomic<int> no_memory{0};     // so many requests for documents find none
  // While this is true, the first request for documents is on its way.
  std::atomic<bool> late{false};
  std::atomic<int> kept_late{0};
  std::atomic<int> arrived_late{0};
  // Items with this attribute are rejected.
  static constexpr const char* kPoison = "poison";

  // Of requests for documents so far.
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> documents{0};

  // The documents of the index that users see.
  std::map<std::string, model::Item> published();
  std::vector<Generation> generations();
  void drop_indexes();

  DestinationFactory factory(std::function<bool()> cut);

 private:
  friend class MemoryDestination;
  struct Mark {
    uint64_t version = 0;
    std::string text;
  };
  Mutex mutex_;
  SeededRandom random_{7};
  std::map<Generation, Index> indexes_ PARTITA_GUARDED_BY(mutex_);
  std::map<Generation, Mark> marks_ PARTITA_GUARDED_BY(mutex_);
  Generation published_ PARTITA_GUARDED_BY(mutex_) = 0;
};

// An engine of which nothing comes back after some calls, as for a server that is killed there.
class CutEngine final : public storage::Engine {
 public:
  explicit CutEngine(storage::Engine& inner) : inner_(inner) {}
  // How many more calls are carried out.
  std::atomic<int64_t> left{INT64_MAX};
  // True: this call is one too many.
  bool cut() { return left.fetch_sub(1) <= 0; }
  std::atomic<uint64_t> trims{0};
  std::atomic<size_t> largest_read{0};  // in bytes of values, of those by their keys

  Task<Result<std::vector<std::optional<storage::Record>>>> read(std::span<const storage::Key> keys) override;
  Task<Result<storage::Page>> scan(storage::Range range, storage::Direction direction, size_t max_records,
                                   size_t max_bytes) override;
  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override;
  Task<Result<void>> erase_range(storage::Range range) override;
  Task<Result<std::vector<storage::LogEntry>>> read_log(std::string topic, storage::Position after, size_t max_entries,
                                                        size_t max_bytes) override;
  Task<Result<storage::Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, storage::Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override {
    return inner_.topics(std::move(after), most);
  }
  Task<Result<uint64_t>> approximate_bytes(storage::Range range) override {
    return inner_.approximate_bytes(std::move(range));
  }
  storage::Limits limits() const override { return inner_.limits(); }
  Result<void> health() const override { return inner_.health(); }

 private:
  storage::Engine& inner_;
};

class SinksTest : public testing::Test {
 protected:
  SinksTest();
  ~SinksTest() override;

  // The store, before the first server: of memory unless a directory is given.
  void use_directory(const std::string& directory);
  // A server that carries sinks. There may be several.
  std::unique_ptr<table::Database> serve(storage::Engine& engine, table::DatabaseOptions options,
                                         std::function<bool()> cut = nullptr);
  std::unique_ptr<table::Database> serve() { return serve(*engine_, options_); }
  // The server that calls are made to, which carries none.
  table::Database& db();
  void close_all() { writer_.reset(); }

  void create_table(const std::string& name);
  void put(const std::string& table, const std::string& pk, int64_t value, bool poison = false);
  void put_item(const std::string& table, const model::Item& item);
  void erase(const std::string& table, const std::string& pk);
  // A server carries ten items of the table "T", "item0" to "item9", and stops. After that the other end loses its
  // indexes.
  void carry_and_lose_index();
  // One of ChangesEnd.
  table::Sink create_changes(SinkRequest request = {});
  // The items of the table "T" as they are stored, by their keys.
  std::map<std::string, std::string> stored_items();
  // Waits until the other end has had every change of the table "T", which was empty when the sink was created.
  void wait_until_replayed();
  // Of the table "T", with these settings; without a URL, one that keeps the newest state of each item.
  table::Sink create(SinkRequest request = {});
  SinkStatus status(const std::string& table = "T", const std::string& name = "memory");

  // What the other end should have of a table.
  std::map<std::string, model::Item> expected(const std::string& table);
  // Waits until nothing is left to be delivered.
  void wait_until_carried(const std::string& table = "T", const std::string& name = "memory");
  // Waits at most some seconds.
  static void wait_until(const std::function<bool()>& condition, const char* what);

  OtherEnd other_;
  ChangesEnd changes_;
  std::unique_ptr<storage::Engine> engine_;
  table::DatabaseOptions options_{
      .updating_ms = 0, .deleting_ms = 0, .late_ms = 200, .look_ms = 5, .lease_ms = 0, .exclusive = true};

 private:
  std::unique_ptr<table::Database> writer_;
};

}  // namespace partita::sinks
