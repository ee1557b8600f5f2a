#include "table/database.h"

#include <algorithm>

#include "model/fault.h"
#include "table/upkeep.h"

namespace partita::table {

Result<std::unique_ptr<Database>> Database::open(storage::Engine& engine, const Clock& clock, Random& random,
                                                 Options options) {
  std::unique_ptr<Database> database(new Database(engine, clock, random, options));
  PARTITA_TRY_VOID(wait_for(database->catalog_.load()));
  database->background_ = std::make_unique<Background>();
  resume_unfinished(*database);
  return database;
}

Database::~Database() {
  if (background_ == nullptr) return;
  background_.reset();
  // Counters that can not be stored are counted again at the next start.
  const auto stored = wait_for(catalog_.store_tallies());
  static_cast<void>(stored.ok());
}

Task<Table> Database::settled_table(std::string name) {
  constexpr int64_t kPollMs = 2;
  const int64_t patience_ms = 4 * std::max({options_.creating_ms, options_.updating_ms, options_.deleting_ms});
  for (int64_t waited_ms = 0; waited_ms < patience_ms; waited_ms += kPollMs) {
    const Table table = catalog_.find(name);
    if (table == nullptr || table->status_at(clock_.now_ms()) == Status::kActive) co_return table;
    co_await timer_.sleep(kPollMs);
  }
  co_return catalog_.find(name);
}

Result<Table> Database::ready_table(std::string_view name) const {
  Table table = catalog_.find(name);
  if (table == nullptr) return model::refuse(model::Fault::kResourceNotFound);
  const Status status = table->status_at(clock_.now_ms());
  if (status == Status::kCreating || status == Status::kDeleting) {
    return model::refuse(model::Fault::kResourceNotFound);
  }
  return table;
}

}  // namespace partita::table
