// The storage contract: an ordered key space, changed by minitransactions (Sinfonia, SOSP 2007). It knows no items.
//
// Keys are byte strings in bytewise order. Everything that an engine acknowledges is durable unless its own header says
// otherwise. All functions are callable from any thread. Each returns a Task that continues through the Executor that
// was current when it was awaited. No engine holds a lock or a cursor between two calls.
//
//   std::vector<Key> keys{key};
//   Decide deposit = [](std::span<const Record* const> found, Changes& changes) {
//     if (found[0] == nullptr) return Decision::kRefuse;
//     changes.put(key, found[0]->value + "!");
//     return Decision::kCommit;
//   };
//   std::vector<Compare> compare{{description, description_version}};
//   Result<Outcome> outcome = co_await engine.transact(keys, compare, deposit);
//
// Any number of servers may share one store. Versions and positions are therefore opaque, a transaction names all keys
// that it reads, and limits() is a property of the engine.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace partita {
class Exposition;
}

namespace partita::storage {

class Maintenance;

// The longest topic name that every engine accepts.
inline constexpr size_t kMaxTopicBytes = 255;

// The limits of one engine, in bytes. Anything larger ends with kTooLarge.
struct Limits {
  size_t key_bytes = 0;          // of a key
  size_t record_bytes = 0;       // of a record's value, or of a log entry
  size_t transaction_bytes = 0;  // of all keys, values, topics and entries that one transaction writes
};

// `place` is the length of the prefix that must stay together: rows that share it are on one server, and a scan within
// it is cheap.
struct Key {
  std::string bytes;
  uint32_t place = 0;
  // Nearly all transactions compare this key and few write it, so the engine may make comparisons cheaper. Every use of
  // the key must set the same value.
  bool read_mostly = false;
  bool operator==(const Key& other) const { return bytes == other.bytes; }
  auto operator<=>(const Key& other) const { return bytes <=> other.bytes; }
};

// Identifies the transaction that wrote a record. Opaque and unique: no two transactions in the life of a store have
// the same version, whatever happens to the store between them. Versions have no order.
enum class Version : uint64_t {};

struct Record {
  std::string value;
  Version version{};
};

// [begin, end) in byte order; an empty `end` means no upper bound.
struct Range {
  std::string begin;
  std::string end;
};

enum class Direction : uint8_t { kAscending, kDescending };

inline constexpr size_t kMaxPageBytes = size_t{1} << 30;

// Rows in the order of the scan, in one buffer. Views are valid as long as the page.
class Page {
 public:
  struct Row {
    std::string_view key;
    std::string_view value;
    Version version;
  };

  void append(std::string_view key, std::string_view value, Version version);
  void reserve(size_t rows, size_t bytes);
  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  Row operator[](size_t index) const;
  // Bytes of all keys and values so far.
  size_t bytes() const { return buffer_.size(); }

  // True if the range has rows beyond this page.
  bool more = false;

 private:
  struct Place {
    uint32_t offset;
    uint32_t key_size;
    uint32_t value_size;
    Version version;
  };
  std::string buffer_;
  std::vector<Place> rows_;
};

// What the caller assumes about a key: it still has that version, or is still absent (nullopt).
struct Compare {
  Key key;
  std::optional<Version> version;
};

// What a transaction writes. A later change of a key replaces an earlier one.
class Changes {
 public:
  struct Write {
    Key key;
    std::optional<std::string> value;  // nullopt: erase
  };
  struct Append {
    std::string topic;
    std::string entry;
  };

  // `memory` provides the memory of the lists and must outlive them.
  explicit Changes(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : writes_(memory), appends_(memory) {}

  void put(Key key, std::string value) { writes_.push_back({std::move(key), std::move(value)}); }
  void erase(Key key) { writes_.push_back({std::move(key), std::nullopt}); }
  // Appends to the log of that topic (at most kMaxTopicBytes) if the transaction commits. Entries of one transaction
  // keep their order.
  void append(std::string topic, std::string entry) { appends_.push_back({std::move(topic), std::move(entry)}); }

  const std::pmr::vector<Write>& writes() const { return writes_; }
  const std::pmr::vector<Append>& appends() const { return appends_; }
  std::pmr::vector<Write>& writes() { return writes_; }
  std::pmr::vector<Append>& appends() { return appends_; }
  bool empty() const { return writes_.empty() && appends_.empty(); }
  void clear() { writes_.clear(), appends_.clear(); }

 private:
  std::pmr::vector<Write> writes_;
  std::pmr::vector<Append> appends_;
};

enum class Decision : uint8_t { kCommit, kRefuse };

enum class Outcome : uint8_t {
  kCommitted,
  kRefused,  // by `decide`: nothing was changed
  kStale,    // a compared key is not as assumed: nothing was changed, and `decide` may or may not have been called
};

// Sees the records of the transaction's keys, in the order of the keys, null where absent, and fills `changes`. It must
// be pure: it may be called several times, on any thread, and only the last call counts. It must not block or call the
// engine. The engine carries no reason for a refusal; the function keeps it itself.
using Decide = std::function<Decision(std::span<const Record* const> found, Changes& changes)>;

// A position in a topic's log, ordered bytewise within the topic and otherwise opaque. All zero is before the first
// entry. Positions are never reused, whatever happens to the store or the topic.
struct Position {
  std::array<uint8_t, 16> bytes{};
  auto operator<=>(const Position&) const = default;
};

struct LogEntry {
  Position position;
  std::string entry;
};

class Engine {
 public:
  // Precondition: none of its tasks is in progress.
  virtual ~Engine() = default;

