#include "table/jobs/upkeep.h"

#include <algorithm>
#include <optional>

#include "table/catalog/tokens.h"
#include "table/rows/system_rows.h"
#include "table/vectors/vector_log.h"

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
constexpr int64_t kSweepEveryMs = 60'000;
constexpr int64_t kNsPerMs = 1'000'000;

// Whether the job's row is there and still says that claim.
bool is_claimed(const Key& key, const Record* found, uint64_t claim) {
  if (found == nullptr) return false;
  const auto stored = job_from(key.bytes, found->value);
  return stored.ok() && stored->claim == claim;
}

void say_begun(const Job& job) {
  if (job.kind == JobKind::kFillIndex && job.done > 0) {
    log(LogLevel::kInfo, {describe(job), " goes on behind ", std::to_string(job.done), " items"});
  } else {
    log(LogLevel::kDebug, {describe(job), " begins"});
  }
}

// Sweeps and sums come round whether there is anything to do or not.
void say_done(const Job& job) {
  const bool regular =
      job.kind == JobKind::kSweepTokens || job.kind == JobKind::kTendStreams || job.kind == JobKind::kCount;
  log((regular && job.done == 0) || job.kind == JobKind::kExpire ? LogLevel::kDebug : LogLevel::kInfo,
      {describe(job), ": done, ", std::to_string(job.done), " rows"});
}

}  // namespace

Upkeep::Upkeep(TableContext& context)
    : engine_(context.engine()),
      catalog_(context.catalog()),
      clock_(context.clock()),
      random_(context.random()),
      options_(context.options()),
      background_(context.background()),
      swept_ns_(clock_.monotonic_ns()) {}

Result<void> Upkeep::start() {
  PARTITA_TRY_VOID(background_.start());
  background_.begin([this] { return tend(); });
  return {};
}

void Upkeep::poke() {
  background_.begin([this] { return look(); });
}

Task<bool> Upkeep::wait(int64_t ms) {
  constexpr int64_t kLookMs = 20;  // the injected clock may be moved
  const int64_t due_ns = clock_.monotonic_ns() + ms * kNsPerMs;
  while (!background_.stopping()) {
    const int64_t left_ns = due_ns - clock_.monotonic_ns();
    if (left_ns <= 0) break;
    co_await background_.sleep(std::min(kLookMs, (left_ns + kNsPerMs - 1) / kNsPerMs));
  }
  co_return !background_.stopping();
}

Task<void> Upkeep::rest(int64_t began_ns, int64_t times) {
  constexpr int64_t kLongestNs = 1'000 * kNsPerMs;  // what was waited for may have been the disk
  const int64_t took_ns = clock_.monotonic_ns() - began_ns;
  if (took_ns <= 0) {
    co_await background_.pass();
  } else {
    co_await background_.sleep(std::chrono::nanoseconds(std::min(times * took_ns, kLongestNs)));
  }
}

Task<void> Upkeep::tend() {
  while (!background_.stopping()) {
    const int64_t since_ms = (clock_.monotonic_ns() - swept_ns_) / kNsPerMs;
    if (since_ms >= kSweepEveryMs) {
      sweep_wanted_ = true;
      const auto trimmed = co_await trim_vector_logs();
      if (!trimmed.ok()) complain("trimming the logs of vector indexes", trimmed.error());
    }
    co_await look();
    co_await background_.sleep(options_.look_ms);
  }
}

Task<void> Upkeep::look() {
  if (background_.stopping()) co_return;
  Result<void> looked = co_await catalog_.look_again();
  if (looked.ok() && !adopted_) looked = co_await adopt();
  if (looked.ok() && sweep_wanted_) looked = co_await want_sweep();
  if (looked.ok()) looked = co_await want_expiry();
  if (looked.ok()) looked = co_await look_for_jobs();
  if (!looked.ok()) complain("looking for work", looked.error());
}

// A store that is down is down for every job, again and again.
void Upkeep::complain(std::string_view what, const Error& error) {
  uint64_t unsaid = 0;
  if (complaints_.pass(unsaid))
    log(LogLevel::kWarn,
        {"Work in the background, ", what, ", is interrupted, and tried again by itself: ", error.sentence()});
}

// Nobody can do it, and the others are done all the same.
void Upkeep::complain_of_row(std::string_view key) {
  uint64_t unsaid = 0;
  if (damages_.pass(unsaid)) log(LogLevel::kError, {describe_row(key), " is damaged, so nobody does that job"});
}

