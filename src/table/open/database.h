// A database: the catalogue, the store beneath it, and what a request needs beside them. The operations on it are free
// functions, one face for each kind: tables.h, write.h, read.h, query.h, transact.h.
//
// A request finds its tables with ready_table() and works with these descriptions to its end. When that, or a write,
// fails with an error that binds_again() knows, the request waits for before_binding_again() and begins anew with the
// tables as they are then:
//
//   Result<Reply> reply = co_await attempt();
//   while (!reply.ok() && Database::binds_again(reply.error())) {
//     PARTITA_CO_TRY_VOID(co_await database.before_binding_again(reply.error()));
//     reply = co_await attempt();
//   }
//
// Any number of databases, in any processes, may share a store.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/exposition.h"
#include "base/meter.h"
#include "base/random.h"
#include "base/result.h"
#include "base/workers.h"
#include "model/limits.h"
#include "storage/engine.h"
#include "table/catalog/catalog.h"
#include "table/catalog/tokens.h"
#include "table/jobs/upkeep.h"
#include "table/vectors/vector_graphs.h"

namespace partita::table {

using StreamAges = Histogram<6, 27>;  // milliseconds: from 64 ms to 37 hours

struct Options {
  // How long a table is seen UPDATING, and an index DELETING. DynamoDB takes seconds; these are long enough to be seen
  // by a client that looks at once, and short enough to be waited out. At most kLongestMomentMs.
  int64_t updating_ms = 50;
  int64_t deleting_ms = 50;
  // How late a description may be that a read works with, when another server changed it. Rows that were dropped are
  // erased that much later.
  int64_t late_ms = 1'000;
  // How often another server's changes and jobs are looked for; less than `late_ms`, or reads do it themselves.
  int64_t look_ms = 500;
  // After how long another server goes on with the job of one that died.
  int64_t lease_ms = 3'000;
  // How many rows a search looks at before a graph of them is made.
  size_t graph_rows = 20'000;
  // For all graphs together.
  size_t graph_bytes = size_t{1} << 30;
  // How often a graph follows what is written, searched or not.
  int64_t graph_follow_ms = 200;
  // Told of changes of users, groups, roles and policies, and outlives the database; null: nobody is.
  AccountFollower* follower = nullptr;
  // What an item collection of a table with a local index may hold.
  int64_t max_collection_bytes = model::kMaxCollectionBytes;
};

class Database {
 public:
  // `engine`, `clock` and `random` outlive the database. Blocks until the catalogue is read. Takes up again what an
  // earlier run left unfinished.
  static Result<std::unique_ptr<Database>> open(storage::Engine& engine, const Clock& clock, Random& random,
                                                Options options = {});
  // Interrupts the jobs; the next one to look for them goes on with them.
  ~Database() = default;

  // The table, when items may be read and written. Faults: kResourceNotFound, kTableOfNewerVersion; or an error that
  // binds_again() knows.
  Result<Table> ready_table(std::string_view name) const;

  // True for: a table that is not known here yet, or is not any more what the request took it for.
  static bool binds_again(const Error& error);
  // Waits until binding again makes sense: for the newest descriptions. Fault: kResourceNotFound, when that is the
  // answer. Precondition: binds_again(error).
  Task<Result<void>> before_binding_again(const Error& error);
  // The error for a write whose tables are not what they were.
  static Error bind_again(std::span<const Table> tables);

  // The table of that name once it is not being updated, or null when there is none. Waits for that while it takes a
  // moment; what takes longer is returned as it is. So a client that polls for a table to be ready, as SDKs' waiters do
  // every twenty seconds, is answered by the first poll. Its tallies are as the store has them.
  Task<Result<Table>> settled_table(std::string name);
  // The same without a look at the tallies: for whoever is about to change the table.
  Task<Result<Table>> idle_table(std::string name);
  // The same, as the store has it: what is known here may be older than what another server was asked for.
  Task<Result<Table>> newest_table(std::string name);

  // Makes the table's tallies what the store says, or leaves them when they are of this second. Of an index that is
  // being filled, they say how far that is.
  Task<Result<void>> hear_counts(Table table, bool newest);

  Catalog& catalog() { return catalog_; }
  const Catalog& catalog() const { return catalog_; }
  storage::Engine& engine() { return engine_; }
  const Clock& clock() const { return clock_; }
  Random& random() { return random_; }
  Upkeep& upkeep() { return *upkeep_; }
  TokensUnderWay& tokens() { return tokens_; }
  const Options& options() const { return options_; }
  // How old the newest record was of each reply to who reads a stream, in milliseconds.
  StreamAges& stream_ages() { return stream_ages_; }
  // Of the catalogue, of streams and of the background work, for an operator. Callable from any thread.
  void report(Exposition& out) const;
  // Whether the catalogue was looked at longer ago than a request may rely on.
  bool is_late() const;
  // Where searches reckon.
  Workers& searchers() { return searchers_; }
  VectorGraphs& graphs() { return graphs_; }

 private:
  Database(storage::Engine& engine, const Clock& clock, Random& random, Options options)
      : engine_(engine),
        clock_(clock),
        random_(random),
        options_(options),
        catalog_(engine, clock, random.next(), options.follower) {}

  static constexpr size_t kSearchers = 2;

  int64_t patience_ms() const;
  Task<Result<void>> hear_progress(Table table);

  storage::Engine& engine_;
  const Clock& clock_;
  Random& random_;
  Options options_;
  Catalog catalog_;
  TokensUnderWay tokens_;
  StreamAges stream_ages_;
  std::unique_ptr<Upkeep> upkeep_;
  VectorGraphs graphs_{engine_, clock_, options_.graph_bytes, options_.graph_follow_ms};
  Workers searchers_{kSearchers};
};

}  // namespace partita::table
