// A job that this server runs, as its steps see it: its progress, and the means to store it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/rows/job_row.h"

namespace partita::table {

// kMore: there is more to do. kDone: the job's row is erased. kLost: another server has taken the job over. kStopped:
// the server is stopping; the job is left to the next one.
enum class StepEnd : uint8_t { kMore, kDone, kLost, kStopped };

// Joins the transaction that stores a job's progress. `decide`, which may be null, sees the records of `keys`.
struct StepWrites {
  std::vector<storage::Key> keys;
  std::vector<storage::Compare> compare;
  storage::Decide decide;
  bool ends = false;  // erases the job's row instead of storing it
};

// Only for the background thread.
class JobRun {
 public:
  // kStale: a compared key differs or `decide` refused, and nothing was stored. kLost: nothing was stored either.
  enum class Stored : uint8_t { kDone, kStale, kLost };

  // The largest page that a step reads.
  static constexpr size_t kPageRows = 1000;
  static constexpr size_t kPageBytes = 1 << 20;

  // The context outlives it.
  JobRun(TableContext& context, Job claimed) : job(std::move(claimed)), context_(context) {}

  // The job as it is stored, or ahead of the store until the step has stored it.
  Job job;

  storage::Engine& engine() { return context_.engine(); }
  Catalog& catalog() { return context_.catalog(); }
  const Clock& clock() const { return context_.clock(); }
  const DatabaseOptions& options() const { return context_.options(); }
  TableContext& context() { return context_; }

  // Stores `after`, unless another server has taken the job over.
  Task<Result<Stored>> store(const Job& after, StepWrites extra = {});
  // Ends the job: erases its row. kDone or kLost.
  Task<Result<StepEnd>> finish();
  // For a step that changes a table's description (Catalog::change): stores the job after `note` has changed it, or
  // erases its row, in the same transaction. If the job is lost, the change ends with kConflict.
  Catalog::AttachedWrite attached_write(bool ends,
                                        std::function<void(Job& after, const TableInfo& table)> note = nullptr);

  bool stopping() const { return context_.background().stopping(); }
  // Waits on the server's clock. False: the server is stopping.
  Task<bool> wait(int64_t ms);
  // Sleeps `times` as long as the work since `began_ns` (of the monotonic clock) took, but at most a second, so that
  // requests and other jobs run.
  Task<void> rest(int64_t began_ns, int64_t times);
  // `co_await run.pass()` lets other jobs run.
  Background::Pass pass() { return context_.background().pass(); }

 private:
  TableContext& context_;
};

// Whether the record is the job's row and still has that claim.
bool is_claimed(const storage::Key& key, const storage::Record* found, uint64_t claim);

}  // namespace partita::table
