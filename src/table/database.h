// A database: the catalogue, the store beneath it, and what a request needs beside them. The operations on it are free
// functions, one face for each kind: tables.h, write.h, read.h, query.h, transact.h.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/timer.h"
#include "model/limits.h"
#include "storage/engine.h"
#include "table/background.h"
#include "table/catalog.h"

namespace partita::table {

struct Options {
  // How long a table is seen CREATING, UPDATING or DELETING. DynamoDB takes seconds; these are long enough to be seen
  // by a client that looks at once, and short enough not to be waited for.
  int64_t creating_ms = 50;
  int64_t updating_ms = 50;
  int64_t deleting_ms = 50;
  // What an item collection of a table with a local index may hold.
  int64_t max_collection_bytes = model::kMaxCollectionBytes;
};

class Database {
 public:
  // `engine`, `clock` and `random` outlive the database. Blocks until the catalogue is read. Takes up again what an
  // earlier run left unfinished.
  static Result<std::unique_ptr<Database>> open(storage::Engine& engine, const Clock& clock, Random& random,
                                                Options options = {});
  // Blocks until the counters are stored.
  ~Database();

  // The table of that name once it is neither being created nor updated nor deleted, or null when there is none then.
  // Waits for that while it takes a moment; what takes longer is returned as it is. So whoever polls for a table to be
  // ready, as SDKs' waiters do every twenty seconds, is answered by the first poll.
  Task<Table> settled_table(std::string name);

  // The table, when items may be read and written. Fault: kResourceNotFound.
  Result<Table> ready_table(std::string_view name) const;

  Catalog& catalog() { return catalog_; }
  const Catalog& catalog() const { return catalog_; }
  storage::Engine& engine() { return engine_; }
  const Clock& clock() const { return clock_; }
  Random& random() { return random_; }
  Background& background() { return *background_; }
  const Options& options() const { return options_; }

 private:
  Database(storage::Engine& engine, const Clock& clock, Random& random, Options options)
      : engine_(engine), clock_(clock), random_(random), options_(options), catalog_(engine) {}

  storage::Engine& engine_;
  const Clock& clock_;
  Random& random_;
  Options options_;
  Catalog catalog_;
  Timer timer_;
  std::unique_ptr<Background> background_;
};

}  // namespace partita::table
