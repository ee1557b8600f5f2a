#include <algorithm>

#include "model/fault.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/catalog/tokens.h"
#include "table/control/policy.h"
#include "table/jobs/upkeep.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/item_rows.h"
#include "table/rows/system_rows.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kItemsAtOnce = 50;  // in one transaction
constexpr int64_t kRests = 3;        // a quarter of a core at most, where compaction of what is put comes on top
constexpr size_t kTokensAtOnce = 200;
// A vector index is seen backfilling, as its clients expect, even if they look only once the table is ACTIVE again.
constexpr int64_t kSeenFilling = 4;

Error gone(const Job& job) { return model::refuse(model::Fault::kTableNotFound, {job.table}); }

IndexInfo* index_of(TableInfo& table, const Job& job) {
  if (table.id != job.table_id) return nullptr;
  const auto found = std::ranges::find(table.indexes, job.index_id, &IndexInfo::id);
  return found == table.indexes.end() ? nullptr : &*found;
}

// The index that the job fills, or null when there is nothing more to fill.
const IndexInfo* index_to_fill(const Table& table, const Job& job) {
  if (table == nullptr || table->id != job.table_id || table->status == Status::kDeleting) return nullptr;
  const auto found = std::ranges::find(table->indexes, job.index_id, &IndexInfo::id);
  return found == table->indexes.end() || found->status != Status::kCreating ? nullptr : &*found;
}

// A damaged token stays, so that whoever uses it is told.
bool is_over(std::string_view token_row, int64_t now_ms) {
  const auto used = used_token(token_row);
  return used.ok() && used->is_over(now_ms);
}

}  // namespace

// Every write by a description with the index in it keeps its rows; a write by one without it never happens after the
// index is in the catalogue. So one pass over the items that are there is enough.
Task<Result<Upkeep::End>> Upkeep::fill_index(Job& job) {
  int64_t told_ns = clock_.monotonic_ns();
  while (!background_.stopping()) {
    PARTITA_CO_TRY(const Table table, co_await catalog_.look_up(job.table));
    const IndexInfo* index = index_to_fill(table, job);
    if (index == nullptr) co_return co_await finish(job);
    if (!index->backfilling) {
      const Catalog::Change begin = [job](TableInfo& info) -> Result<void> {
        IndexInfo* filled = index_of(info, job);
        if (filled == nullptr || filled->status != Status::kCreating) return gone(job);
        filled->backfilling = true;
        return {};
      };
      const bool seen = index->vector.has_value();
      const auto begun = co_await catalog_.change(job.table, begin);
      if (!begun.ok() && begun.error().kind() != ErrorKind::kInvalid) co_return begun.error();
      if (seen && !co_await wait(kSeenFilling * options_.updating_ms)) co_return End::kStopped;
      continue;
    }
    storage::Range range = storage::range_of(model::index_prefix(table->id, model::kBaseIndex));
    if (!job.cursor.empty()) range = storage::behind(job.cursor, std::move(range));
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    PARTITA_CO_TRY(const Stepped filled, co_await fill_page(job, table, index->id, page));
    if (filled == Stepped::kLost) co_return End::kLost;
    if (filled == Stepped::kDone && !page.more) co_return co_await end_fill(job);
    PARTITA_CO_TRY_VOID(co_await tell_progress(job, table, told_ns));
  }
  co_return End::kStopped;
}

Task<Result<void>> Upkeep::tell_progress(const Job& job, Table table, int64_t& told_ns) {
  constexpr int64_t kEveryNs = 10'000'000'000;
  const int64_t now_ns = clock_.monotonic_ns();
  if (now_ns - told_ns < kEveryNs) co_return Result<void>();
  told_ns = now_ns;
  PARTITA_CO_TRY(const StoredCounts counts, co_await read_counts(engine_, table->id));
  log(LogLevel::kInfo, {describe(job), ": ", std::to_string(job.done), " of ",
                        std::to_string(counts.total.of(model::kBaseIndex).items), " items so far"});
  co_return Result<void>();
}

Task<Result<Upkeep::Stepped>> Upkeep::fill_page(Job& job, Table table, uint16_t index_id, const storage::Page& page) {
  const IndexInfo& index = *std::ranges::find(table->indexes, index_id, &IndexInfo::id);
  const auto has_row = [&](const model::Item& item) { return index_key(*table, index, item).has_value(); };
  const auto put_row = [&](const model::Item& item, const Key&, Changes& changes) {
    const model::Item view = index_view(*table, index, item);
    changes.put(*index_key(*table, index, item), model::encode_item(view));
    return model::item_size(view);
  };
  co_return co_await fill_rows(job, table, page, has_row, put_row);
}

