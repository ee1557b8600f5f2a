// Merges the table files and logs of a damaged store in key order: the newest version of each key, and the key ranges
// that could not be read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"
#include "engines/rocksdb/table_scan.h"

namespace partita::rocks {

// Entries in key order; those of one key from the newest to the oldest.
class EntrySource {
 public:
  virtual ~EntrySource() = default;
  // False: nothing readable is left.
  virtual bool next() = 0;
  virtual std::string_view key() const = 0;
  virtual uint64_t sequence() const = 0;
  virtual EntryType type() const = 0;
  virtual std::string_view value() const = 0;
  // Whether no other source has a newer entry of any of its keys.
  virtual bool is_newest() const { return false; }
  // Whether something before this entry is unreadable; after next() returned false: something after the last entry.
  virtual bool behind_gap() const { return false; }
  // False: the unreadable part holds no entry of the key.
  virtual bool may_hold(std::string_view) { return true; }
  // For a table: the largest sequence number of its entries, unreadable ones included.
  virtual uint64_t largest_sequence() const { return 0; }
  // The level of a table; -1: not known.
  virtual int level() const { return -1; }
  // The range of its keys; empty: not known.
  virtual std::string_view smallest() const { return {}; }
  virtual std::string_view largest() const { return {}; }
};

// No entry between these two keys, both exclusive, can be read. Empty: not known.
struct LostKeys {
  std::string after;
  std::string before;
};

class MergedSources {
 public:
  // `by_version`: the value with the greater version is the newer one, regardless of sequence numbers, for tables that
  // may not all be in use.
  explicit MergedSources(bool by_version) : by_version_(by_version) {}

  void add(std::unique_ptr<EntrySource> source) { sources_.emplace_back().entries = std::move(source); }
  void add(ErasedRange range) { erased_.push_back(std::move(range)); }

  // Gets each key with its newest value.
  using Put = FunctionRef<Result<void>(std::string_view key, std::string_view value)>;
  // Gets each key that is left out because its newest value may be in the unreadable part of a table.
  using LeaveOut = FunctionRef<void(std::string_view key)>;
  Result<void> run(Put put, LeaveOut leave_out);

  const std::vector<LostKeys>& lost() const { return lost_; }

 private:
  struct Source {
    std::unique_ptr<EntrySource> entries;
    bool begun = false;
    bool valid = false;
    bool gapped = false;
    std::string last;  // key before the current one
  };
  struct NewestEntry {
    uint64_t sequence = 0;
    EntryType type = EntryType::kErased;
    std::string value;
    const Source* source = nullptr;
  };

  void advance(Source& source);
  void take(const Source& source, NewestEntry& best) const;
  bool is_erased(std::string_view key, uint64_t sequence);
  bool may_be_older(std::string_view key, const NewestEntry& best) const;

  const bool by_version_;
  std::vector<Source> sources_;
  std::vector<ErasedRange> erased_;  // by their beginnings
  std::vector<size_t> open_;         // those that the current key may be in
  size_t next_erased_ = 0;
  std::vector<LostKeys> lost_;
};

}  // namespace partita::rocks
