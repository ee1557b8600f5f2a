#include "table/jobs/job_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Outcome;
using storage::Record;

constexpr size_t kJobsAtOnce = 10'000;
constexpr size_t kJobBytesAtOnce = size_t{4} << 20;
constexpr int64_t kRetryMs = 200;

// The claims of all runners of this process, each while its job is at work. Claims are random, so they serve for all
// stores.
class LiveClaim {
 public:
  explicit LiveClaim(uint64_t claim) : claim_(claim) {
    const MutexLock lock(mutex_);
    all_.insert(claim_);
  }
  ~LiveClaim() {
    const MutexLock lock(mutex_);
    all_.erase(all_.find(claim_));
  }
  LiveClaim(const LiveClaim&) = delete;
  LiveClaim& operator=(const LiveClaim&) = delete;

  static bool exists(uint64_t claim) {
    const MutexLock lock(mutex_);
    return all_.contains(claim);
  }

 private:
  static inline Mutex mutex_;
  static inline std::multiset<uint64_t> all_ PARTITA_GUARDED_BY(mutex_);

  const uint64_t claim_;
};

void log_begin(const JobType& type, const Job& job) {
  if (type.log_level() == JobLog::kAll && job.done > 0) {
    log(LogLevel::kInfo, {type.describe(job), " goes on behind ", std::to_string(job.done), " items"});
  } else {
    log(LogLevel::kDebug, {type.describe(job), " begins"});
  }
}

void log_end(const JobType& type, const Job& job) {
  const JobLog level = type.log_level();
  const bool debug = level == JobLog::kDebug || (level == JobLog::kIfRowsDone && job.done == 0);
  log(debug ? LogLevel::kDebug : LogLevel::kInfo, {type.describe(job), ": done, ", std::to_string(job.done), " rows"});
}

}  // namespace

JobRunner::JobRunner(TableContext& context)
    : context_(context),
      engine_(context.engine()),
      clock_(context.clock()),
      background_(context.background()),
      types_(all_job_types(context.options())) {
  const int64_t now_ns = clock_.monotonic_ns();
  for (const JobRow& row : types_) {
    find_due_ns_[row.kind] = now_ns + (row.type->finds_at_start() ? 0 : row.type->find_every_ms() * kNsPerMs);
  }
}

JobRunner::~JobRunner() {
  for (const JobRow& row : types_) row.type->hurry();
  background_.stop();
}

Result<void> JobRunner::start() {
  PARTITA_TRY_VOID(background_.start());
  background_.begin([this] { return watch(); });
  return {};
}

void JobRunner::wake() {
  background_.begin([this] { return look(); });
}

Task<void> JobRunner::watch() {
  while (!background_.stopping()) {
    co_await look();
    co_await background_.sleep(context_.options().look_ms);
  }
}

Task<void> JobRunner::look() {
  if (background_.stopping()) co_return;
  Result<void> looked = co_await context_.catalog().look_again();
  if (looked.ok()) {
    co_await find_work();
    looked = co_await look_for_jobs();
  }
  if (!looked.ok()) complain("looking for work", looked.error());
}

// After an error, which may be about the rows of one kind only, that kind is asked again at the next look.
Task<void> JobRunner::find_work() {
  for (const JobRow& row : types_) {
    int64_t& due_ns = find_due_ns_.at(row.kind);
    if (clock_.monotonic_ns() < due_ns) continue;
    const Result<void> found = co_await row.type->find(*this);
    if (!found.ok()) {
      complain("looking for work of the kind " + std::string(row.name), found.error());
      continue;
    }
    const int64_t every_ms = row.type->find_every_ms();
    due_ns = every_ms == JobType::kOnlyAtStart ? INT64_MAX : clock_.monotonic_ns() + every_ms * kNsPerMs;
  }
}

// A store that is down is down for every job, again and again.
void JobRunner::complain(std::string_view what, const Error& error) {
  uint64_t unsaid = 0;
  if (complaints_.pass(unsaid))
    log(LogLevel::kWarn,
        {"Work in the background, ", what, ", is interrupted, and tried again by itself: ", error.sentence()});
}

// Nobody can do it, and the others are done all the same.
void JobRunner::complain_of_row(std::string_view key) {
  uint64_t unsaid = 0;
  if (damages_.pass(unsaid)) log(LogLevel::kError, {describe_row(key), " is damaged, so nobody does that job"});
}

Task<Result<void>> JobRunner::look_for_jobs() {
  auto scanned =
      co_await engine_.scan(system_rows(SystemRow::kJob), storage::Direction::kAscending, kJobsAtOnce, kJobBytesAtOnce);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  status_.saw_jobs(page, mine_, clock_.monotonic_ns());
  std::set<std::string> there;
  for (size_t i = 0; i < page.size(); ++i) {
    const std::string key(page[i].key);
    there.insert(key);
    if (mine_.contains(key)) continue;
    auto read = job_from(page[i].key, page[i].value);
    if (!read.ok() && read.error().kind() == ErrorKind::kInvalid) continue;  // a newer version's, for that to do
    if (!read.ok()) {
      complain_of_row(key);
      continue;
    }
    Job job = std::move(read).value();
    const Table table = context_.catalog().find(job.table);
    if (table != nullptr && !Catalog::check_features(*table).ok()) continue;
    const storage::Version version = page[i].version;
    if (!type_of(job.kind).runs_here() || !is_free(key, job, version)) continue;
    mine_.insert(key);
    status_.began(key);
    background_.begin([this, job, version] { return work(job, version); });
  }
  std::erase_if(seen_, [&](const auto& one) { return !there.contains(one.first); });
  co_return Result<void>();
}

