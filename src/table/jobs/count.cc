#include <algorithm>
#include <map>
#include <optional>

#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/jobs/job_type.h"
#include "table/rows/counts.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kNotesAtOnce = 1000;
constexpr size_t kCountRowsAtOnce = 4096;
constexpr size_t kSumAtOnce = 200;

int64_t size_of(const std::optional<uint64_t>& row) { return static_cast<int64_t>(row.value_or(0)); }

void add(Count& count, const std::optional<uint64_t>& before, const std::optional<uint64_t>& after) {
  count.items += int64_t{after.has_value()} - int64_t{before.has_value()};
  count.bytes += size_of(after) - size_of(before);
}

Error damaged_count(const TableInfo& table) {
  return Error(ErrorKind::kCorrupt, "a count row of table " + table.name + " is damaged");
}

void reset(Job& job) {
  job.counting = 0;
  job.run = job.ended_at = 0;
  job.cursor.clear();
  job.position = {};
  job.counted = {};
}

// Rows of an index behind `after`, up to `upto`, that changed since they were read, with their sizes now.
struct Zone {
  std::string after;
  std::string upto;
  std::map<std::string, std::optional<uint64_t>> rows;
};

// Reads on from the job's position to an entry that is newer than this call.
Task<Result<void>> follow_log(storage::Engine& engine, Job& job, Zone& zone) {
  const std::string topic = counting_topic(job.table_id, job.counting, job.run);
  auto last = co_await engine.log_end(topic);
  PARTITA_CO_TRY(const storage::Position end, std::move(last));
  while (job.position < end) {
    auto read = co_await engine.read_log(topic, job.position, kNotesAtOnce, JobRun::kPageBytes);
    PARTITA_CO_TRY(const std::vector<storage::LogEntry> entries, std::move(read));
    if (entries.empty()) break;
    for (const auto& [position, entry] : entries) {
      PARTITA_CO_TRY(const RowChange change, decode_row_change(entry));
      if (change.key <= zone.after) {
        add(job.counted, change.before, change.after);
      } else if (change.key <= zone.upto) {
        zone.rows[std::string(change.key)] = change.after;
      }
      job.position = position;
    }
  }
  co_return Result<void>();
}

// Adds the rows of descriptions older than `before` to the base row, without what they say of the index `except`.
// `left` becomes the number of the others.
Task<Result<JobRun::Stored>> sum_up(JobRun& run, Table table, uint64_t before, std::optional<uint16_t> except,
                                    size_t& left) {
  const Job& job = run.job;
  std::vector<Key> old;
  left = 0;
  storage::Range range = count_rows(table->id);
  for (bool more = true; more;) {
    auto scanned =
        co_await run.engine().scan(range, storage::Direction::kAscending, kCountRowsAtOnce, JobRun::kPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      const std::optional<uint64_t> revision = revision_of_count(page[i].key);
      if (!revision) continue;
      if (*revision >= before) {
        ++left;
        continue;
      }
      old.push_back(base_count_key(table->id));
      old.back().bytes = page[i].key;
    }
    more = storage::advance(range, page);
  }
  for (size_t begin = 0; begin < old.size(); begin += kSumAtOnce) {
    StepWrites sum;
    sum.keys = {base_count_key(table->id)};
    sum.keys.insert(sum.keys.end(), old.begin() + static_cast<ptrdiff_t>(begin),
                    old.begin() + static_cast<ptrdiff_t>(std::min(old.size(), begin + kSumAtOnce)));
    sum.compare = {{table_key(table->name), table->version}};
    const std::vector<Key> keys = sum.keys;
    bool damaged = false;
    sum.decide = [&](std::span<const Record* const> found, Changes& changes) {
      Counts base;
      for (size_t i = 0; i < keys.size(); ++i) {
        if (found[i] == nullptr) continue;
        auto counts = decode_counts(found[i]->value);
        damaged = !counts.ok();
        if (damaged) return Decision::kRefuse;
        if (except && i > 0) counts->erase(*except);
        base.add(*counts);
        if (i > 0) changes.erase(keys[i]);
      }
      std::string row;
      encode_counts(base, row);
      changes.put(keys[0], std::move(row));
      return Decision::kCommit;
    };
    PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(job, std::move(sum)));
    if (damaged) co_return damaged_count(*table);
    if (stepped != JobRun::Stored::kDone) co_return stepped;
  }
  co_return JobRun::Stored::kDone;
}