  // Strongly consistent: sees every transaction acknowledged before the call, and only durable ones. Returns one
  // element for each key, in order, nullopt where absent, all from one snapshot. Errors: kUnavailable, kCorrupt.
  virtual Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) = 0;

  // One page, from one snapshot: at most `max_records` rows, and no more once `max_bytes` (at most kMaxPageBytes) of
  // keys and values are reached; so at least one row, if there is one and `max_records` > 0. Errors: kUnavailable,
  // kCorrupt.
  virtual Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) = 0;

  // The only way to change records: reads `keys`, calls `decide`, and commits its changes if and only if none of those
  // records changed in the meantime and every key of `compare` is as assumed. The changes may write other keys too,
  // which are not read. All outcomes depend on durable records only: a read after kStale finds the difference. After a
  // commit, `*version` (unless null) is the version of everything that the transaction wrote.
  // Errors: kConflict (gave up), kTooLarge, kUnavailable and kCorrupt (nothing was changed), kUnknown (may or may not
  // have happened). Precondition: `keys` are distinct, and so are the keys of `compare`.
  virtual Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                         Version* version = nullptr) = 0;

  // Erases all keys of the range, not atomically: for rows that nothing refers to. Their space is reclaimed soon.
  virtual Task<Result<void>> erase_range(Range range) = 0;

  // Entries after `after`, oldest first: at most `max_entries`, and no more once `max_bytes` are reached; so at least
  // one, if there is one and `max_entries` > 0. For every key that transactions name or write, the order of the log
  // agrees with the order of their commits. Once an entry has been returned, no new one appears before it.
  virtual Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                                       size_t max_bytes) = 0;

  // The position of the newest or newest trimmed entry; all zero if there was none, or if the topic was forgotten.
  virtual Task<Result<Position>> log_end(std::string topic) = 0;

  // Erases entries up to and including `upto`.
  virtual Task<Result<void>> trim_log(std::string topic, Position upto) = 0;

  // Erases the topic as if it had never existed. Its space is reclaimed soon.
  virtual Task<Result<void>> forget_log(std::string topic) = 0;

  // Names of topics after `after` (empty for the first call), in an order of the engine's choice: at most `most`.
  // Forgotten topics and the topic with the empty name are not listed.
  virtual Task<Result<std::vector<std::string>>> topics(std::string after, size_t most);

  // For copying a store, before anyone else uses the topic: stores entries at the source's positions, as if `end` had
  // been the newest ever. Existing entries stay. Error: kTooLarge for positions that fail has_room_for().
  virtual Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end);
  virtual bool has_room_for(const Position& /*end*/) const { return true; }

  // Approximate number of bytes that the range takes on the medium.
  virtual Task<Result<uint64_t>> approximate_bytes(Range range) = 0;

  virtual Limits limits() const = 0;

  // Ok, or the error that transactions would return, or damage that reads have found. Answers without I/O.
  virtual Result<void> health() const = 0;

  // Adds the engine's metrics, whose names begin with "partita_store_". Does no I/O.
  virtual void report(Exposition& /*out*/) const {}

  // Backups and checks of files (storage/backup.h), owned by the engine; null: not offered.
  virtual Maintenance* maintenance() { return nullptr; }
};

// For engines: kTooLarge if one of these keys, or what is to be written, exceeds the limits.
Result<void> check_keys(const Limits& limits, std::span<const Key> keys, std::span<const Compare> compare);
Result<void> check_changes(const Limits& limits, const Changes& changes);
// Whether no two of the keys are equal.
bool are_distinct(std::span<const Key> keys);

}  // namespace partita::storage
