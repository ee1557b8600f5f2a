#include "engines/rocksdb/rocksdb_engine.h"

#include <rocksdb/convenience.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "engines/rocksdb/committer.h"
#include "engines/rocksdb/pending.h"
#include "engines/rocksdb/store.h"
#include "engines/rocksdb/workers.h"

namespace partita {

namespace {

using namespace storage;
using rocks::Commit;
using rocks::Home;
using rocksdb::ReadTier;
using rocksdb::Status;

constexpr size_t kWorkerThreads = 4;

// The reading side tries first without waiting for the disk (kInMemory); a status of Incomplete then means that the
// same has to be asked again, on a worker, with kFromDisk.
constexpr ReadTier kInMemory = rocksdb::kBlockCacheTier;
constexpr ReadTier kFromDisk = rocksdb::kReadAllTier;

rocksdb::ReadOptions read_options(ReadTier tier) {
  rocksdb::ReadOptions options;
  options.read_tier = tier;
  return options;
}

bool is_empty(const Range& range) { return !range.end.empty() && range.end <= range.begin; }

Status split(std::string_view stored, std::optional<Record>& record) {
  if (stored.size() < rocks::kVersionBytes) return Status::Corruption("a record without a version");
  record.emplace(Record{std::string(stored.substr(rocks::kVersionBytes)), rocks::version_of(stored)});
  return Status::OK();
}

class RocksdbEngine final : public Engine {
 public:
  RocksdbEngine(std::unique_ptr<rocks::Store> store, bool sync)
      : store_(std::move(store)), last_version_(store_->last_id), committer_(*store_, pending_, sync) {}

  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override;
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override;
  Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                 Version* version) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                               size_t max_bytes) override;
  Task<Result<Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<uint64_t>> approximate_bytes(Range range) override;
  Limits limits() const override { return rocks::kLimits; }
  Result<void> health() const override;

 private:
  // One transaction under way, in the frame of transact().
  struct Attempt {
    const std::vector<Key>& keys;
    const std::vector<Compare>& compare;
    const Decide& decide;
    Version version;  // of what it writes
    std::vector<uint32_t> stripes{};
    Commit commit{};
    Status status{};
    Result<void> fits{};
    Outcome outcome = Outcome::kRefused;
    bool queued = false;
  };
  enum class Step : uint8_t { kEnded, kAgain, kNeedsDisk };

  // A transaction's view of its keys: records that are pending stay alive through `pending`.
  struct View {
    std::vector<std::shared_ptr<const rocks::PendingWrite>> pending;
    std::vector<std::optional<Record>> stored;
    std::vector<const Record*> found;
    bool saw_pending = false;
  };

  Status read_one(const Key& key, ReadTier tier, std::optional<Record>& record);
  Status read_all(std::span<const Key> keys, ReadTier tier, std::vector<std::optional<Record>>& records);
  Status scan_page(const Range& range, Direction direction, size_t max_records, size_t max_bytes, ReadTier tier,
                   Page& page);
  Status read_entries(const std::string& topic, Position after, size_t max_entries, size_t max_bytes, ReadTier tier,
                      std::vector<LogEntry>& entries);
  // The place of the newest entry up to `upto`, trimmed or not; 0 when there is none.
  Status find_entry(const std::string& topic, uint64_t upto, ReadTier tier, uint64_t& place);
  Task<Result<void>> trim(std::string topic, uint64_t upto);
  Status look(std::span<const Key> keys, ReadTier tier, View& view);
  Status compare(Attempt& attempt, ReadTier tier, bool& saw_pending);
  Step try_transact(Attempt& attempt, ReadTier tier);
  bool prepare(Attempt& attempt, Changes& changes, rocks::Latches::Held& held);
  Result<void> outcome_of(const Commit& commit) const;
  Error refusal() const;

  std::unique_ptr<rocks::Store> store_;
  rocks::Latches latches_;
  rocks::PendingTable pending_;
  rocks::Workers workers_{kWorkerThreads};
  std::atomic<uint64_t> last_version_;
  rocks::Committer committer_;  // last: its thread uses the others
};

