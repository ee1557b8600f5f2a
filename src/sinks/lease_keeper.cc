#include "sinks/lease_keeper.h"

#include <algorithm>
#include <utility>

namespace partita::sinks {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Record;

constexpr int64_t kRenewals = 3;  // in the time of a lease
constexpr int64_t kLeastPauseMs = 10;

// True unless another server has the job.
Task<Result<bool>> renew(table::TableContext& context, table::Job job) {
  std::vector<storage::Key> keys{table::job_key(job)};
  const storage::Key key = keys[0];
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    if (!table::is_claimed(key, found[0], job.claim)) return Decision::kRefuse;
    changes.put(key, table::job_row(job));
    return Decision::kCommit;
  };
  std::vector<storage::Compare> none;
  PARTITA_CO_TRY(const storage::Outcome outcome,
                 co_await context.engine().transact(std::move(keys), std::move(none), decide));
  co_return outcome == storage::Outcome::kCommitted;
}

}  // namespace

LeaseKeeper::LeaseKeeper(table::TableContext& context, const table::Job& job) : context_(context) {
  state_->job = job;
  if (context.options().exclusive) return;
  context.background().begin([&context, state = state_] { return keep(context, state); });
}

Task<void> LeaseKeeper::keep(table::TableContext& context, std::shared_ptr<State> state) {
  const int64_t pause_ms = std::max(context.options().lease_ms / kRenewals, kLeastPauseMs);
  while (true) {
    co_await context.background().sleep(pause_ms);
    if (state->ended || context.background().stopping()) co_return;
    if (state->held) continue;
    state->storing = true;
    const auto renewed = co_await renew(context, state->job);
    state->storing = false;
    if (renewed.ok() && !*renewed) {
      state->lost = true;
      co_return;
    }
  }
}

Task<Result<table::JobRun::Stored>> LeaseKeeper::store(table::JobRun& run, table::StepWrites extra) {
  constexpr int64_t kPollMs = 1;
  state_->held = true;
  while (state_->storing) co_await context_.background().sleep(kPollMs);
  const bool ends = extra.ends;
  auto stored = co_await run.store(run.job, std::move(extra));
  state_->job = run.job;
  state_->held = false;
  if (ends || !stored.ok()) state_->ended = true;
  co_return stored;
}

}  // namespace partita::sinks
