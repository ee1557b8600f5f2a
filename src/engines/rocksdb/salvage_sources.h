// What a salvage reads: the files of a damaged store, which is left as it is. The small ones are copied first, so that
// they can be read again and again; table files are read where they are.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/durability_marker.h"
#include "engines/rocksdb/manifest.h"
#include "engines/rocksdb/merged_sources.h"

namespace partita::rocks {

// The column families, in the order in which a store makes them.
enum class Family : uint8_t { kRecords = 0, kLog = 1 };

class SalvageSources {
 public:
  SalvageSources(std::filesystem::path from, std::filesystem::path copy)
      : from_(std::move(from)), copy_(std::move(copy)) {}
  SalvageSources(const SalvageSources&) = delete;
  SalvageSources& operator=(const SalvageSources&) = delete;

  // Everything but the tables. Error: kUnavailable, with one sentence.
  Result<void> read();
  // Adds the tables and the logs of a family.
  Result<void> add(Family family, MergedSources& merged);
  // After a merge: says what of the tables could not be read.
  void tell_tables();

  // Whether it is known which tables are in use.
  bool knows_tables() const { return knows_tables_; }
  const DurabilityRecord& marker() const { return marker_; }
  // One sentence each.
  std::vector<std::string>& losses() { return losses_; }
  // Changes are missing from the logs, or may be.
  bool lost_changes() const { return lost_changes_; }
  // A table's list of erased ranges cannot be read.
  bool lost_erasures() const { return lost_erasures_; }

 private:
  struct LoggedChange {
    std::string key;
    uint64_t sequence;
    EntryType type;
    std::string value;
  };
  struct LogContents {
    std::vector<LoggedChange> entries;
    std::vector<ErasedRange> erased;
  };
  class LogSource;
  class TableSource;
  class MissingTable;
  class Collector;

  Result<void> copy_files();
  Result<void> copy_file(const std::filesystem::path& file, const std::filesystem::path& to);
  Result<void> read_list();
  Result<void> read_logs();
  Result<void> read_all_logs();
  Result<void> read_log(uint64_t number, const std::filesystem::path& file, uint64_t& next);
  void take_batch(uint64_t log, std::string_view batch);
  void say_lost(uint64_t from, uint64_t to, const std::string& where);
  void find_tables();
  TableMeta look_into(uint64_t number, const std::filesystem::path& file) const;
  uint32_t id_of(Family family) const;

  const std::filesystem::path from_;
  const std::filesystem::path copy_;
  DurabilityRecord marker_;
  std::vector<std::string> losses_;
  Manifest manifest_;
  bool knows_tables_ = false;
  std::map<uint64_t, std::filesystem::path> logs_;
  std::map<uint64_t, std::filesystem::path> tables_;  // on the disk, by number
  std::map<Family, LogContents> log_contents_;
  uint64_t first_sequence_ = 0;  // of the oldest log that is needed; 0: there is none
  bool lost_erasures_ = false;
  bool lost_changes_ = false;
  std::vector<const TableSource*> scanned_;  // of the merge under way
};

}  // namespace partita::rocks