Status RocksdbEngine::read_one(const Key& key, ReadTier tier, std::optional<Record>& record) {
  rocksdb::PinnableSlice stored;
  const Status status = store_->db->Get(read_options(tier), store_->records, key.bytes, &stored);
  if (status.IsNotFound()) return record.reset(), Status::OK();
  return status.ok() ? split(rocks::to_view(stored), record) : status;
}

Status RocksdbEngine::read_all(std::span<const Key> keys, ReadTier tier, std::vector<std::optional<Record>>& records) {
  records.resize(keys.size());
  if (keys.empty()) return Status::OK();
  if (keys.size() == 1) return read_one(keys[0], tier, records[0]);
  std::vector<rocksdb::Slice> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.emplace_back(key.bytes);
  std::vector<rocksdb::PinnableSlice> stored(keys.size());
  std::vector<Status> statuses(keys.size());
  store_->db->MultiGet(read_options(tier), store_->records, keys.size(), names.data(), stored.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].IsNotFound()) {
      records[i].reset();
      continue;
    }
    if (!statuses[i].ok()) return statuses[i];
    if (Status status = split(rocks::to_view(stored[i]), records[i]); !status.ok()) return status;
  }
  return Status::OK();
}

Task<Result<std::vector<std::optional<Record>>>> RocksdbEngine::read(std::span<const Key> keys) {
  Executor* const executor = Executor::current();
  std::vector<std::optional<Record>> records;
  Status status = read_all(keys, kInMemory, records);
  if (status.IsIncomplete()) {
    co_await workers_.enter();
    status = read_all(keys, kFromDisk, records);
    co_await Home{executor};
  }
  if (!status.ok()) co_return rocks::to_error(status);
  co_return records;
}

Status RocksdbEngine::scan_page(const Range& range, Direction direction, size_t max_records, size_t max_bytes,
                                ReadTier tier, Page& page) {
  page = Page();
  if (is_empty(range)) return Status::OK();
  rocksdb::ReadOptions options = read_options(tier);
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end);
  options.iterate_lower_bound = &begin;
  if (!range.end.empty()) options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> row(store_->db->NewIterator(options, store_->records));
  const bool ascending = direction == Direction::kAscending;
  ascending ? row->SeekToFirst() : row->SeekToLast();
  while (row->Valid()) {
    if (page.size() >= max_records || (!page.empty() && page.bytes() >= max_bytes)) {
      page.more = true;
      break;
    }
    const std::string_view stored = rocks::to_view(row->value());
    if (stored.size() < rocks::kVersionBytes) return Status::Corruption("a record without a version");
    page.append(rocks::to_view(row->key()), stored.substr(rocks::kVersionBytes), rocks::version_of(stored));
    ascending ? row->Next() : row->Prev();
  }
  return row->status();
}

Task<Result<Page>> RocksdbEngine::scan(Range range, Direction direction, size_t max_records, size_t max_bytes) {
  Executor* const executor = Executor::current();
  max_bytes = std::min(max_bytes, kMaxPageBytes);
  Page page;
  Status status = scan_page(range, direction, max_records, max_bytes, kInMemory, page);
  if (status.IsIncomplete()) {
    co_await workers_.enter();
    status = scan_page(range, direction, max_records, max_bytes, kFromDisk, page);
    co_await Home{executor};
  }
  if (!status.ok()) co_return rocks::to_error(status);
  co_return page;
}

Status RocksdbEngine::look(std::span<const Key> keys, ReadTier tier, View& view) {
  view.pending.resize(keys.size());
  view.stored.resize(keys.size());
  view.found.resize(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    // Pending first: what leaves the pending table is in the store already.
    if ((view.pending[i] = pending_.find(keys[i].bytes)) != nullptr) {
      view.saw_pending = true;
      const std::optional<Record>& record = view.pending[i]->record;
      view.found[i] = record ? &*record : nullptr;
      continue;
    }
    if (Status status = read_one(keys[i], tier, view.stored[i]); !status.ok()) return status;
    view.found[i] = view.stored[i] ? &*view.stored[i] : nullptr;
  }
  return Status::OK();
}

