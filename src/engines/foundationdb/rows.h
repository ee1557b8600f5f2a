// The layout of a store in FoundationDB, which has keys up to 10,000 bytes and values up to 100,000. All rows of a
// store begin with its prefix and a letter:
//
//   r KEY                    a record, or the total size of its slices
//   s PACKED KEY, 0, NUMBER  a slice of a record that is larger than a row, in key order
//   l TOPIC, AGE, STAMP, NUMBER  a log entry, in commit order; larger entries have slices of their own
//   t TOPIC                  the newest entry that was trimmed, or that another store had
//   a                        the age: 0, incremented when positions of another store are restored
//   d SERVER, LANE           the mark of a lane, which tells the outcome of a commit whose answer was lost
//   u USER                   the lease of a user of the store, renewed as long as the process runs
//   h                        the exclusive holder of the store, which all commits depend on; usually absent
//   m                        the format
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/engine.h"

namespace partita::foundationdb {

// The bytes of a value in one row.
inline constexpr size_t kSliceBytes = 90'000;
constexpr size_t slices_of(size_t bytes) { return (bytes + kSliceBytes - 1) / kSliceBytes; }

// The names of rows. Immutable.
class RowKeys {
 public:
  // Precondition: at most kMaxPrefixBytes.
  explicit RowKeys(const std::string& prefix) : prefix_(prefix + '/') {}
  static constexpr size_t kMaxPrefixBytes = 64;

  std::string record(std::string_view key) const { return under('r').append(key); }
  storage::Range records(const storage::Range& keys) const;
  // The key in the name of such a row.
  std::string_view key_in(std::string_view record) const { return record.substr(prefix_.size() + 1); }

  std::string slice(std::string_view key, uint16_t number) const;
  storage::Range slices(std::string_view key) const;
  storage::Range slices(const storage::Range& keys) const;

  // Without the versionstamp; `stamp_at` is set to its offset.
  std::string entry(std::string_view topic, uint8_t age, uint32_t number, uint16_t slice, size_t& stamp_at) const;
  // A slice of the entry at `position`. Precondition: is_a_position().
  std::string entry_at(std::string_view topic, const storage::Position& position, uint16_t slice) const;
  // Whether it is a valid position and later ones are possible.
  static bool is_a_position(const storage::Position& position);
  static uint8_t age_in(const storage::Position& position) { return position.bytes.front(); }
  storage::Range entries(std::string_view topic) const;
  storage::Range entries_behind(std::string_view topic, const storage::Position& after) const;
  storage::Range entries_upto(std::string_view topic, const storage::Position& upto) const;
  // The position of the entry and the number of the slice, from the name of a slice's row.
  storage::Position position_in(std::string_view entry) const;
  uint16_t slice_in(std::string_view entry) const;

  std::string trimmed(std::string_view topic) const { return under('t').append(topic_of(topic)); }
  // The rows of entries, and of trimmed(), of later topics; and the topic in the name of either.
  storage::Range entries_of_topics(std::string_view after) const;
  storage::Range trimmed_of_topics(std::string_view after) const;
  std::string_view topic_in(std::string_view row) const;
  std::string age() const { return under('a'); }
  std::string mark(std::string_view server, uint8_t lane) const;
  storage::Range marks() const { return all('d'); }
  std::string user(uint64_t id) const;
  storage::Range users() const { return all('u'); }
  std::string holder() const { return under('h'); }
  std::string format() const { return under('m'); }

 private:
  std::string under(char letter) const { return prefix_ + letter; }
  storage::Range all(char letter) const { return {under(letter), under(static_cast<char>(letter + 1))}; }
  // Sorts topics by length first.
  static std::string topic_of(std::string_view topic);

  const std::string prefix_;
};

// 7 bits in each byte. No byte is 0, so keys keep their order when something follows them in a name.
void append_packed(std::string& out, std::string_view key);
constexpr size_t packed_size(size_t bytes) { return (bytes * 8 + 6) / 7; }

// The value of marks and of users' rows: an increasing number, the time, and whether it is `fenced` off.
std::string make_mark(uint64_t sequence, bool fenced);
// The time in a mark, in seconds since 1970.
std::optional<uint64_t> time_of_mark(std::string_view mark);

// Parses the row age(), which may be absent. Nothing for bytes that no store writes.
std::optional<uint8_t> parse_age(std::optional<std::string_view> row);

// The values of an entry's rows, one for each slice; the first begins with the size. Views of `entry` and `first`.
std::vector<std::string_view> slices_of_entry(std::string_view entry, std::string& first);

// The value of a record's row.
struct RecordHeader {
  storage::Version version{};
  std::string_view value;     // of a record without slices
  uint32_t sliced_bytes = 0;  // 0: no slices
};
// Nothing for bytes that no store writes. The value is a view of `row`.
std::optional<RecordHeader> parse_record_header(std::string_view row);
bool has_slices(std::string_view value);
std::string make_record_header(storage::Version version, std::string_view value);

}  // namespace partita::foundationdb
