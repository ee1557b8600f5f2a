// What every call on tables and items needs: the table descriptions, the store, the clock, and the tokens in use. The
// calls are free functions that take it, one header for each kind: items/read.h, items/write.h, items/query.h,
// items/transact.h, streams/streams.h, control/tables.h. The Database (open/database.h) is one.
//
// A request finds its tables with ready_table() and uses these descriptions until it ends. If that, or a write, fails
// with an error for which binds_again() is true, the request waits for before_binding_again() and starts over with the
// tables as they are then:
//
//   Result<Reply> reply = co_await attempt();
//   while (!reply.ok() && TableContext::binds_again(reply.error())) {
//     PARTITA_CO_TRY_VOID(co_await tables.before_binding_again(reply.error()));
//     reply = co_await attempt();
//   }
//
// Any number of these, in any processes, may share a store. All members may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/meter.h"
#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "model/limits.h"
#include "storage/engine.h"
#include "table/catalog/attribute_lists.h"
#include "table/catalog/background.h"
#include "table/catalog/catalog.h"
#include "table/catalog/tokens.h"

namespace partita::table {

class JobType;
enum class JobKind : char;

using StreamAges = Histogram<6, 27>;  // milliseconds: from 64 ms to 37 hours

struct DatabaseOptions {
  // How long a table is seen UPDATING, and an index DELETING. DynamoDB takes seconds; these are long enough to be seen
  // by a client that looks at once, and short enough to be waited out. At most kLongestMomentMs.
  int64_t updating_ms = 50;
  int64_t deleting_ms = 50;
  // How old a description may be that a read uses, if another server has changed it. Dropped rows are erased that much
  // later.
  int64_t late_ms = 1'000;
  // How often the store is checked for other servers' changes and for jobs; less than `late_ms`, or reads check
  // themselves.
  int64_t look_ms = 500;
  // After how long without progress another server takes over a job.
  int64_t lease_ms = 3'000;
  // How many rows a search reads before a graph of them is built.
  size_t graph_rows = 20'000;
  // Memory of all graphs together.
  size_t graph_bytes = size_t{1} << 30;
  // How often a graph is updated from the log.
  int64_t graph_follow_ms = 200;
  // Notified of changes of users, groups, roles and policies; outlives the database. May be null.
  AccountFollower* follower = nullptr;
  // Makes the jobs of kinds that folders above `table` have (PARTITA_JOB_ABOVE); null for a kind that nobody does here,
  // whose jobs wait for another server. May be null itself.
  std::function<std::unique_ptr<JobType>(JobKind)> make_job = {};
  // No other process uses the store.
  bool exclusive = false;
  // When the database was last rolled back to a snapshot; 0: never.
  int64_t rolled_back_ms = 0;
  // Why the tables' changes cannot be sent to Kinesis: a sentence. Empty: they can.
  std::string no_kinesis = {};
  // The largest item collection of a table with a local index.
  int64_t max_collection_bytes = model::kMaxCollectionBytes;
};

class TableContext {
 public:
  TableContext(const TableContext&) = delete;
  TableContext& operator=(const TableContext&) = delete;

  // The table, if its items may be read and written. Faults: kResourceNotFound, kTableOfNewerVersion; or an error for
  // which binds_again() is true.
  Result<Table> ready_table(std::string_view name) const;

  // True if the table is not known here yet, or has changed since the request was bound.
  static bool binds_again(const Error& error);
  // Returns once the newest descriptions are known. Fault: kResourceNotFound. Precondition: binds_again(error).
  Task<Result<void>> before_binding_again(const Error& error);
  // The error of a write whose tables have changed.
  static Error bind_again(std::span<const Table> tables);

  // The table of that name once it is not being updated, or null. It waits for short updates; a table that takes longer
  // is returned as it is. A client that polls until a table is ready, as SDKs' waiters do every twenty seconds, thus
  // gets its answer from the first poll. The table's tallies are read from the store.
  Task<Result<Table>> settled_table(std::string name);
  // The same without reading the tallies, for a caller that is about to change the table.
  Task<Result<Table>> idle_table(std::string name);
  // The same, as the store has it now: another server may have changed it.
  Task<Result<Table>> newest_table(std::string name);

  // Reads the table's tallies from the store, unless they are less than a second old and `newest` is false. For an
  // index that is being filled, they are the progress of the job.
  Task<Result<void>> refresh_tallies(Table table, bool newest);
  // Creates the job that adds up count rows which no write changes any more.
  Task<Result<void>> sum_up_counts(Table table);
  // Whether the catalogue was last checked longer ago than a request may rely on.
  bool is_late() const;

  Catalog& catalog() { return catalog_; }
  const Catalog& catalog() const { return catalog_; }
  storage::Engine& engine() { return engine_; }
  const Clock& clock() const { return clock_; }
  Random& random() { return random_; }
  ActiveTokens& tokens() { return tokens_; }
  AttributeLists& attribute_lists() { return attribute_lists_; }
  const DatabaseOptions& options() const { return options_; }
  Background& background() { return background_; }
  // The age of the newest record of each reply to a reader of a stream, in milliseconds.
  StreamAges& stream_ages() { return stream_ages_; }
  const StreamAges& stream_ages() const { return stream_ages_; }

  // There may be jobs to do: they are looked for at once instead of at the next interval.
  virtual void wake_jobs() = 0;

 protected:
  // All outlive the context. The catalogue is not read yet, and the background thread not started.
  TableContext(storage::Engine& engine, const Clock& clock, Random& random, const DatabaseOptions& options,
               std::vector<const RowMaker*> row_makers)
      : engine_(engine),
        clock_(clock),
        random_(random),
        options_(options),
        catalog_(engine, clock, random.next(), std::move(row_makers), options.follower),
        attribute_lists_(engine) {}
  ~TableContext() = default;

 private:
  int64_t patience_ms() const;
  Task<Result<void>> refresh_progress(Table table);

  storage::Engine& engine_;
  const Clock& clock_;
  Random& random_;
  const DatabaseOptions options_;
  Catalog catalog_;
  ActiveTokens tokens_;
  AttributeLists attribute_lists_;
  StreamAges stream_ages_;
  Background background_;
};

}  // namespace partita::table