// Sets the outcome to kStale when a key is not as assumed.
Status RocksdbEngine::compare(Attempt& attempt, ReadTier tier, bool& saw_pending) {
  for (const Compare& one : attempt.compare) {
    View view;
    if (Status status = look({&one.key, 1}, tier, view); !status.ok()) return status;
    const Record* const record = view.found[0];
    saw_pending |= view.saw_pending;
    if (record == nullptr ? one.version.has_value() : one.version != record->version) {
      attempt.outcome = Outcome::kStale;
    }
  }
  return Status::OK();
}

void add_stripes(std::vector<uint32_t>& stripes, std::vector<uint32_t> more) {
  stripes.insert(stripes.end(), more.begin(), more.end());
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
}

// Latches what is written unseen and queues the changes. False: everything has to be done again with more latches.
bool RocksdbEngine::prepare(Attempt& attempt, Changes& changes, rocks::Latches::Held& held) {
  std::vector<uint32_t> written;
  for (const Changes::Write& write : changes.writes()) {
    written.push_back(rocks::Latches::stripe_of(write.key.bytes));
  }
  std::vector<uint32_t> distinct;
  add_stripes(distinct, std::move(written));
  if (!held.try_extend(distinct)) {
    add_stripes(attempt.stripes, std::move(distinct));
    return false;
  }
  for (Changes::Write& write : changes.writes()) {
    auto pending = std::make_shared<rocks::PendingWrite>();
    pending->key = std::move(write.key.bytes);
    if (write.value) {
      pending->record.emplace(Record{std::move(*write.value), attempt.version});
    }
    pending_.insert(pending);
    attempt.commit.writes.push_back(std::move(pending));
  }
  attempt.commit.appends = std::move(changes.appends());
  attempt.queued = true;
  committer_.enqueue(attempt.commit);
  return true;
}

RocksdbEngine::Step RocksdbEngine::try_transact(Attempt& attempt, ReadTier tier) {
  rocks::Latches::Held held(latches_);
  held.lock(attempt.stripes);
  View view;
  attempt.outcome = Outcome::kRefused;
  attempt.status = compare(attempt, tier, view.saw_pending);
  if (attempt.status.ok()) attempt.status = look(attempt.keys, tier, view);
  if (attempt.status.IsIncomplete()) return Step::kNeedsDisk;
  if (!attempt.status.ok()) return Step::kEnded;
  Changes changes;
  if (attempt.outcome != Outcome::kStale && attempt.decide(view.found, changes) == Decision::kCommit) {
    attempt.outcome = Outcome::kCommitted;
    attempt.fits = check_changes(rocks::kLimits, changes);
    if (!attempt.fits.ok()) return Step::kEnded;
  } else {
    changes.clear();
  }
  // An answer that rests on records that are not durable yet has to wait for them too: hence the barrier.
  if (changes.empty() && !view.saw_pending) return Step::kEnded;
  return prepare(attempt, changes, held) ? Step::kEnded : Step::kAgain;
}