Task<Result<void>> Upkeep::look_for_jobs() {
  auto scanned =
      co_await engine_.scan(system_rows(SystemRow::kJob), storage::Direction::kAscending, kJobsAtOnce, kJobBytesAtOnce);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  view_.saw_jobs(page, mine_, clock_.monotonic_ns());
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
    const Table table = catalog_.find(job.table);
    if (table != nullptr && !Catalog::check_features(*table).ok()) continue;
    const storage::Version version = page[i].version;
    if (!is_free(key, job, version)) continue;
    mine_.insert(key);
    view_.began(key);
    background_.begin([this, job, version] { return work(job, version); });
  }
  std::erase_if(seen_, [&](const auto& one) { return !there.contains(one.first); });
  co_return Result<void>();
}

// Nobody's, or of a server that has not touched it for the length of a lease.
bool Upkeep::is_free(const std::string& key, const Job& job, storage::Version version) {
  if (job.claim == 0) return true;
  const int64_t now_ns = clock_.monotonic_ns();
  const auto [sight, first] = seen_.try_emplace(key, Sight{version, now_ns});
  if (!first && sight->second.version != version) sight->second = {version, now_ns};
  return now_ns - sight->second.since_ns >= options_.lease_ms * kNsPerMs;
}

Task<Result<bool>> Upkeep::claim(Job& job, storage::Version seen) {
  job.claim = random_.next() | 1;
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

// What the store says of the job. False: it is not ours any more.
Task<Result<bool>> Upkeep::reload(Job& job) {
  const std::vector<Key> keys{job_key(job)};
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return false;
  auto stored = job_from(keys[0].bytes, records[0]->value);
  if (!stored.ok() || stored->claim != job.claim) co_return false;
  job = std::move(stored).value();
  co_return true;
}

Task<void> Upkeep::let_go(Job job) {
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

Task<void> Upkeep::work(Job job, storage::Version seen) {
  const std::string key = job_key(job).bytes;
  auto claimed = co_await claim(job, seen);
  if (!claimed.ok() || !*claimed) {
    mine_.erase(key);
    co_return;
  }
  say_begun(job);
  bool ours = true;
  while (ours) {
    const Result<End> end = co_await carry_on(job);
    if (end.ok()) {
      if (*end == End::kStopped) co_await let_go(job);
      if (*end == End::kDone) say_done(job);
      break;
    }
    complain(describe(job), end.error());
    // `job` may be ahead of its row, so it does not go on before the row can be read.
    std::optional<bool> reloaded;
    while (!reloaded && !background_.stopping()) {
      co_await background_.sleep(kRetryMs);
      if (auto read = co_await reload(job); read.ok()) reloaded = *read;
    }
    ours = reloaded.value_or(false);
    if (!reloaded || (ours && background_.stopping())) {
      co_await let_go(job);
      break;
    }
  }
  mine_.erase(key);
}

Task<Result<Upkeep::End>> Upkeep::carry_on(Job& job) {
  switch (job.kind) {
    case JobKind::kFillIndex:
      return fill_index(job);
    case JobKind::kDropIndex:
      return drop_index(job);
    case JobKind::kDropTable:
      return drop_table(job);
    case JobKind::kSweepTokens:
      return sweep_tokens(job);
    case JobKind::kTendStreams:
      return tend_streams(job);
    case JobKind::kCount:
      return count(job);
    case JobKind::kFillExpiry:
      return fill_expiry(job);
    case JobKind::kDropExpiry:
      return drop_expiry(job);
    case JobKind::kExpire:
      return expire(job);
  }
  PARTITA_CHECK(false);
}

Task<Result<Upkeep::Stepped>> Upkeep::step(const Job& job, Step step) {
  const Key key = job_key(job);
  std::vector<Key> keys{key};
  std::ranges::move(step.keys, std::back_inserter(keys));
  bool lost = false;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    lost = !is_claimed(key, found[0], job.claim);
    if (lost) return Decision::kRefuse;
    if (step.ride && step.ride(found.subspan(1), changes) == Decision::kRefuse) return Decision::kRefuse;
    if (step.ends) {
      changes.erase(key);
    } else {
      changes.put(key, job_row(job));
    }
    return Decision::kCommit;
  };
  auto outcome = co_await engine_.transact(std::move(keys), std::move(step.compare), decide);
  PARTITA_CO_TRY(const Outcome stepped, std::move(outcome));
  if (lost && stepped == Outcome::kRefused) co_return Stepped::kLost;
  co_return stepped == Outcome::kCommitted ? Stepped::kDone : Stepped::kStale;
}

Task<Result<Upkeep::End>> Upkeep::finish(const Job& job) {
  Step last;
  last.ends = true;
  PARTITA_CO_TRY(const Stepped stepped, co_await step(job, std::move(last)));
  co_return stepped == Stepped::kDone ? End::kDone : End::kLost;
}

Catalog::Rider Upkeep::rider(const Job& job, bool ends) {
  Catalog::Rider rider;
  rider.key = job_key(job);
  rider.ride = [job, ends](const Record* found, const TableInfo& table, Changes& changes) {
    const Key key = job_key(job);
    if (!is_claimed(key, found, job.claim)) return false;
    if (ends) {
      changes.erase(key);
      return true;
    }
    Job after = job;
    if (after.kind == JobKind::kCount) after.ended_at = table.revision;
    changes.put(key, job_row(after));
    return true;
  };
  return rider;
}

// Any number of servers may do it at once.
Task<Result<void>> Upkeep::trim_vector_logs() {
  for (const Table& table : catalog_.all()) {
    for (const IndexInfo& index : table->indexes) {
      const bool kept = index.vector && index.status != Status::kDeleting && table->status != Status::kDeleting;
      if (kept) PARTITA_CO_TRY_VOID(co_await trim_vector_log(engine_, table->id, index.id));
    }
  }
  co_return Result<void>();
}

// Tables of a store that was made before counts were kept in it: they have no base row.
Task<Result<void>> Upkeep::adopt() {
  const std::vector<Table> tables = catalog_.all();
  std::vector<Key> keys;
  for (const Table& table : tables) keys.push_back(base_count_key(table->id));
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  for (size_t i = 0; i < tables.size(); ++i) {
    if (records[i]) continue;
    Catalog::Rider base;
    base.key = keys[i];
    base.ride = [key = keys[i]](const Record* found, const TableInfo&, Changes& changes) {
      std::string none;
      encode_counts({}, none);
      if (found == nullptr) changes.put(key, std::move(none));
      return found == nullptr;
    };
    const Catalog::Change begin = [id = tables[i]->id](TableInfo& table) -> Result<void> {
      if (table.id != id) return Result<void>();
      Catalog::start_counting(table, model::kBaseIndex);
      for (const auto& index : table.indexes) Catalog::start_counting(table, index.id);
      return Result<void>();
    };
    const auto begun = co_await catalog_.change(tables[i]->name, begin, &base);
    if (begun.ok()) continue;
    const ErrorKind kind = begun.error().kind();  // gone, of a newer version, or another server was faster
    if (kind != ErrorKind::kInvalid && kind != ErrorKind::kConflict) co_return begun.error();
  }
  for (const Table& table : tables) PARTITA_CO_TRY_VOID(co_await adopt_stream(table));
  adopted_ = true;
  co_return Result<void>();
}

// An older version stored that a table has a stream, and made none.
Task<Result<void>> Upkeep::adopt_stream(Table table) {
  const auto is_missing = [](const StreamInfo& stream) { return stream.enabled && stream.shards.empty(); };
  if (!is_missing(table->stream)) co_return Result<void>();
  const Catalog::Change begin = [&](TableInfo& info) -> Result<void> {
    if (info.id == table->id && is_missing(info.stream)) begin_stream(info, info.stream.view_type, clock_.now_ms());
    return Result<void>();
  };
  const auto begun = co_await catalog_.change(table->name, begin);
  if (!begun.ok() && begun.error().kind() != ErrorKind::kInvalid) co_return begun.error();
  co_return Result<void>();
}

Task<Result<void>> Upkeep::want_sweep() {
  PARTITA_CO_TRY_VOID(co_await want(JobKind::kSweepTokens, SystemRow::kToken));
  PARTITA_CO_TRY_VOID(co_await want(JobKind::kTendStreams, SystemRow::kStream));
  sweep_wanted_ = false;
  swept_ns_ = clock_.monotonic_ns();
  co_return Result<void>();
}

// A job of the whole store, if there are rows for it and it is not there yet.
Task<Result<void>> Upkeep::want(JobKind kind, SystemRow rows) {
  auto scanned = co_await engine_.scan(system_rows(rows), storage::Direction::kAscending, 1, 1);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  if (page.empty()) co_return Result<void>();
  Job job;
  job.kind = kind;
  co_return co_await put_job(engine_, std::move(job), {});
}

Task<Result<std::vector<Job>>> Upkeep::jobs() {
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
