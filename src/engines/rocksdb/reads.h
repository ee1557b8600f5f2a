// Reads of the open database. Each is called first with kInMemory on the caller's thread, which never waits for the
// disk; the status Incomplete then means that it has to be called again with kFromDisk on a worker. All other statuses
// that are not OK are failures.
#pragma once

#include <rocksdb/status.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/rocksdb/record_cache.h"
#include "engines/rocksdb/store.h"
#include "storage/engine.h"

namespace partita::rocks {

// kInMemory: only from the caches of the engine and of the operating system.
enum class ReadTier : uint8_t { kInMemory, kFromDisk };
using enum ReadTier;

rocksdb::Status read_record(const Store& store, const storage::Key& key, ReadTier tier,
                            std::optional<storage::Record>& record);
// All from one snapshot.
rocksdb::Status read_records(const Store& store, std::span<const storage::Key> keys, ReadTier tier,
                             std::vector<std::optional<storage::Record>>& records);
// The same, but looks up a single key in `cache` first, and offers what it reads to it. The call with kInMemory draws
// `ticket`; a following call with kFromDisk uses it, so that both count as one lookup.
rocksdb::Status read_cached(const Store& store, RecordCache& cache, std::span<const storage::Key> keys, ReadTier tier,
                            RecordCache::Ticket& ticket, std::vector<std::optional<storage::Record>>& records);
rocksdb::Status scan_page(const Store& store, const storage::Range& range, storage::Direction direction,
                          size_t max_records, size_t max_bytes, ReadTier tier, storage::Page& page);
rocksdb::Status read_entries(const Store& store, const std::string& topic, storage::Position after, size_t max_entries,
                             size_t max_bytes, ReadTier tier, std::vector<storage::LogEntry>& entries);
rocksdb::Status list_topics(const Store& store, const std::string& after, size_t most, ReadTier tier,
                            std::vector<std::string>& topics);
// The place of the newest entry up to `upto`, trimmed or not; 0 if there is none.
rocksdb::Status find_entry(const Store& store, const std::string& topic, uint64_t upto, ReadTier tier, uint64_t& place);

}  // namespace partita::rocks
