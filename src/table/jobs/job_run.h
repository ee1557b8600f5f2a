// A job that this server runs, as one step of it sees it: its progress, and what stores it.
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

// kLost: another server has taken the job over. kStopped: the server is stopping.
enum class StepEnd : uint8_t { kMore, kDone, kLost, kStopped };

// What joins the transaction that stores a job's progress. `decide` sees the records of `keys`.
struct Beside {
  std::vector<storage::Key> keys;
  std::vector<storage::Compare> compare;
  storage::Decide decide;
  bool ends = false;  // the job's row is erased
};

// Of the background thread.
class JobRun {
 public:
  // kStale: what is compared differs, and nothing was stored.
  enum class Stored : uint8_t { kDone, kStale, kLost };

  // What a step reads at once.
  static constexpr size_t kPageRows = 1000;
  static constexpr size_t kPageBytes = 1 << 20;

  // The context outlives it.
  JobRun(TableContext& context, Job claimed) : job(std::move(claimed)), context_(context) {}

  // The job as it is stored, or ahead of that while a step has not stored it yet.
  Job job;

  storage::Engine& engine() { return context_.engine(); }
  Catalog& catalog() { return context_.catalog(); }
  const Clock& clock() const { return context_.clock(); }
  const Options& options() const { return context_.options(); }
  TableContext& context() { return context_; }

  // Stores `after`, unless another server has taken the job over.
  Task<Result<Stored>> store(const Job& after, Beside beside = {});
  // Erases the job's row. kDone or kLost.
  Task<Result<StepEnd>> finish();
  // Stores the job, with what `note` adds, in a change of the catalogue, or erases its row. The change is refused with
  // kConflict if the job is lost.
  Catalog::Rider rider(bool ends, std::function<void(Job& after, const TableInfo& table)> note = nullptr);

  bool stopping() const { return context_.background().stopping(); }
  // Waits on the server's clock. False: the server is stopping.
  Task<bool> wait(int64_t ms);
  // Sleeps `times` as long as the work since `began_ns` took, so that requests and other jobs run.
  Task<void> rest(int64_t began_ns, int64_t times);
  // Lets other jobs run.
  Background::Pass pass() { return context_.background().pass(); }

 private:
  TableContext& context_;
};

// Whether the record is the job's row and still has that claim.
bool is_claimed(const storage::Key& key, const storage::Record* found, uint64_t claim);

}  // namespace partita::table
