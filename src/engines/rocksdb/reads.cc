#include "engines/rocksdb/reads.h"

#include <rocksdb/options.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "engines/rocksdb/table_file.h"
#include "storage/positions.h"
#include "storage/ranges.h"

namespace partita::rocks {

using namespace storage;
using rocksdb::Status;

namespace {

// Erased rows that a scan steps over on the thread of its caller before it moves to a worker.
constexpr uint64_t kMaxSkipped = 2'000;
// What a page is given room for when its first row is known, so that it seldom has to move.
constexpr size_t kExpectedRows = 64;
constexpr size_t kMostExpectedBytes = size_t{64} << 10;

// One look at the store, as far as the tier goes: what the system has of a table in its own cache is in memory too.
struct TieredRead {
  explicit TieredRead(ReadTier tier) : hurry(tier == kInMemory) {
    if (tier == kInMemory) options.max_skippable_internal_keys = kMaxSkipped;
  }
  const MemoryOnlyReads hurry;
  rocksdb::ReadOptions options;
};

// The block around a single record is seldom asked for again, and to keep it costs as much as to read it. One in eight
// is kept: those that are asked for again and again are among them soon.
bool keeps_block() {
  constexpr unsigned kOneIn = 8;
  static thread_local unsigned reads = 0;
  return ++reads % kOneIn == 0;
}

Status split(std::string_view stored, std::optional<Record>& record) {
  if (stored.size() < kVersionBytes) return Status::Corruption("a record without a version");
  record.emplace(Record{std::string(stored.substr(kVersionBytes)), version_of(stored)});
  return Status::OK();
}

// Whether all keys of the range begin with the same bytes, and with as many as the filters know.
bool is_filtered(const Range& range) {
  const auto prefix = [](const std::string& key) { return std::string_view(key).substr(0, kFilteredPrefix); };
  return range.begin.size() >= kFilteredPrefix && prefix(range.begin) == prefix(range.end);
}

}  // namespace

Status read_record(const Store& store, const Key& key, ReadTier tier, std::optional<Record>& record) {
  rocksdb::PinnableSlice stored;
  TieredRead tiered(tier);
  tiered.options.fill_cache = keeps_block();
  const Status status = store.db->Get(tiered.options, store.records, key.bytes, &stored);
  if (status.IsNotFound()) return record.reset(), Status::OK();
  return status.ok() ? split(to_view(stored), record) : status;
}

Status read_records(const Store& store, std::span<const Key> keys, ReadTier tier,
                    std::vector<std::optional<Record>>& records) {
  records.resize(keys.size());
  if (keys.empty()) return Status::OK();
  if (keys.size() == 1) return read_record(store, keys[0], tier, records[0]);
  std::vector<rocksdb::Slice> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.emplace_back(key.bytes);
  std::vector<rocksdb::PinnableSlice> stored(keys.size());
  std::vector<Status> statuses(keys.size());
  const TieredRead tiered(tier);
  store.db->MultiGet(tiered.options, store.records, keys.size(), names.data(), stored.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].IsNotFound()) {
      records[i].reset();
      continue;
    }
    if (!statuses[i].ok()) return statuses[i];
    if (Status status = split(to_view(stored[i]), records[i]); !status.ok()) return status;
  }
  return Status::OK();
}

Status read_cached(const Store& store, RecordCache& cache, std::span<const Key> keys, ReadTier tier,
                   RecordCache::Ticket& ticket, std::vector<std::optional<Record>>& records) {
  // What several keys hold from one moment only the store knows.
  if (keys.size() != 1) return read_records(store, keys, tier, records);
  records.resize(1);
  const uint64_t hash = hash64(keys[0].bytes);
  if (tier == kInMemory) {
    const auto known = cache.find_durable(keys[0].bytes, hash, ticket);
    if (known != nullptr) return records[0] = known->record, Status();
  }
  const Status status = read_record(store, keys[0], tier, records[0]);
  if (!status.ok() || !records[0] || !cache.would_keep(records[0]->value.size(), ticket)) return status;
  auto read = std::make_shared<CachedRecord>();
  read->key = keys[0].bytes;
  read->record = records[0];
  read->hash = hash;
  cache.offer(std::move(read), ticket);
  return status;
}

