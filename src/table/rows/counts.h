// The counts of items and bytes of tables and indexes: exact, and in the store, for any number of servers.
//
// A write changes the counts in its own transaction. Each write in progress has a row of its own for that, a slot: no
// two writes use the same one, and its contents are known without reading it. A table's counts are the sum of its rows.
// A slot belongs to one version of the table's description. Since a write compares that version, rows of older versions
// never change again; the count job adds them to the table's base row.
//
// Rows that were never counted (of a new index, or of an older store) are counted by that job while others write: the
// description lists the index in `counting`, and each write logs its changes of the index's rows in a topic. Changes
// behind the job's position are added; those ahead of it tell what it will find. The topic is complete once the
// description no longer lists the index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

struct Count {
  int64_t items = 0;
  int64_t bytes = 0;
  bool operator==(const Count&) const = default;
};

// By index id; model::kBaseIndex is the table itself. Missing ones are 0.
class Counts {
 public:
  void add(uint16_t index, Count count);
  void add(const Counts& other);
  void set(uint16_t index, Count count);
  void erase(uint16_t index);
  Count of(uint16_t index) const;
  const std::vector<std::pair<uint16_t, Count>>& all() const { return all_; }

 private:
  std::vector<std::pair<uint16_t, Count>> all_;  // few, sorted
};

void encode_counts(const Counts& counts, std::string& out);
// Errors: kCorrupt.
Result<Counts> decode_counts(std::string_view bytes);

// The slots of one version of a table's description in this process. Callable from any thread.
class CountSlots {
 public:
  // `origin` is unique to this object among all processes that ever open the store.
  CountSlots(uint32_t table_id, uint64_t revision, std::pair<uint64_t, uint32_t> origin);

  struct Slot {
    uint32_t number = 0;
    Counts held;  // what its row holds
  };
  Slot take();
  // A slot whose row is unknown (after an unknown outcome) is not given back.
  void give_back(Slot slot);
  storage::Key key_of(const Slot& slot) const;

 private:
  const std::string prefix_;
  Mutex mutex_;
  std::vector<Slot> free_ PARTITA_GUARDED_BY(mutex_);
  uint32_t next_ PARTITA_GUARDED_BY(mutex_) = 0;
};

storage::Key base_count_key(uint32_t table_id);
// Every count row of the table.
storage::Range count_rows(uint32_t table_id);
// The description's revision that a row belongs to; nothing for the base row.
std::optional<uint64_t> revision_of_count(std::string_view key);

// More rows than DescribeTable should add up.
inline constexpr size_t kManyCountRows = 2'000;

struct StoredCounts {
  Counts total;
  size_t rows = 0;
};
// A consistent snapshot, unless there are thousands of rows.
Task<Result<StoredCounts>> read_counts(storage::Engine& engine, uint32_t table_id);

// A write's change of one row of an index that is being counted. Sizes in bytes; nothing: no row.
struct RowChange {
  std::string_view key;
  std::optional<uint64_t> before;
  std::optional<uint64_t> after;
};
std::string encode_row_change(const RowChange& change);
// The key points into `bytes`. Errors: kCorrupt.
Result<RowChange> decode_row_change(std::string_view bytes);
// `run` distinguishes the counts of an index.
std::string counting_topic(uint32_t table_id, uint16_t index, uint64_t run);

}  // namespace partita::table