Task<Result<Outcome>> RocksdbEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                              Version* version) {
  Executor* const executor = Executor::current();
  PARTITA_CO_TRY_VOID(health());
  PARTITA_CO_TRY_VOID(check_keys(rocks::kLimits, keys, compare));
  co_await committer_.room(executor);
  Attempt attempt{.keys = keys,
                  .compare = compare,
                  .decide = decide,
                  .version = Version{last_version_.fetch_add(1, std::memory_order_relaxed) + 1}};
  attempt.commit.executor = executor;
  std::vector<std::string_view> names;
  std::vector<uint32_t> stripes;
  for (const Key& key : keys) {
    names.push_back(key.bytes);
    stripes.push_back(rocks::Latches::stripe_of(key.bytes));
  }
  for (const Compare& one : compare) stripes.push_back(rocks::Latches::stripe_of(one.key.bytes));
  std::sort(names.begin(), names.end());
  PARTITA_CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  add_stripes(attempt.stripes, std::move(stripes));

  Step step = try_transact(attempt, kInMemory);
  while (step == Step::kAgain) step = try_transact(attempt, kInMemory);
  if (step == Step::kNeedsDisk) {
    co_await workers_.enter();
    // Read once without latches, so that they are hardly ever held while the disk is waited for.
    std::vector<std::optional<Record>> warmed;
    read_all(keys, kFromDisk, warmed).PermitUncheckedError();
    do {
      step = try_transact(attempt, kFromDisk);
    } while (step == Step::kAgain);
  }
  if (attempt.queued) co_await attempt.commit;
  co_await Home{executor};
  if (!attempt.status.ok()) co_return rocks::to_error(attempt.status);
  PARTITA_CO_TRY_VOID(std::move(attempt.fits));
  PARTITA_CO_TRY_VOID(outcome_of(attempt.commit));
  if (attempt.outcome == Outcome::kCommitted && version != nullptr) *version = attempt.version;
  co_return attempt.outcome;
}

Result<void> RocksdbEngine::health() const {
  if (committer_.failed()) return refusal();
  return {};
}

Error RocksdbEngine::refusal() const { return Error(ErrorKind::kUnavailable, committer_.failure()); }

Result<void> RocksdbEngine::outcome_of(const Commit& commit) const {
  switch (commit.outcome) {
    case Commit::Outcome::kDurable:
      return {};
    case Commit::Outcome::kRefused:
      return refusal();
    case Commit::Outcome::kUnknown:
      return Error(ErrorKind::kUnknown,
                   "The disk failed while the change was written; it may or may not be there. " + committer_.failure());
  }
  return {};
}

Task<Result<void>> RocksdbEngine::erase_range(Range range) {
  Executor* const executor = Executor::current();
  PARTITA_CO_TRY_VOID(health());
  if (is_empty(range)) co_return Result<void>();
  co_await committer_.room(executor);
  co_await workers_.enter();
  // Whole files first, which frees their space at once. It may uncover older versions; the range deletion covers those.
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end.empty() ? rocks::beyond_all_keys() : range.end);
  rocksdb::DeleteFilesInRange(store_->db.get(), store_->records, &begin, &end, false).PermitUncheckedError();
  Commit commit;
  commit.executor = executor;
  commit.erase = std::move(range);
  committer_.enqueue(commit);
  co_await commit;
  co_await Home{executor};
  co_return outcome_of(commit);
}

Status RocksdbEngine::read_entries(const std::string& topic, Position after, size_t max_entries, size_t max_bytes,
                                   ReadTier tier, std::vector<LogEntry>& entries) {
  entries.clear();
  const uint64_t place = rocks::place_of(after);
  if (place == rocks::kNoPlace) return Status::OK();
  rocksdb::ReadOptions options = read_options(tier);
  const std::string first = rocks::log_key(topic, place + 1);
  const std::string last = rocks::log_key(topic, rocks::kNoPlace);
  const rocksdb::Slice end(last);
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> row(store_->db->NewIterator(options, store_->log));
  size_t bytes = 0;
  for (row->Seek(first); row->Valid() && entries.size() < max_entries; row->Next()) {
    if (!entries.empty() && bytes >= max_bytes) break;
    const std::string_view stored = rocks::to_view(row->value());
    if (stored.empty()) return Status::Corruption("a log entry without a tag");
    if (stored.front() != rocks::kEntryTag) continue;
    const uint64_t at = rocks::place_of(rocks::to_view(row->key()));
    entries.push_back({rocks::position_of(at), std::string(stored.substr(1))});
    bytes += stored.size() - 1;
  }
  return row->status();
}

