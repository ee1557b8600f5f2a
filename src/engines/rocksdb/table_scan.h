// Reads all readable entries of one table file in order: through its index, or, if the index or the footer is damaged,
// block by block from the beginning.
//
// A value can contain bytes that look like blocks, which a client may have chosen. So after a damaged block of unknown
// length, the next block counts only if what follows confirms where it begins: see TableScan::resume().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/damaged_file.h"
#include "engines/rocksdb/table_block.h"
#include "engines/rocksdb/table_filter.h"

namespace partita::rocks {

struct ErasedRange {
  std::string begin;
  std::string end;
  uint64_t sequence = 0;
};

class TableScan {
 public:
  // `largest`: the largest key of the table, if it is known. Error: kUnavailable, with one sentence.
  static Result<std::unique_ptr<TableScan>> open(const std::filesystem::path& file, std::string_view largest);
  explicit TableScan(std::unique_ptr<DamagedFile> file) : file_(std::move(file)) {}

  // False: nothing readable is left.
  bool next();
  const BlockReader& entry() const { return reader_; }
  // Whether something between the last entry and this one is unreadable; after next() returned false: after the last
  // one.
  bool behind_gap() const { return behind_gap_; }
  const std::vector<ErasedRange>& erased() const { return erased_; }
  // False: the table has no entry of the key, neither readable nor unreadable. Nothing: the filter cannot be read.
  std::optional<bool> may_hold(std::string_view key);
  bool has_filter() { return may_hold({}).has_value(); }

  // Valid after next() returned false.
  uint64_t read_blocks() const { return read_blocks_; }
  uint64_t lost_blocks() const { return lost_blocks_; }
  // Whether the list of erased ranges is unreadable.
  bool lost_erasures() const { return lost_erasures_; }
  // The number of unreadable entries; nothing if the table does not say how many it had.
  std::optional<uint64_t> lost_entries() const;
  bool has_index() const { return has_index_; }
  const DamagedFile& file() const { return *file_; }

 private:
  struct Step {
    BlockHandle block;
    bool behind_gap = false;
  };

  bool read_index();
  void read_ranges(const std::optional<std::string>& meta);
  void take_ranges(std::string content);
  void take_properties(std::string_view content);
  void find_behind_data(std::string_view tail);
  void find_properties(std::string_view all);
  void load_filter();
  std::optional<std::string> read_block(const BlockHandle& handle);

  // Without an index.
  void walk(std::string_view largest);
  std::optional<size_t> whole_block(std::string_view bytes, std::string* first = nullptr, std::string* last = nullptr,
                                    bool* of_ranges = nullptr) const;
  std::optional<size_t> resume(std::string_view all, size_t at, std::string_view last, std::string_view largest) const;
  bool is_anchored(std::string_view all, size_t at, std::string_view last, std::string_view largest) const;

  std::unique_ptr<DamagedFile> file_;
  std::vector<Step> steps_;
  bool gap_at_end_ = false;
  size_t step_ = 0;
  BlockReader reader_;
  std::string last_;
  bool any_ = false;
  bool behind_gap_ = false;
  bool has_index_ = false;
  bool lost_erasures_ = false;
  std::vector<ErasedRange> erased_;
  std::optional<uint64_t> entries_;     // that the table had
  std::optional<uint64_t> data_bytes_;  // where its data blocks end
  std::optional<BlockHandle> filter_at_;
  bool tried_filter_ = false;
  std::optional<TableFilter> filter_;
  uint64_t read_entries_ = 0;
  uint64_t read_blocks_ = 0;
  uint64_t lost_blocks_ = 0;
};

}  // namespace partita::rocks
