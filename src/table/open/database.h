// A database: everything that calls on tables and searches need, and the work in the background, over one store. It
// owns the catalogue, the jobs and the vector graphs; calls take the part that they need (catalog/table_context.h,
// vectors/vector_search.h).
//
// Any number of databases, in any processes, may share a store. Callable from any thread.
#pragma once

#include <memory>

#include "base/exposition.h"
#include "table/catalog/table_context.h"
#include "table/jobs/job_runner.h"
#include "table/vectors/vector_search.h"

namespace partita::table {

class Database final : public TableContext, public VectorSearchContext {
 public:
  // `engine`, `clock` and `random` outlive the database. Blocks until the catalogue is read, then resumes what an
  // earlier run left unfinished.
  static Result<std::unique_ptr<Database>> open(storage::Engine& engine, const Clock& clock, Random& random,
                                                DatabaseOptions options = {});
  // Interrupts the jobs; this or another server resumes them later.
  ~Database() = default;

  void wake_jobs() override;
  JobRunner& jobs() { return jobs_; }
  // Metrics of the catalogue, of streams and of the jobs.
  void report(Exposition& out) const;

 private:
  Database(storage::Engine& engine, const Clock& clock, Random& random, const DatabaseOptions& options);

  JobRunner jobs_;
};

}  // namespace partita::table
