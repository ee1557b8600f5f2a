#include "storage/ranges.h"
#include "table/catalog/tokens.h"
#include "table/jobs/job_type.h"
#include "table/jobs/store_job.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kTokensAtOnce = 200;

// A damaged token stays, so that a request that uses it gets an error.
bool is_over(std::string_view token_row, int64_t now_ms) {
  const auto used = used_token(token_row);
  return used.ok() && used->is_over(now_ms);
}

Task<Result<StepEnd>> sweep_next(JobRun& run) {
  Job& job = run.job;
  const int64_t now_ms = run.clock().now_ms();
  storage::Range range = system_rows(SystemRow::kToken);
  if (!job.cursor.empty()) range = storage::behind(job.cursor, std::move(range));
  auto scanned = co_await run.engine().scan(range, storage::Direction::kAscending, kTokensAtOnce, JobRun::kPageBytes);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  if (page.empty()) co_return co_await run.finish();
  StepWrites sweep;
  for (size_t i = 0; i < page.size(); ++i) {
    if (!is_over(page[i].value, now_ms)) continue;
    sweep.keys.push_back(token_key({}));
    sweep.keys.back().bytes = page[i].key;
  }
  // A token may have been used anew since it was scanned.
  const std::vector<Key> keys = sweep.keys;
  sweep.decide = [&](std::span<const Record* const> found, Changes& changes) {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (found[i] != nullptr && is_over(found[i]->value, now_ms)) changes.erase(keys[i]);
    }
    return Decision::kCommit;
  };
  job.cursor = page[page.size() - 1].key;
  job.done += keys.size();
  PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(job, std::move(sweep)));
  if (stepped == JobRun::Stored::kLost) co_return StepEnd::kLost;
  co_return StepEnd::kMore;
}

class SweepTokens final : public JobType {
 public:
  std::string describe(const Job& /*job*/) const override { return "sweeping old tokens"; }
  Task<Result<StepEnd>> step(JobRun& run) override { return sweep_next(run); }
  // Every minute, if the store has any.
  Task<Result<void>> find(JobSearch& search) override {
    co_return co_await want_if_any(search, JobKind::kSweepTokens, SystemRow::kToken);
  }
  int64_t find_every_ms() const override { return kMinuteMs; }
  JobLog log_level() const override { return JobLog::kIfRowsDone; }
};

}  // namespace

std::unique_ptr<JobType> sweep_tokens() { return std::make_unique<SweepTokens>(); }

}  // namespace partita::table
