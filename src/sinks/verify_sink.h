// Compares what the other end of a sink holds with the table.
//
//   SinkVerifier verifier(table, name, find_destination);
//   while (true) {
//     PARTITA_TRY(const bool more, wait_for(verifier.read(context)));
//     if (!more) break;
//     PARTITA_TRY_VOID(verifier.compare());
//   }
//   use(verifier.found());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "sinks/item_filter.h"
#include "sinks/sink_store.h"

namespace partita::sinks {

struct SinkComparison {
  uint64_t items = 0;            // that the other end is to have
  uint64_t documents = 0;        // that it has
  uint64_t different = 0;        // items that are missing there or are otherwise, but for those of the next line
  uint64_t rejected = 0;         // likewise, and have dead letters: to send the table again does not mend these
  std::vector<std::string> ids;  // of some that are different
};

// Reads the whole table, a little at a time; needs no database while it waits for the other end. Items that change
// meanwhile may be told as different; each is looked at again once. For one caller at a time.
class SinkVerifier {
 public:
  SinkVerifier(std::string table, std::string name, FindDestination find)
      : table_name_(std::move(table)), name_(std::move(name)), find_(std::move(find)) {}

  // Reads the next rows. False: everything is compared. Errors: those of the engine; kInvalid (reason 0), if the sink
  // is not filled.
  Task<Result<bool>> read(table::TableContext& context);
  // Compares them; blocks. Error: kUnavailable, if the other end does not answer.
  Result<void> compare();

  const SinkComparison& found() const { return found_; }

 private:
  struct Row {
    std::string key;
    std::optional<std::string> stored;
    bool is_rejected = false;  // of those that are looked at again
  };
  Task<Result<void>> begin(table::TableContext& context);
  Task<Result<void>> read_page(table::TableContext& context);
  Task<Result<void>> read_doubtful(table::TableContext& context);
  Result<std::vector<size_t>> differing(uint64_t& items);
  void note_different(const Row& row);

  const std::string table_name_;
  const std::string name_;
  const FindDestination find_;
  table::Sink sink_ = {};
  std::unique_ptr<Destination> destination_ = nullptr;  // null: not begun
  Generation generation_ = 0;
  ItemFilter filter_ = {};
  storage::Range range_ = {};
  bool reads_table_ = true;                 // false: looks again at what is doubtful
  std::vector<std::string> doubtful_ = {};  // keys of rows
  size_t looked_ = 0;                       // how many of these were read again
  std::vector<Row> rows_ = {};
  SinkComparison found_ = {};
};

}  // namespace partita::sinks
