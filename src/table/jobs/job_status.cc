#include "table/jobs/job_status.h"

#include <algorithm>
#include <utility>

namespace partita::table {

namespace {

constexpr double kSecondsPerNs = 1e-9;

}  // namespace

JobStatus::Seen JobStatus::seen_again(const Seen& before, Seen now, int64_t now_ns) {
  constexpr int64_t kMeasuredNs = 2'000'000'000;
  if (before.version == now.version) now.since_ns = before.since_ns;
  now.mark_ns = before.mark_ns;
  now.mark_done = before.mark_done;
  now.rows_per_second = before.rows_per_second;
  const int64_t measured_ns = now_ns - before.mark_ns;
  if (measured_ns < kMeasuredNs && (before.rows_per_second || measured_ns == 0)) return now;
  const uint64_t done = now.job.done - std::min(now.job.done, before.mark_done);
  now.rows_per_second = static_cast<double>(done) / (static_cast<double>(measured_ns) * kSecondsPerNs);
  now.mark_ns = now_ns;
  now.mark_done = now.job.done;
  return now;
}

void JobStatus::saw_jobs(const storage::Page& rows, const std::set<std::string>& mine, int64_t now_ns) {
  std::map<std::string, Seen> jobs;
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string key(rows[i].key);
    auto job = job_from(key, rows[i].value);
    if (!job.ok()) continue;
    const auto before = jobs_.find(key);
    Seen now{std::move(job).value(), rows[i].version, now_ns, mine.contains(key), now_ns, 0, std::nullopt};
    now.mark_done = now.job.done;
    if (before != jobs_.end()) now = seen_again(before->second, std::move(now), now_ns);
    jobs.emplace(std::move(key), std::move(now));
  }
  jobs_ = std::move(jobs);
}

void JobStatus::began(const std::string& key) {
  const MutexLock lock(mutex_);
  if (const auto found = jobs_.find(key); found != jobs_.end()) found->second.mine = true;
}

const JobRow& JobStatus::type_of(JobKind kind) const {
  const auto found = std::ranges::find(types_, kind, &JobRow::kind);
  PARTITA_CHECK(found != types_.end());
  return *found;
}

std::vector<std::string> JobStatus::lines() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [key, seen] : jobs_) {
    lines.push_back(type_of(seen.job.kind).type->describe(seen.job) + ": " + std::to_string(seen.job.done) +
                    (seen.job.done == 1 ? " row" : " rows"));
  }
  return lines;
}

std::vector<JobProgress> JobStatus::progress(int64_t now_ns) const {
  const MutexLock lock(mutex_);
  std::vector<JobProgress> all;
  for (const auto& [key, seen] : jobs_) {
    const JobRow& row = type_of(seen.job.kind);
    all.push_back({seen.job, row.name, row.type->describe(seen.job), std::nullopt, seen.rows_per_second, seen.mine,
                   now_ns - seen.since_ns});
  }
  return all;
}

void JobStatus::report(Exposition& out, int64_t now_ns) const {
  for (const JobRow& row : types_) row.type->report(out, now_ns);
  const MutexLock lock(mutex_);
  for (const JobRow& row : types_) {
    if (!row.is_stored()) continue;
    const auto count = std::ranges::count_if(jobs_, [&](const auto& one) { return one.second.job.kind == row.kind; });
    out.gauge("partita_jobs", "Background jobs in the store, of all servers.", static_cast<double>(count),
              {{"kind", row.name}});
  }
  // A table may have several of one kind, for several indexes.
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<Name, uint64_t> rows;
  std::map<std::pair<Name, bool>, int64_t> untouched_ns;
  for (const auto& [key, seen] : jobs_) {
    const Name name(type_of(seen.job.kind).name, seen.job.table);
    rows[name] += seen.job.done;
    int64_t& longest_ns = untouched_ns[{name, seen.mine}];
    longest_ns = std::max(longest_ns, now_ns - seen.since_ns);
  }
  for (const auto& [name, done] : rows) {
    out.gauge("partita_job_rows", "Rows processed by jobs.", static_cast<double>(done),
              {{"kind", name.first}, {"table", name.second}});
  }
  for (const auto& [job, longest_ns] : untouched_ns) {
    const auto& [name, mine] = job;
    out.gauge("partita_job_untouched_seconds", "Time since the job last stored progress.",
              static_cast<double>(longest_ns) * kSecondsPerNs,
              {{"kind", name.first}, {"table", name.second}, {"here", mine ? "yes" : "no"}});
  }
}

}  // namespace partita::table
