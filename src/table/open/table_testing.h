// What the tests of this folder share: a database over an engine that can be made to misbehave, and short ways to say
// what an item is.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/workers.h"
#include "model/fault.h"
#include "storage/engine.h"
#include "table/control/tables.h"
#include "table/items/query.h"
#include "table/items/transact.h"
#include "table/items/write.h"
#include "table/open/database.h"

namespace partita::table {

using model::AttributeValue;
using model::Fault;
using model::Item;

inline AttributeValue s(std::string text) { return AttributeValue::string(std::move(text)); }
inline AttributeValue n(int64_t value) { return AttributeValue::number(model::Number::of(value)); }
inline AttributeValue b(std::string bytes) { return AttributeValue::binary(std::move(bytes)); }
Item item(std::initializer_list<std::pair<std::string, AttributeValue>> attributes);
std::string encoded(const Item& item);
Item decoded(const api::FoundItem& found);

// The memory engine, with faults. Like every engine it may call a transaction's function more than once: it always
// does.
class FaultyEngine final : public storage::Engine {
 public:
  FaultyEngine();
  // Another way to a store that others use too, and that outlives it.
  explicit FaultyEngine(storage::Engine& shared) : inner_(&shared) {}
  ~FaultyEngine() override;

  // How many more transactions are carried out before the medium refuses everything that writes.
  std::atomic<int64_t> writes_left{INT64_MAX};
  // 1: what is committed is reported as unknown; 2: nothing is committed, and that is reported so too.
  std::atomic<int> unknown{0};
  // Whether transactions that begin now wait, on a thread of their own, until this is false again.
  std::atomic<bool> silent{false};
  // Transactions that have waited so.
  std::atomic<int> kept_waiting{0};
  // The most that one transaction writes.
  std::atomic<size_t> most_bytes{SIZE_MAX};
  // Whether records cannot be read.
  std::atomic<bool> blind{false};
  // Scans from there on fail with kCorrupt, unless it is empty. Set it while nothing runs.
  std::string damaged_at;
  // Called with each scan's range after it was read. Set it while nothing runs.
  std::function<void(const storage::Range&, size_t max_records)> after_scan;
  // Called after each scan on the thread that made this engine: jobs scan when they like.
  std::function<void()> after_own_scan;
  // Called after each read on the thread that made this engine: jobs read when they like.
  std::function<void()> after_read;
  // Called after each transaction, whatever became of it. Set it while nothing else runs.
  std::function<void()> after_transact;

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
    return inner_->topics(std::move(after), most);
  }
  Task<Result<uint64_t>> approximate_bytes(storage::Range range) override;
  storage::Limits limits() const override { return inner_->limits(); }
  Result<void> health() const override;

 private:
  const std::thread::id maker_ = std::this_thread::get_id();
  std::unique_ptr<storage::Engine> owned_;
  storage::Engine* inner_;
  Workers waiters_{4};
};

void wait_for_jobs(Database& database);
// A write as a request makes it: bound to the table as it is, and bound again when that changed.
Result<api::Written> carry_out(Database& database, const std::string& table, const api::WriteAction& action);
std::vector<Item> rows_of(Database& database, const std::string& table, const std::string& index = "");
void expect_consistent(Database& database, const std::string& table);

// Of kPut the item, else the key.
api::WriteAction action_of(api::WriteAction::Kind kind, Item item_or_key);
// One action carried out: bind() and run(). The action outlives the task.
Task<Result<api::Written>> write_item(Database& database, Table table, const api::WriteAction& action);

// A request of several parts: bound to its tables as they are and run, and again when they changed.
template <class Request>
auto carry_out(Database& database, const Request& request) {
  using Plan = decltype(table::bind(request, std::vector<Result<Table>>()));
  using Outcome = decltype(wait_for(run(database, *std::declval<Plan>())));
  auto attempt = [&]() -> Outcome {
    std::vector<Result<Table>> tables;
    for (const auto& part : request.parts) tables.push_back(database.ready_table(part.table));
    const Plan plan = table::bind(request, std::move(tables));
    return plan.ok() ? wait_for(run(database, *plan)) : Outcome(plan.error());
  };
  Outcome outcome = attempt();
  while (!outcome.ok() && Database::binds_again(outcome.error())) {
    if (auto waited = wait_for(database.before_binding_again(outcome.error())); !waited.ok())
      return Outcome(waited.error());
    outcome = attempt();
  }
  return outcome;
}

class TableTest : public testing::Test {
 protected:
  TableTest() { open(); }

  void open();
  // A clean stop.
  void close() { database_.reset(); }
  // A stop that stores nothing.
  void crash();
  void reopen() { close(), open(); }

  Database& db() { return *database_; }
  // Waits until there are no jobs any more.
  void wait_for_jobs() { partita::table::wait_for_jobs(db()); }
  // The newest version of the table.
  Table find(const std::string& name) { return db().catalog().find(name); }

  Table create(const api::CreateTableRequest& request);
  Table update(const api::UpdateTableRequest& request);
  Result<api::Written> write(api::WriteAction::Kind kind, const std::string& table, Item item_or_key);
  Result<api::Written> write(const std::string& table, const api::WriteAction& action) {
    return carry_out(db(), table, action);
  }
  void put(const std::string& table, Item item);
  // Every row of the table or of the index, in the order of a scan.
  std::vector<Item> rows(const std::string& table, const std::string& index = "") {
    return rows_of(db(), table, index);
  }
  // Rows of all kinds that the engine holds for that table id.
  size_t stored_rows(uint32_t table_id);
  // Writes a row past everybody.
  void store(const storage::Key& key, const std::string& value);
  // Whether the indexes and all counters are what the items say.
  void expect_consistent(const std::string& table) { partita::table::expect_consistent(db(), table); }

  // Of the next open().
  DatabaseOptions options_{.updating_ms = 0, .deleting_ms = 0, .late_ms = 0, .look_ms = 5, .lease_ms = 0};
  FaultyEngine engine_;
  ManualClock clock_{1'700'000'000'000};
  SeededRandom random_{1};

 private:
  std::unique_ptr<Database> database_;
};

// What an index stores of an item, said again without the code under test: nothing when it is not in the index.
std::optional<Item> expected_view(const TableInfo& table, const IndexInfo& index, const Item& item);

// "T": pk S and sk N, pay per request.
api::CreateTableRequest plain_table(const std::string& name = "T");
api::KeyPart hash(std::string name);
api::KeyPart range(std::string name);
api::IndexRequest index_request(std::string name, std::vector<api::KeyPart> keys,
                                api::ProjectionKind kind = api::ProjectionKind::kAll);
api::UpdateTableRequest add_index(const std::string& table, api::IndexRequest index,
                                  std::vector<model::KeyElement> definitions);
api::UpdateTableRequest drop_index(const std::string& table, const std::string& index);

}  // namespace partita::table