// Unclaimed, or of a server that has not changed it for the length of a lease. If no other process uses the store, a
// claim is of this one, or of one that has ended.
bool JobRunner::is_free(const std::string& key, const Job& job, storage::Version version) {
  if (job.claim == 0) return true;
  if (context_.options().exclusive) return !LiveClaim::exists(job.claim);
  const int64_t now_ns = clock_.monotonic_ns();
  const auto [sight, first] = seen_.try_emplace(key, FirstSeen{version, now_ns});
  if (!first && sight->second.version != version) sight->second = {version, now_ns};
  return now_ns - sight->second.since_ns >= context_.options().lease_ms * kNsPerMs;
}

JobType& JobRunner::type_of(JobKind kind) {
  const auto found = std::ranges::find(types_, kind, &JobRow::kind);
  PARTITA_CHECK(found != types_.end());
  return *found->type;
}

// Of a job that has its claim already.
Task<Result<bool>> JobRunner::claim(const Job& job, storage::Version seen) {
  const Key key = job_key(job);
  const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
    changes.put(key, job_row(job));
    return Decision::kCommit;
  };
  std::vector<Key> none;
  std::vector<storage::Compare> compare{{key, seen}};
  auto outcome = co_await engine_.transact(std::move(none), std::move(compare), decide);
  PARTITA_CO_TRY(const Outcome claimed, std::move(outcome));
  co_return claimed == Outcome::kCommitted;
}

Task<Result<bool>> JobRunner::reload(Job& job) {
  const std::vector<Key> keys{job_key(job)};
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return false;
  auto stored = job_from(keys[0].bytes, records[0]->value);
  if (!stored.ok() || stored->claim != job.claim) co_return false;
  job = std::move(stored).value();
  co_return true;
}

Task<void> JobRunner::release(Job job) {
  auto reloaded = co_await reload(job);
  if (!reloaded.ok() || !*reloaded) co_return;
  const Key key = job_key(job);
  const uint64_t claim = std::exchange(job.claim, 0);
  std::vector<Key> keys{key};
  std::vector<storage::Compare> none;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    if (!is_claimed(key, found[0], claim)) return Decision::kRefuse;
    changes.put(key, job_row(job));
    return Decision::kCommit;
  };
  // If it cannot be stored, the lease runs out.
  const auto outcome = co_await engine_.transact(std::move(keys), std::move(none), decide);
  static_cast<void>(outcome.ok());
}

Task<void> JobRunner::work(Job claimed_job, storage::Version seen) {
  JobRun run(context_, std::move(claimed_job));
  const std::string key = job_key(run.job).bytes;
  run.job.claim = context_.random().next() | 1;
  const LiveClaim live(run.job.claim);
  auto claimed = co_await claim(run.job, seen);
  if (!claimed.ok() || !*claimed) {
    mine_.erase(key);
    co_return;
  }
  const JobType& type = type_of(run.job.kind);
  log_begin(type, run.job);
  bool ours = true;
  while (ours) {
    const Result<StepEnd> end = co_await take_steps(run);
    if (end.ok()) {
      if (*end == StepEnd::kStopped) co_await release(run.job);
      if (*end == StepEnd::kDone) log_end(type, run.job);
      break;
    }
    complain(type.describe(run.job), end.error());
    // The job may be ahead of its row, so it does not continue before the row can be read.
    std::optional<bool> reloaded;
    while (!reloaded && !background_.stopping()) {
      co_await background_.sleep(kRetryMs);
      if (auto read = co_await reload(run.job); read.ok()) reloaded = *read;
    }
    ours = reloaded.value_or(false);
    if (!reloaded || (ours && background_.stopping())) {
      co_await release(run.job);
      break;
    }
  }
  mine_.erase(key);
}

Task<Result<StepEnd>> JobRunner::take_steps(JobRun& run) {
  JobType& type = type_of(run.job.kind);
  int64_t told_ns = clock_.monotonic_ns();
  while (!background_.stopping()) {
    PARTITA_CO_TRY(const StepEnd end, co_await type.step(run));
    if (end != StepEnd::kMore) co_return end;
    PARTITA_CO_TRY_VOID(co_await tell_progress(run, told_ns));
    co_await background_.pass();
  }
  co_return StepEnd::kStopped;
}

Task<Result<void>> JobRunner::tell_progress(JobRun& run, int64_t& told_ns) {
  constexpr int64_t kEveryNs = 10'000 * kNsPerMs;
  const int64_t now_ns = clock_.monotonic_ns();
  if (now_ns - told_ns < kEveryNs) co_return Result<void>();
  told_ns = now_ns;
  const JobType& type = type_of(run.job.kind);
  PARTITA_CO_TRY(const std::optional<uint64_t> total, co_await type.total(context_, run.job));
  if (total) {
    log(LogLevel::kInfo,
        {type.describe(run.job), ": ", std::to_string(run.job.done), " of ", std::to_string(*total), " items so far"});
  }
  co_return Result<void>();
}

Task<Result<std::vector<JobProgress>>> JobRunner::progress() {
  std::vector<JobProgress> all = status_.progress(clock_.monotonic_ns());
  for (JobProgress& one : all) {
    PARTITA_CO_TRY(one.total, co_await type_of(one.job.kind).total(context_, one.job));
  }
  co_return all;
}

Task<Result<std::vector<Job>>> JobRunner::all() {
  auto scanned =
      co_await engine_.scan(system_rows(SystemRow::kJob), storage::Direction::kAscending, kJobsAtOnce, kJobBytesAtOnce);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  std::vector<Job> jobs;
  for (size_t i = 0; i < page.size(); ++i) {
    auto job = job_from(page[i].key, page[i].value);
    if (job.ok()) jobs.push_back(std::move(job).value());
  }
  co_return jobs;
}

}  // namespace partita::table