Task<Result<std::vector<LogEntry>>> RocksdbEngine::read_log(std::string topic, Position after, size_t max_entries,
                                                            size_t max_bytes) {
  Executor* const executor = Executor::current();
  std::vector<LogEntry> entries;
  Status status = read_entries(topic, after, max_entries, max_bytes, kInMemory, entries);
  if (status.IsIncomplete()) {
    co_await workers_.enter();
    status = read_entries(topic, after, max_entries, max_bytes, kFromDisk, entries);
    co_await Home{executor};
  }
  if (!status.ok()) co_return rocks::to_error(status);
  co_return entries;
}

Status RocksdbEngine::find_entry(const std::string& topic, uint64_t upto, ReadTier tier, uint64_t& place) {
  rocksdb::ReadOptions options = read_options(tier);
  const std::string first = rocks::log_key(topic, 0);
  const rocksdb::Slice begin(first);
  options.iterate_lower_bound = &begin;
  const std::unique_ptr<rocksdb::Iterator> row(store_->db->NewIterator(options, store_->log));
  row->SeekForPrev(rocks::log_key(topic, upto));
  place = row->Valid() ? rocks::place_of(rocks::to_view(row->key())) : 0;
  return row->status();
}

Task<Result<Position>> RocksdbEngine::log_end(std::string topic) {
  Executor* const executor = Executor::current();
  uint64_t place = 0;
  Status status = find_entry(topic, rocks::kNoPlace, kInMemory, place);
  if (status.IsIncomplete()) {
    co_await workers_.enter();
    status = find_entry(topic, rocks::kNoPlace, kFromDisk, place);
    co_await Home{executor};
  }
  if (!status.ok()) co_return rocks::to_error(status);
  co_return rocks::position_of(place);
}

Task<Result<void>> RocksdbEngine::trim_log(std::string topic, Position upto) {
  PARTITA_CO_TRY_VOID(health());
  Executor* const executor = Executor::current();
  co_await workers_.enter();
  uint64_t newest = 0;
  const Status status = find_entry(topic, rocks::place_of(upto), kFromDisk, newest);
  co_await Home{executor};
  if (!status.ok()) co_return rocks::to_error(status);
  if (newest == 0) co_return Result<void>();
  co_return co_await trim(std::move(topic), newest);
}

Task<Result<void>> RocksdbEngine::forget_log(std::string topic) {
  PARTITA_CO_TRY_VOID(health());
  co_return co_await trim(std::move(topic), rocks::kNoPlace);
}

Task<Result<void>> RocksdbEngine::trim(std::string topic, uint64_t upto) {
  Executor* const executor = Executor::current();
  co_await committer_.room(executor);
  Commit commit;
  commit.executor = executor;
  commit.trim = Commit::Trim{std::move(topic), upto};
  committer_.enqueue(commit);
  co_await commit;
  co_await Home{executor};
  co_return outcome_of(commit);
}

Task<Result<uint64_t>> RocksdbEngine::approximate_bytes(Range range) {
  Executor* const executor = Executor::current();
  if (is_empty(range)) co_return uint64_t{0};
  co_await workers_.enter();
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  options.include_files = true;
  options.files_size_error_margin = 0.1;
  const rocksdb::Range bounds(range.begin, range.end.empty() ? rocks::beyond_all_keys() : range.end);
  uint64_t bytes = 0;
  const Status status = store_->db->GetApproximateSizes(options, store_->records, &bounds, 1, &bytes);
  co_await Home{executor};
  if (!status.ok()) co_return rocks::to_error(status);
  co_return bytes;
}

}  // namespace

Result<std::unique_ptr<storage::Engine>> open_rocksdb_engine(const RocksdbOptions& options) {
  PARTITA_TRY(std::unique_ptr<rocks::Store> store, rocks::open_store(options));
  std::unique_ptr<storage::Engine> engine = std::make_unique<RocksdbEngine>(std::move(store), options.sync);
  return engine;
}

}  // namespace partita