// Adds the rows of these items as the items are when the rows are written: an item that changed since it was scanned
// may still have no row, for a change that does not touch the row leaves it alone.
Task<Result<Upkeep::Stepped>> Upkeep::fill_rows(Job& job, Table table, const storage::Page& page, HasRow has_row,
                                                PutRow put_row) {
  for (size_t i = 0; i < page.size();) {
    const int64_t began_ns = clock_.monotonic_ns();
    Step batch;
    batch.compare = {{table_key(table->name), table->version}};
    Job after = job;
    for (; i < page.size() && batch.keys.size() < kItemsAtOnce; ++i) {
      const std::optional<model::Item> item = item_in(*table, page[i].value);
      if (item && has_row(*item)) batch.keys.push_back(item_key(*table, *item));
      after.cursor = page[i].key;
      ++after.done;
    }
    const std::vector<Key> keys = batch.keys;
    batch.ride = [&](std::span<const Record* const> found, Changes& changes) {
      after.counted = job.counted;
      for (size_t k = 0; k < keys.size(); ++k) {
        const auto item = found[k] == nullptr ? std::nullopt : item_in(*table, found[k]->value);
        if (!item || !has_row(*item)) continue;
        after.counted.bytes += static_cast<int64_t>(put_row(*item, keys[k], changes));
        ++after.counted.items;
      }
      return Decision::kCommit;
    };
    PARTITA_CO_TRY(const Stepped stepped, co_await step(after, std::move(batch)));
    if (stepped != Stepped::kDone) co_return stepped;
    job = std::move(after);
    co_await rest(began_ns, kRests);
  }
  co_return Stepped::kDone;
}

// What it put is not all that there is: others wrote meanwhile. It is what is shown until the rows are counted. A
// damaged row is left to who counts.
Task<Result<Upkeep::Stepped>> Upkeep::estimate_filled(const Job& job) {
  Step guess;
  guess.keys = {base_count_key(job.table_id)};
  guess.ride = [&](std::span<const Record* const> found, Changes& changes) {
    auto counts = found[0] == nullptr ? Result<Counts>(Counts()) : decode_counts(found[0]->value);
    if (!counts.ok()) return Decision::kCommit;
    counts->set(job.index_id, job.counted);
    std::string row;
    encode_counts(*counts, row);
    changes.put(base_count_key(job.table_id), std::move(row));
    return Decision::kCommit;
  };
  co_return co_await step(job, std::move(guess));
}

Task<Result<Upkeep::End>> Upkeep::end_fill(Job& job) {
  PARTITA_CO_TRY(const Stepped guessed, co_await estimate_filled(job));
  if (guessed == Stepped::kLost) co_return End::kLost;
  const Catalog::Change end = [job](TableInfo& info) -> Result<void> {
    IndexInfo* filled = index_of(info, job);
    if (filled == nullptr || filled->status != Status::kCreating) return gone(job);
    filled->status = Status::kActive;
    filled->backfilling = false;
    // Writers could not know which rows were there already.
    Catalog::start_counting(info, job.index_id);
    return {};
  };
  const Catalog::Rider last = rider(job, true);
  const auto ended = co_await catalog_.change(job.table, end, &last);
  if (!ended.ok() && ended.error().kind() == ErrorKind::kConflict) co_return End::kLost;
  if (!ended.ok() && ended.error().kind() == ErrorKind::kInvalid) co_return co_await finish(job);
  if (!ended.ok()) co_return ended.error();
  poke();
  co_return End::kDone;
}

