#include "table/jobs/upkeep_view.h"

#include <algorithm>
#include <array>
#include <utility>

namespace partita::table {

namespace {

constexpr std::array<std::pair<JobKind, std::string_view>, 9> kNames = {{
    {JobKind::kFillIndex, "fill_index"},
    {JobKind::kDropIndex, "drop_index"},
    {JobKind::kDropTable, "drop_table"},
    {JobKind::kCount, "count"},
    {JobKind::kSweepTokens, "sweep_tokens"},
    {JobKind::kTendStreams, "tend_streams"},
    {JobKind::kFillExpiry, "fill_expiry"},
    {JobKind::kDropExpiry, "drop_expiry"},
    {JobKind::kExpire, "expire"},
}};

std::string_view name_of(JobKind kind) {
  const auto* const found = std::ranges::find(kNames, kind, &std::pair<JobKind, std::string_view>::first);
  PARTITA_CHECK(found != kNames.end());
  return found->second;
}

double seconds(int64_t ms) { return static_cast<double>(ms) / 1'000; }

}  // namespace

void UpkeepView::saw_jobs(const storage::Page& rows, const std::set<std::string>& mine, int64_t now_ns) {
  std::map<std::string, Seen> jobs;
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string key(rows[i].key);
    auto job = job_from(key, rows[i].value);
    if (!job.ok()) continue;
    const auto before = jobs_.find(key);
    const bool same = before != jobs_.end() && before->second.version == rows[i].version;
    const int64_t since_ns = same ? before->second.since_ns : now_ns;
    const bool is_mine = mine.contains(key);
    jobs.emplace(std::move(key), Seen{std::move(job).value(), rows[i].version, since_ns, is_mine});
  }
  jobs_ = std::move(jobs);
}

void UpkeepView::began(const std::string& key) {
  const MutexLock lock(mutex_);
  if (const auto found = jobs_.find(key); found != jobs_.end()) found->second.mine = true;
}

void UpkeepView::saw_expiry(const std::string& table, int64_t late_ms) {
  const MutexLock lock(mutex_);
  expiry_late_ms_[table] = std::max<int64_t>(0, late_ms);
}

void UpkeepView::saw_expiring(const std::set<std::string>& tables) {
  const MutexLock lock(mutex_);
  std::erase_if(expiry_late_ms_, [&](const auto& one) { return !tables.contains(one.first); });
}

void UpkeepView::saw_old_record(int64_t late_ms) {
  const MutexLock lock(mutex_);
  next_trim_late_ms_ = std::max(next_trim_late_ms_, late_ms);
}

void UpkeepView::saw_streams(int64_t now_ns) {
  constexpr int64_t kKnownNs = 120'000'000'000;
  const MutexLock lock(mutex_);
  trim_late_ms_ = std::exchange(next_trim_late_ms_, 0);
  trim_known_until_ns_ = now_ns + kKnownNs;
}

void UpkeepView::report(Exposition& out, int64_t now_ns) const {
  const MutexLock lock(mutex_);
  for (const auto& [kind, name] : kNames) {
    const auto count = std::ranges::count_if(jobs_, [&](const auto& one) { return one.second.job.kind == kind; });
    out.gauge("partita_jobs", "Jobs that the store holds, by any server.", static_cast<double>(count),
              {{"kind", name}});
  }
  // A table may have several of one kind, for several indexes.
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<Name, uint64_t> rows;
  std::map<std::pair<Name, bool>, int64_t> untouched_ns;
  for (const auto& [key, seen] : jobs_) {
    const Name name(name_of(seen.job.kind), seen.job.table);
    rows[name] += seen.job.done;
    int64_t& longest_ns = untouched_ns[{name, seen.mine}];
    longest_ns = std::max(longest_ns, now_ns - seen.since_ns);
  }
  for (const auto& [name, done] : rows) {
    out.gauge("partita_job_rows", "Rows that jobs have done.", static_cast<double>(done),
              {{"kind", name.first}, {"table", name.second}});
  }
  for (const auto& [job, longest_ns] : untouched_ns) {
    constexpr double kSecondsPerNs = 1e-9;
    const auto& [name, mine] = job;
    out.gauge("partita_job_untouched_seconds", "For how long nobody stored progress of the job.",
              static_cast<double>(longest_ns) * kSecondsPerNs,
              {{"kind", name.first}, {"table", name.second}, {"here", mine ? "yes" : "no"}});
  }
  for (const auto& [table, late_ms] : expiry_late_ms_) {
    out.gauge("partita_ttl_late_seconds", "For how long the next item to be deleted has been expired.",
              seconds(late_ms), {{"table", table}});
  }
  if (now_ns >= trim_known_until_ns_) return;
  out.gauge("partita_stream_trim_late_seconds", "For how long a stream's record has been kept beyond its 24 hours.",
            seconds(trim_late_ms_));
}

}  // namespace partita::table
