// How a store lies in FoundationDB: whose rows are keys up to 10,000 bytes and values up to 100,000. All of a store's
// begin with its prefix, and go on with a letter:
//
//   r KEY                    a record, or what says how large its slices are together
//   s PACKED KEY, 0, NUMBER  a slice of a record that is larger than a row, in the order of the keys
//   l TOPIC, AGE, STAMP, NUMBER  an entry of a log, in the order of commits; larger ones have slices of their own
//   t TOPIC                  the newest entry that was trimmed, or that another store had
//   a                        the age, which is 0 and grows when positions of another store come in
//   d SERVER, LANE           how a commit whose answer was lost is settled
//   u USER                   who uses the store: changes as long as that process lives
//   h                        who has the store alone, which the others' commits rely on; there is none most of the time
//   m                        the format
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/engine.h"

namespace partita::foundationdb {

// Of a value that FoundationDB keeps in one row.
inline constexpr size_t kSliceBytes = 90'000;
constexpr size_t slices_of(size_t bytes) { return (bytes + kSliceBytes - 1) / kSliceBytes; }

// The names of rows. Immutable.
class RowNames {
 public:
  // Precondition: at most kMaxPrefixBytes.
  explicit RowNames(const std::string& prefix) : prefix_(prefix + '/') {}
  static constexpr size_t kMaxPrefixBytes = 64;

  std::string record(std::string_view key) const { return under('r').append(key); }
  storage::Range records(const storage::Range& keys) const;
  // Of a row that is named so.
  std::string_view key_in(std::string_view record) const { return record.substr(prefix_.size() + 1); }

  std::string slice(std::string_view key, uint16_t number) const;
  storage::Range slices(std::string_view key) const;
  storage::Range slices(const storage::Range& keys) const;

  // Without the stamp, whose place it tells.
  std::string entry(std::string_view topic, uint8_t age, uint32_t number, uint16_t slice, size_t& stamp_at) const;
  // Of a slice of the entry there. Precondition: is_a_position().
  std::string entry_at(std::string_view topic, const storage::Position& position, uint16_t slice) const;
  // Whether there is room for it, and for later ones.
  static bool is_a_position(const storage::Position& position);
  static uint8_t age_in(const storage::Position& position) { return position.bytes.front(); }
  storage::Range entries(std::string_view topic) const;
  storage::Range entries_behind(std::string_view topic, const storage::Position& after) const;
  storage::Range entries_upto(std::string_view topic, const storage::Position& upto) const;
  // What the row of a slice of an entry says: the position of the entry, and the number of the slice.
  storage::Position position_in(std::string_view entry) const;
  uint16_t slice_in(std::string_view entry) const;

  std::string trimmed(std::string_view topic) const { return under('t').append(topic_of(topic)); }
  // The rows of topics behind that one: of entries, and of trimmed(). And the topic of a row of either.
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
  // In another order than topics have: shorter ones first.
  static std::string topic_of(std::string_view topic);

  const std::string prefix_;
};

// 7 bits to a byte, none of which is 0: for rows whose keys have something behind them and keep the order of records.
void append_packed(std::string& out, std::string_view key);
constexpr size_t packed_size(size_t bytes) { return (bytes * 8 + 6) / 7; }

// What marks and the rows of users say: a number that grows, when, and whether it is `fenced` off.
std::string make_mark(uint64_t sequence, bool fenced);
// When, in seconds since 1970.
std::optional<uint64_t> time_of_mark(std::string_view mark);

// What the row age() says, which need not be there. Nothing for bytes that no store writes.
std::optional<uint8_t> parse_age(std::optional<std::string_view> row);

// What the rows of an entry say, one for each of its slices: how large it is comes first. Views of `entry` and `first`.
std::vector<std::string_view> slices_of_entry(std::string_view entry, std::string& first);

// What the row of a record says.
struct RecordHeader {
  storage::Version version{};
  std::string_view value;     // of one without slices
  uint32_t sliced_bytes = 0;  // 0: it has none
};
// Nothing for bytes that no store writes. The value points into them.
std::optional<RecordHeader> parse_record_header(std::string_view row);
bool has_slices(std::string_view value);
std::string make_record_header(storage::Version version, std::string_view value);

}  // namespace partita::foundationdb
