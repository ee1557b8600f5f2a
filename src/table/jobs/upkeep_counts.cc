#include <algorithm>

#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/jobs/upkeep.h"
#include "table/rows/system_rows.h"

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

}  // namespace

Task<Result<Upkeep::End>> Upkeep::count(Job& job) {
  while (!background_.stopping()) {
    PARTITA_CO_TRY(const Table table, co_await catalog_.look_up(job.table));
    if (table == nullptr || table->id != job.table_id || table->status == Status::kDeleting) {
      co_return co_await finish(job);
    }
    const bool counted_no_more = job.ended_at == 0 && table->counting_run(job.counting) != job.run;
    if (job.run != 0 && counted_no_more) {  // the index was dropped
      auto forgotten = co_await engine_.forget_log(counting_topic(job.table_id, job.counting, job.run));
      if (!forgotten.ok()) co_return std::move(forgotten).error();
      reset(job);
    }
    Stepped stepped = Stepped::kDone;
    if (job.run == 0 && table->counting.empty()) {
      size_t left = 0;
      PARTITA_CO_TRY(stepped, co_await sum_up(job, table, table->revision, std::nullopt, left));
      if (stepped == Stepped::kDone && left > kManyCountRows) {
        const Catalog::Change nothing = [](TableInfo&) { return Result<void>(); };
        auto newer = co_await catalog_.change(job.table, nothing);
        if (!newer.ok()) co_return std::move(newer).error();
        continue;
      }
      if (stepped == Stepped::kDone) {
        Step last;
        last.compare = {{table_key(table->name), table->version}};
        last.ends = true;
        PARTITA_CO_TRY(stepped, co_await step(job, std::move(last)));
        if (stepped == Stepped::kDone) co_return End::kDone;
      }
    } else if (job.ended_at != 0) {
      PARTITA_CO_TRY(stepped, co_await end_count(job, table));
    } else {
      if (job.run == 0) {
        job.counting = table->counting.front().index;
        job.run = table->counting.front().run;
      }
      PARTITA_CO_TRY(stepped, co_await count_page(job, table));
    }
    if (stepped == Stepped::kLost) co_return End::kLost;
    co_await background_.pass();
  }
  co_return End::kStopped;
}

// A page of the index's rows, then the notes up to one that is newer than the page. Of a row that changed between, the
// last note says what it is; of the others the page does. From there on, notes of rows up to the cursor are
// differences.
Task<Result<Upkeep::Stepped>> Upkeep::count_page(Job& job, Table table) {
  const storage::Range all = storage::range_of(model::index_prefix(table->id, job.counting));
  const storage::Range range = job.cursor.empty() ? all : storage::behind(job.cursor, all);
  auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  Zone zone{.after = job.cursor, .upto = page.more ? std::string(page[page.size() - 1].key) : all.end, .rows = {}};
  Job after = job;
  PARTITA_CO_TRY_VOID(co_await follow_log(after, zone));
  for (size_t i = 0; i < page.size(); ++i) {
    PARTITA_CO_TRY(const size_t bytes, model::encoded_item_size(page[i].value));
    if (!zone.rows.contains(std::string(page[i].key))) add(after.counted, std::nullopt, bytes);
  }
  for (const auto& [key, size] : zone.rows) add(after.counted, std::nullopt, size);
  after.cursor = zone.upto;
  after.done += page.size();
  Step progress;
  PARTITA_CO_TRY(const Stepped stepped, co_await step(after, std::move(progress)));
  if (stepped != Stepped::kDone) co_return stepped;
  job = std::move(after);
  if (page.more) co_return Stepped::kDone;
  const Catalog::Change end = [job](TableInfo& info) -> Result<void> {
    if (info.id == job.table_id) std::erase(info.counting, Counting{job.counting, job.run});
    return {};
  };
  const Catalog::Rider here = rider(job, false);
  const auto ended = co_await catalog_.change(job.table, end, &here);
  if (!ended.ok() && ended.error().kind() == ErrorKind::kConflict) co_return Stepped::kLost;
  if (!ended.ok() && ended.error().kind() != ErrorKind::kInvalid) co_return ended.error();
  if (ended.ok()) job.ended_at = (*ended)->revision;
  co_return Stepped::kDone;
}

// Reads on from the job's position to an entry that is newer than this call.
Task<Result<void>> Upkeep::follow_log(Job& job, Zone& zone) {
  const std::string topic = counting_topic(job.table_id, job.counting, job.run);
  auto last = co_await engine_.log_end(topic);
  PARTITA_CO_TRY(const storage::Position end, std::move(last));
  while (job.position < end) {
    auto read = co_await engine_.read_log(topic, job.position, kNotesAtOnce, kPageBytes);
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

// Writers use their slots again. What they added to them before, for this index, was noted in the topic as well.
Task<Result<Upkeep::Stepped>> Upkeep::end_count(Job& job, Table table) {
  Job whole = job;
  Zone nothing{.after = job.cursor, .upto = {}, .rows = {}};
  PARTITA_CO_TRY_VOID(co_await follow_log(whole, nothing));
  size_t left = 0;
  PARTITA_CO_TRY(const Stepped summed, co_await sum_up(job, table, job.ended_at, job.counting, left));
  if (summed != Stepped::kDone) co_return summed;
  Job next = job;
  reset(next);
  Step set;
  set.keys = {base_count_key(table->id)};
  set.compare = {{table_key(table->name), table->version}};
  bool damaged = false;
  set.ride = [&](std::span<const Record* const> found, Changes& changes) {
    auto counts = found[0] == nullptr ? Result<Counts>(Counts()) : decode_counts(found[0]->value);
    damaged = !counts.ok();
    if (damaged) return Decision::kRefuse;
    counts->set(whole.counting, whole.counted);
    std::string row;
    encode_counts(*counts, row);
    changes.put(base_count_key(table->id), std::move(row));
    return Decision::kCommit;
  };
  PARTITA_CO_TRY(const Stepped stepped, co_await step(next, std::move(set)));
  if (damaged) co_return damaged_count(*table);
  if (stepped != Stepped::kDone) co_return stepped;
  auto forgotten = co_await engine_.forget_log(counting_topic(job.table_id, job.counting, job.run));
  job = std::move(next);
  if (!forgotten.ok()) co_return std::move(forgotten).error();
  co_return Stepped::kDone;
}

// Adds the rows of descriptions older than `before` to the base row, without what they say of the index `except`.
// `left` becomes the number of the others.
Task<Result<Upkeep::Stepped>> Upkeep::sum_up(Job& job, Table table, uint64_t before, std::optional<uint16_t> except,
                                             size_t& left) {
  std::vector<Key> old;
  left = 0;
  storage::Range range = count_rows(table->id);
  for (bool more = true; more;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kCountRowsAtOnce, kPageBytes);
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
    Step sum;
    sum.keys = {base_count_key(table->id)};
    sum.keys.insert(sum.keys.end(), old.begin() + static_cast<ptrdiff_t>(begin),
                    old.begin() + static_cast<ptrdiff_t>(std::min(old.size(), begin + kSumAtOnce)));
    sum.compare = {{table_key(table->name), table->version}};
    const std::vector<Key> keys = sum.keys;
    bool damaged = false;
    sum.ride = [&](std::span<const Record* const> found, Changes& changes) {
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
    PARTITA_CO_TRY(const Stepped stepped, co_await step(job, std::move(sum)));
    if (damaged) co_return damaged_count(*table);
    if (stepped != Stepped::kDone) co_return stepped;
  }
  co_return Stepped::kDone;
}

}  // namespace partita::table