// A page of the index's rows, then the notes up to one that is newer than the page. Of a row that changed between, the
// last note says what it is; of the others the page does. From there on, notes of rows up to the cursor are
// differences.
Task<Result<JobRun::Stored>> count_page(JobRun& run, Table table) {
  Job& job = run.job;
  const storage::Range all = storage::range_of(model::index_prefix(table->id, job.counting));
  const storage::Range range = job.cursor.empty() ? all : storage::behind(job.cursor, all);
  auto scanned =
      co_await run.engine().scan(range, storage::Direction::kAscending, JobRun::kPageRows, JobRun::kPageBytes);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  Zone zone{.after = job.cursor, .upto = page.more ? std::string(page[page.size() - 1].key) : all.end, .rows = {}};
  Job after = job;
  PARTITA_CO_TRY_VOID(co_await follow_log(run.engine(), after, zone));
  for (size_t i = 0; i < page.size(); ++i) {
    PARTITA_CO_TRY(const size_t bytes, model::encoded_item_size(page[i].value));
    if (!zone.rows.contains(std::string(page[i].key))) add(after.counted, std::nullopt, bytes);
  }
  for (const auto& [key, size] : zone.rows) add(after.counted, std::nullopt, size);
  after.cursor = zone.upto;
  after.done += page.size();
  StepWrites progress;
  PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(after, std::move(progress)));
  if (stepped != JobRun::Stored::kDone) co_return stepped;
  job = std::move(after);
  if (page.more) co_return JobRun::Stored::kDone;
  const Catalog::Change end = [job](TableInfo& info) -> Result<void> {
    if (info.id == job.table_id) std::erase(info.counting, Counting{job.counting, job.run});
    return {};
  };
  const Catalog::AttachedWrite here =
      run.attached_write(false, [](Job& noted, const TableInfo& info) { noted.ended_at = info.revision; });
  const auto ended = co_await run.catalog().change(job.table, end, &here);
  if (!ended.ok() && ended.error().kind() == ErrorKind::kConflict) co_return JobRun::Stored::kLost;
  if (!ended.ok() && ended.error().kind() != ErrorKind::kInvalid) co_return ended.error();
  if (ended.ok()) job.ended_at = (*ended)->revision;
  co_return JobRun::Stored::kDone;
}

// Writers use their slots again. What they added to them before, for this index, was noted in the topic as well.
Task<Result<JobRun::Stored>> end_count(JobRun& run, Table table) {
  Job& job = run.job;
  Job whole = job;
  Zone nothing{.after = job.cursor, .upto = {}, .rows = {}};
  PARTITA_CO_TRY_VOID(co_await follow_log(run.engine(), whole, nothing));
  size_t left = 0;
  PARTITA_CO_TRY(const JobRun::Stored summed, co_await sum_up(run, table, job.ended_at, job.counting, left));
  if (summed != JobRun::Stored::kDone) co_return summed;
  Job next = job;
  reset(next);
  StepWrites set;
  set.keys = {base_count_key(table->id)};
  set.compare = {{table_key(table->name), table->version}};
  bool damaged = false;
  set.decide = [&](std::span<const Record* const> found, Changes& changes) {
    auto counts = found[0] == nullptr ? Result<Counts>(Counts()) : decode_counts(found[0]->value);
    damaged = !counts.ok();
    if (damaged) return Decision::kRefuse;
    counts->set(whole.counting, whole.counted);
    std::string row;
    encode_counts(*counts, row);
    changes.put(base_count_key(table->id), std::move(row));
    return Decision::kCommit;
  };
  PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(next, std::move(set)));
  if (damaged) co_return damaged_count(*table);
  if (stepped != JobRun::Stored::kDone) co_return stepped;
  auto forgotten = co_await run.engine().forget_log(counting_topic(job.table_id, job.counting, job.run));
  job = std::move(next);
  if (!forgotten.ok()) co_return std::move(forgotten).error();
  co_return JobRun::Stored::kDone;
}

