// Shared by the parts of verify_store.h: the walk through the store, and the list of differences.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/maintenance/verify_report.h"
#include "table/rows/counts.h"
#include "table/rows/job_row.h"
#include "table/rows/schema.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

// A digest of rows, independent of their order.
struct Digest {
  uint64_t rows = 0;
  uint64_t sum = 0;

  void add(std::string_view key, std::string_view value) {
    std::string whole;
    append_sized(whole, key);
    whole.append(value);
    ++rows;
    sum += hash64(whole);
  }
  bool operator==(const Digest&) const = default;
};

// The contents of the catalogue.
struct KnownStore {
  std::map<std::string, TableInfo> tables;
  std::set<uint32_t> ids;      // of tables, including those that are skipped
  std::set<uint32_t> counted;  // tables with a base count
  std::map<uint32_t, Counts> counts;
  std::vector<Job> jobs;
  std::vector<StreamRow> streams;

  const Job* job(JobKind kind, uint32_t table_id, uint16_t index_id = 0) const;
};

class Walker {
 public:
  Walker(storage::Engine& engine, const VerifyOptions& options) : engine_(engine), options_(options) {}

  using UseRow = FunctionRef<void(const storage::Page::Row& row)>;
  Result<void> each_row(storage::Range range, UseRow use);
  using UseEntry = FunctionRef<void(const storage::LogEntry& entry)>;
  Result<void> each_entry(const std::string& topic, UseEntry use);
  Result<std::vector<std::optional<storage::Record>>> read(const std::vector<storage::Key>& keys) {
    return wait_for(engine_.read(keys));
  }
  storage::Engine& engine() { return engine_; }
  const VerifyOptions& options() const { return options_; }

 private:
  Result<void> tell(size_t rows, size_t bytes);

  storage::Engine& engine_;
  const VerifyOptions& options_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

// Compares expected values with the store, many keys at a time.
class Lookups {
 public:
  using Compare = FunctionRef<void(const std::string& about, const storage::Key& key, std::string_view wanted,
                                   const std::optional<storage::Record>& found)>;
  Lookups(Walker& walker, Compare compare) : walker_(walker), compare_(compare) {}

  // `about` is passed to the comparison.
  Result<void> want(storage::Key key, std::string wanted, std::string about);
  Result<void> finish();

 private:
  struct Expected {
    std::string wanted;
    std::string about;
  };
  Walker& walker_;
  const Compare compare_;
  std::vector<storage::Key> keys_;
  std::vector<Expected> expected_;
};

void differ(Verified& verified, const VerifyOptions& options, std::string sentence);
// "pk = "a", sk = 1", for messages.
std::string shown_key(const TableInfo& table, const model::Item& item);

// verify_table.cc: a table's rows of all kinds.
Result<void> verify_table(Walker& walker, const KnownStore& known, const TableInfo& table, Verified& verified);
// verify_streams.cc: the topics of a stream of a table, against its items while it is enabled.
Result<void> verify_stream(Walker& walker, const TableInfo& table, const StreamRow& stream, Verified& verified);

// Takes the values of these key attributes from the front of `key` into the item. False: `key` does not hold them.
bool take_values(const std::vector<model::KeyElement>& elements, std::string_view& key, model::Item& item);

}  // namespace partita::table
