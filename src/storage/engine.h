// The storage contract: an ordered key space changed by minitransactions (Sinfonia, SOSP 2007). It knows no items.
//
// Keys are byte strings in bytewise order. Everything an engine acknowledges is durable unless it says otherwise in its
// own header. All functions are callable from any thread; each returns a Task that goes on through the Executor that
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
// Nothing here assumes one process: any number of servers may share one store. So versions are opaque, positions are
// bytes, a transaction names all that it reads, and limits are asked for, not known.
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

// What any engine takes of a topic's name.
inline constexpr size_t kMaxTopicBytes = 255;

// What one engine takes, in bytes. What is larger ends kTooLarge.
struct Limits {
  size_t key_bytes = 0;          // of a key
  size_t record_bytes = 0;       // of a record's value, or of a log entry
  size_t transaction_bytes = 0;  // of all keys, values, topics and entries that one transaction writes
};

// `place` is the length of the prefix that must stay together: rows that share it live on one server, and a scan within
// it is cheap.
struct Key {
  std::string bytes;
  uint32_t place = 0;
  // Compared by nearly all and hardly ever written: comparing it may be made cheaper. All that name it say the same.
  bool settled = false;
  bool operator==(const Key& other) const { return bytes == other.bytes; }
  auto operator<=>(const Key& other) const { return bytes <=> other.bytes; }
};

// Of the transaction that wrote a record. Opaque and unique: no two transactions of the life of a store carry the same
// one, whatever happens to the store between them. Never counted, never compared for order.
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

// Rows in the order of the scan, in one buffer. Views live as long as the page.
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

  // True when the range holds rows beyond this page.
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

// A key that is as the caller assumes: still of that version, or still absent (nothing).
struct Compare {
  Key key;
  std::optional<Version> version;
};

// What a transaction writes. A later change of the same key replaces the earlier one.
class Changes {
 public:
  struct Write {
    Key key;
    std::optional<std::string> value;  // nothing: erase
  };
  struct Append {
    std::string topic;
    std::string entry;
  };

  // The lists take their memory there, which outlives them.
  explicit Changes(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : writes_(memory), appends_(memory) {}

  void put(Key key, std::string value) { writes_.push_back({std::move(key), std::move(value)}); }
  void erase(Key key) { writes_.push_back({std::move(key), std::nullopt}); }
  // Appends to the log of that topic (at most kMaxTopicBytes) if, and only if, the transaction commits. Entries of one
  // transaction keep their order.
  void append(std::string topic, std::string entry) { appends_.push_back({std::move(topic), std::move(entry)}); }

  const std::pmr::vector<Write>& writes() const { return writes_; }
  const std::pmr::vector<Append>& appends() const { return appends_; }
  std::pmr::vector<Write>& writes() { return writes_; }
  std::pmr::vector<Append>& appends() { return appends_; }
  bool empty() const { return writes_.empty() && appends_.empty(); }
  void clear() {
    writes_.clear();
    appends_.clear();
  }

 private:
  std::pmr::vector<Write> writes_;
  std::pmr::vector<Append> appends_;
};

enum class Decision : uint8_t { kCommit, kRefuse };

enum class Outcome : uint8_t {
  kCommitted,
  kRefused,  // by the function: nothing was changed
  kStale,    // a compared key is not as assumed: nothing was changed, and the function may or may not have been called
};

// Looks at the records of the transaction's keys, in the order of the keys, null where absent, and fills `changes`.
// Pure: it may be called several times, on any thread, and only the last call counts. It must not block or call the
// engine. What it refuses with, it keeps itself.
using Decide = std::function<Decision(std::span<const Record* const> found, Changes& changes)>;

// A place in a topic's log, ordered bytewise within the topic and otherwise opaque. All zero is before the first entry.
// Never used again, whatever happens to the store or the topic.
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
  // Precondition: none of its tasks is under way.
  virtual ~Engine() = default;

  // Strongly consistent: sees every transaction acknowledged before the call, none that is not durable. One element for
  // each key, in order, nothing where absent, all from one moment. Errors: kUnavailable, kCorrupt.
  virtual Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) = 0;

  // One page of the range: at most `max_records` rows, and no more once `max_bytes` (at most kMaxPageBytes) of keys and
  // values are reached (so at least one row, if there is one and `max_records` is not 0). All of it is from one moment.
  // Errors: kUnavailable, kCorrupt.
  virtual Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) = 0;

  // The only way to change anything: reads `keys`, calls `decide`, and commits the changes if and only if none of those
  // records changed meanwhile and every key of `compare` is as assumed. Changes may write other keys too, unseen.
  // All outcomes rest on durable records only: whoever reads after kStale finds what differs. When it is committed,
  // `*version`, unless null, becomes the version of all that it wrote.
  // Errors: kConflict (gave up), kTooLarge, kUnavailable and kCorrupt (nothing was changed), kUnknown (may or may not
  // have happened). Precondition: `keys` are distinct, and so are the keys of `compare`.
  virtual Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                         Version* version = nullptr) = 0;

  // Erases every key of the range, not atomically with anything: for what nothing refers to any more. Its space is
  // given back soon.
  virtual Task<Result<void>> erase_range(Range range) = 0;

  // Entries of the topic behind `after`, oldest first: at most `max_entries`, and no more once `max_bytes` of entries
  // are reached (so at least one, if there is one and `max_entries` is not 0). For every key that transactions name or
  // write, the order of the log agrees with the order of their commits. An entry once seen has no unseen entry before
  // it.
  virtual Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                                       size_t max_bytes) = 0;

  // The position of the newest entry, or of the newest one that was trimmed; all zero when there is none, or when the
  // topic was forgotten since.
  virtual Task<Result<Position>> log_end(std::string topic) = 0;

  // Erases entries up to and including `upto`.
  virtual Task<Result<void>> trim_log(std::string topic, Position upto) = 0;

  // Erases the topic whole, as if it never was; its space is given back soon.
  virtual Task<Result<void>> forget_log(std::string topic) = 0;

  // Names of topics behind `after`, which is empty at first, in an order of the engine's own: at most `most`. Without
  // those that were forgotten, and without the topic that has no name.
  virtual Task<Result<std::vector<std::string>>> topics(std::string after, size_t most);

  // For a copy of another store, before anybody else uses the topic: puts entries where that store had them, as if
  // `end` had been the newest ever. Those that are there already stay. Error: kTooLarge for positions without room.
  virtual Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end);
  virtual bool has_room_for(const Position& /*end*/) const { return true; }

  // Bytes that the range takes on the medium, roughly.
  virtual Task<Result<uint64_t>> approximate_bytes(Range range) = 0;

  virtual Limits limits() const = 0;

  // Whether all is well; else what transactions would meet, or what damage reads have met. From what is known, at once.
  virtual Result<void> health() const = 0;

  // What the engine counts of itself, for an operator: names begin with "partita_store_". Waits for no medium.
  virtual void report(Exposition& /*out*/) const {}
};

// For engines: kTooLarge when one of these keys, or what is to be written, is over the limits.
Result<void> check_keys(const Limits& limits, std::span<const Key> keys, std::span<const Compare> compare);
Result<void> check_changes(const Limits& limits, const Changes& changes);
// That no two of them are the same.
bool are_distinct(std::span<const Key> keys);

}  // namespace partita::storage