// Tables of a store that was made before counts were kept in it: they have no base row.
Task<Result<void>> adopt_tables(TableContext& context) {
  const std::vector<Table> tables = context.catalog().all();
  std::vector<Key> keys;
  for (const Table& table : tables) keys.push_back(base_count_key(table->id));
  auto read = co_await context.engine().read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  for (size_t i = 0; i < tables.size(); ++i) {
    if (records[i]) continue;
    Catalog::AttachedWrite base;
    base.key = keys[i];
    base.apply = [key = keys[i]](const Record* found, const TableInfo&, Changes& changes) {
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
    const auto begun = co_await context.catalog().change(tables[i]->name, begin, &base);
    if (begun.ok()) continue;
    const ErrorKind kind = begun.error().kind();  // gone, of a newer version, or another server was faster
    if (kind != ErrorKind::kInvalid && kind != ErrorKind::kConflict) co_return begun.error();
  }
  co_return Result<void>();
}

Task<Result<StepEnd>> count_next(JobRun& run) {
  Job& job = run.job;
  PARTITA_CO_TRY(const Table table, co_await run.catalog().look_up(job.table));
  if (table == nullptr || table->id != job.table_id || table->status == Status::kDeleting) {
    co_return co_await run.finish();
  }
  const bool counted_no_more = job.ended_at == 0 && table->counting_run(job.counting) != job.run;
  if (job.run != 0 && counted_no_more) {  // the index was dropped
    auto forgotten = co_await run.engine().forget_log(counting_topic(job.table_id, job.counting, job.run));
    if (!forgotten.ok()) co_return std::move(forgotten).error();
    reset(job);
  }
  JobRun::Stored stepped = JobRun::Stored::kDone;
  if (job.run == 0 && table->counting.empty()) {
    size_t left = 0;
    PARTITA_CO_TRY(stepped, co_await sum_up(run, table, table->revision, std::nullopt, left));
    if (stepped == JobRun::Stored::kDone && left > kManyCountRows) {
      const Catalog::Change nothing = [](TableInfo&) { return Result<void>(); };
      auto newer = co_await run.catalog().change(job.table, nothing);
      if (!newer.ok()) co_return std::move(newer).error();
      co_return StepEnd::kMore;
    }
    if (stepped == JobRun::Stored::kDone) {
      StepWrites last;
      last.compare = {{table_key(table->name), table->version}};
      last.ends = true;
      PARTITA_CO_TRY(stepped, co_await run.store(job, std::move(last)));
      if (stepped == JobRun::Stored::kDone) co_return StepEnd::kDone;
    }
  } else if (job.ended_at != 0) {
    PARTITA_CO_TRY(stepped, co_await end_count(run, table));
  } else {
    if (job.run == 0) {
      job.counting = table->counting.front().index;
      job.run = table->counting.front().run;
    }
    PARTITA_CO_TRY(stepped, co_await count_page(run, table));
  }
  if (stepped == JobRun::Stored::kLost) co_return StepEnd::kLost;
  co_return StepEnd::kMore;
}

class CountRows final : public JobType {
 public:
  std::string describe(const Job& job) const override { return "counting table " + job.table; }
  Task<Result<StepEnd>> step(JobRun& run) override { return count_next(run); }
  Task<Result<void>> find(JobSearch& search) override { return adopt_tables(search.context()); }
  int64_t find_every_ms() const override { return kOnlyAtStart; }
  JobLog log_level() const override { return JobLog::kIfRowsDone; }
};

}  // namespace

std::unique_ptr<JobType> count() { return std::make_unique<CountRows>(); }

}  // namespace partita::table