Task<Result<Upkeep::End>> Upkeep::drop_index(Job& job) {
  if (!job.forgotten) {
    if (!co_await wait(options_.deleting_ms)) co_return End::kStopped;
    job.forgotten = true;
    const Catalog::Change forget = [job](TableInfo& info) -> Result<void> {
      const IndexInfo* dropped = index_of(info, job);
      if (dropped == nullptr || dropped->status != Status::kDeleting) return gone(job);
      std::erase_if(info.indexes, [&](const IndexInfo& index) { return index.id == job.index_id; });
      note_vectors(info);
      return {};
    };
    const Catalog::Rider here = rider(job, false);
    const auto forgotten = co_await catalog_.change(job.table, forget, &here);
    if (!forgotten.ok() && forgotten.error().kind() == ErrorKind::kConflict) co_return End::kLost;
    if (!forgotten.ok() && forgotten.error().kind() != ErrorKind::kInvalid) co_return forgotten.error();
  }
  if (!co_await wait(options_.late_ms)) co_return End::kStopped;
  auto erased = co_await engine_.erase_range(storage::range_of(model::index_prefix(job.table_id, job.index_id)));
  if (!erased.ok()) co_return std::move(erased).error();
  PARTITA_CO_TRY_VOID(co_await forget_vector_log(engine_, job.table_id, job.index_id));
  co_return co_await finish(job);
}

Task<Result<Upkeep::End>> Upkeep::drop_table(Job& job) {
  if (!job.forgotten) {  // by a version that left a table in the catalogue for a moment
    if (!co_await wait(options_.deleting_ms)) co_return End::kStopped;
    PARTITA_CO_TRY(const Table table, co_await catalog_.look_up(job.table));
    job.forgotten = true;
    if (table != nullptr && table->id == job.table_id && table->status == Status::kDeleting) {
      for (const Counting& one : table->counting) {
        auto topic = co_await engine_.forget_log(counting_topic(table->id, one.index, one.run));
        if (!topic.ok()) co_return std::move(topic).error();
      }
      for (const IndexInfo& index : table->indexes) {
        if (index.vector) PARTITA_CO_TRY_VOID(co_await forget_vector_log(engine_, table->id, index.id));
      }
      const Catalog::Rider here = rider(job, false);
      auto forgotten = co_await catalog_.forget(table, here);
      if (!forgotten.ok() && forgotten.error().kind() == ErrorKind::kConflict) co_return End::kLost;
      if (!forgotten.ok()) co_return std::move(forgotten).error();
    }
  }
  if (!co_await wait(options_.late_ms)) co_return End::kStopped;
  for (const std::string& topic : job.topics) {
    auto gone = co_await engine_.forget_log(topic);
    if (!gone.ok()) co_return std::move(gone).error();
  }
  std::string prefix = model::index_prefix(job.table_id, model::kBaseIndex);
  prefix.resize(sizeof(job.table_id));
  auto erased = co_await engine_.erase_range(storage::range_of(std::move(prefix)));
  if (!erased.ok()) co_return std::move(erased).error();
  // The policies of its streams last as long as those.
  const Key policy = policy_key(job.table_id, {});
  for (storage::Range rows :
       {count_rows(job.table_id), storage::just(policy.bytes), storage::just(second_copy(policy).bytes),
        expiry_rows(job.table_id), trimmed_rows(job.table_id)}) {
    auto beside = co_await engine_.erase_range(std::move(rows));
    if (!beside.ok()) co_return std::move(beside).error();
  }
  co_return co_await finish(job);
}

Task<Result<Upkeep::End>> Upkeep::sweep_tokens(Job& job) {
  while (!background_.stopping()) {
    const int64_t now_ms = clock_.now_ms();
    storage::Range range = system_rows(SystemRow::kToken);
    if (!job.cursor.empty()) range = storage::behind(job.cursor, std::move(range));
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kTokensAtOnce, kPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    if (page.empty()) co_return co_await finish(job);
    Step sweep;
    for (size_t i = 0; i < page.size(); ++i) {
      if (!is_over(page[i].value, now_ms)) continue;
      sweep.keys.push_back(token_key({}));
      sweep.keys.back().bytes = page[i].key;
    }
    // A token may have been used anew since it was scanned.
    const std::vector<Key> keys = sweep.keys;
    sweep.ride = [&](std::span<const Record* const> found, Changes& changes) {
      for (size_t i = 0; i < keys.size(); ++i) {
        if (found[i] != nullptr && is_over(found[i]->value, now_ms)) changes.erase(keys[i]);
      }
      return Decision::kCommit;
    };
    job.cursor = page[page.size() - 1].key;
    job.done += keys.size();
    PARTITA_CO_TRY(const Stepped stepped, co_await step(job, std::move(sweep)));
    if (stepped == Stepped::kLost) co_return End::kLost;
    co_await background_.pass();
  }
  co_return End::kStopped;
}

}  // namespace partita::table