Status scan_page(const Store& store, const Range& range, Direction direction, size_t max_records, size_t max_bytes,
                 ReadTier tier, Page& page) {
  page = Page();
  if (is_empty(range)) return Status::OK();
  TieredRead tiered(tier);
  rocksdb::ReadOptions& options = tiered.options;
  options.total_order_seek = !is_filtered(range);
  const rocksdb::Slice begin(range.begin);
  const rocksdb::Slice end(range.end);
  options.iterate_lower_bound = &begin;
  if (!range.end.empty()) options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> row(store.db->NewIterator(options, store.records));
  const bool ascending = direction == Direction::kAscending;
  ascending ? row->SeekToFirst() : row->SeekToLast();
  while (row->Valid()) {
    if (page.size() >= max_records || (!page.empty() && page.bytes() >= max_bytes)) {
      page.more = true;
      break;
    }
    const std::string_view stored = to_view(row->value());
    if (stored.size() < kVersionBytes) return Status::Corruption("a record without a version");
    if (page.empty()) {
      const size_t rows = std::min(max_records, kExpectedRows);
      page.reserve(rows, std::min(rows * (row->key().size() + stored.size()), kMostExpectedBytes));
    }
    page.append(to_view(row->key()), stored.substr(kVersionBytes), version_of(stored));
    ascending ? row->Next() : row->Prev();
  }
  return row->status();
}

Status read_entries(const Store& store, const std::string& topic, Position after, size_t max_entries, size_t max_bytes,
                    ReadTier tier, std::vector<LogEntry>& entries) {
  entries.clear();
  const uint64_t place = leading_number(after);
  if (place == kNoPlace) return Status::OK();
  TieredRead tiered(tier);
  rocksdb::ReadOptions& options = tiered.options;
  const std::string first = log_key(topic, place + 1);
  const std::string last = log_key(topic, kNoPlace);
  const rocksdb::Slice end(last);
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> row(store.db->NewIterator(options, store.log));
  size_t bytes = 0;
  for (row->Seek(first); row->Valid() && entries.size() < max_entries; row->Next()) {
    if (!entries.empty() && bytes >= max_bytes) break;
    const std::string_view stored = to_view(row->value());
    if (stored.empty()) return Status::Corruption("a log entry without a tag");
    if (stored.front() != kEntryTag) continue;
    const uint64_t at = place_of(to_view(row->key()));
    entries.push_back({numbered_position(at), std::string(stored.substr(1))});
    bytes += stored.size() - 1;
  }
  return row->status();
}

Status list_topics(const Store& store, const std::string& after, size_t most, ReadTier tier,
                   std::vector<std::string>& topics) {
  topics.clear();
  const TieredRead tiered(tier);
  const std::unique_ptr<rocksdb::Iterator> row(store.db->NewIterator(tiered.options, store.log));
  std::string begin = log_key(after, kNoPlace);
  for (row->Seek(begin); row->Valid() && topics.size() < most; row->Seek(begin)) {
    const std::string_view key = to_view(row->key());
    if (key.front() != kLogTag) break;
    topics.emplace_back(topic_of(key));
    begin = log_key(topics.back(), kNoPlace);
  }
  return row->status();
}

Status find_entry(const Store& store, const std::string& topic, uint64_t upto, ReadTier tier, uint64_t& place) {
  TieredRead tiered(tier);
  rocksdb::ReadOptions& options = tiered.options;
  const std::string first = log_key(topic, 0);
  const rocksdb::Slice begin(first);
  options.iterate_lower_bound = &begin;
  const std::unique_ptr<rocksdb::Iterator> row(store.db->NewIterator(options, store.log));
  row->SeekForPrev(log_key(topic, upto));
  place = row->Valid() ? place_of(to_view(row->key())) : 0;
  return row->status();
}

}  // namespace partita::rocks
