#include "engines/rocksdb/salvage_sources.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <ranges>
#include <set>
#include <system_error>
#include <utility>

#include "engines/rocksdb/damage_check.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/log_file.h"
#include "engines/rocksdb/store.h"
#include "engines/rocksdb/unavailable.h"
#include "engines/rocksdb/wal_batch.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;
using rocksdb::Slice;
using rocksdb::Status;

constexpr uint64_t kCopiedAtOnce = uint64_t{8} << 20;

// A key of the family of topics: nothing in the other begins so, as no table has so high an id.
bool is_of_log(std::string_view key) {
  if (key == kEpochKey || key == kStoreIdKey || key == "Mformat") return true;
  return key.size() >= 2 + kPlaceBytes && key.front() == kLogTag &&
         key.size() == 2 + static_cast<uint8_t>(key[1]) + kPlaceBytes;
}

}  // namespace

class SalvageSources::LogSource final : public EntrySource {
 public:
  LogSource(std::vector<LoggedChange> entries, bool is_newest) : entries_(std::move(entries)), is_newest_(is_newest) {
    std::ranges::sort(entries_, [](const LoggedChange& a, const LoggedChange& b) {
      return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
    });
  }
  bool next() override { return (at_ = at_ == SIZE_MAX ? 0 : at_ + 1) < entries_.size(); }
  std::string_view key() const override { return at_ < entries_.size() ? entries_[at_].key : std::string_view(); }
  uint64_t sequence() const override { return entries_[at_].sequence; }
  EntryType type() const override { return entries_[at_].type; }
  std::string_view value() const override { return entries_[at_].value; }
  bool is_newest() const override { return is_newest_; }

 private:
  std::vector<LoggedChange> entries_;
  const bool is_newest_;
  size_t at_ = SIZE_MAX;
};

class SalvageSources::TableSource final : public EntrySource {
 public:
  TableSource(std::unique_ptr<TableScan> scan, TableMeta meta, bool is_in_use)
      : scan_(std::move(scan)), meta_(std::move(meta)), is_in_use_(is_in_use) {}
  bool next() override { return scan_->next(); }
  std::string_view key() const override { return scan_->entry().key(); }
  uint64_t sequence() const override { return scan_->entry().sequence(); }
  EntryType type() const override { return scan_->entry().type(); }
  std::string_view value() const override { return scan_->entry().value(); }
  bool behind_gap() const override { return scan_->behind_gap(); }
  // Without a filter, and when nothing says how far its keys reach, it may be a file that was never finished.
  bool may_hold(std::string_view key) override { return scan_->may_hold(key).value_or(!meta_.largest.empty()); }
  // Of tables that may have replaced each other, sequence numbers say nothing: the newest may have lost its own.
  uint64_t largest_sequence() const override { return is_in_use_ ? meta_.largest_sequence : UINT64_MAX; }
  int level() const override { return is_in_use_ ? meta_.level : -1; }
  std::string_view smallest() const override { return meta_.smallest; }
  std::string_view largest() const override { return meta_.largest; }
  const TableScan& scan() const { return *scan_; }
  uint64_t number() const { return meta_.number; }

 private:
  std::unique_ptr<TableScan> scan_;
  const TableMeta meta_;
  const bool is_in_use_;  // for certain
};

class SalvageSources::MissingTable final : public EntrySource {
 public:
  explicit MissingTable(TableMeta meta) : meta_(std::move(meta)) {}
  bool next() override { return false; }
  std::string_view key() const override { return {}; }
  uint64_t sequence() const override { return 0; }
  EntryType type() const override { return EntryType::kErased; }
  std::string_view value() const override { return {}; }
  bool behind_gap() const override { return true; }
  uint64_t largest_sequence() const override { return meta_.largest_sequence; }
  int level() const override { return meta_.level; }
  std::string_view smallest() const override { return meta_.smallest; }
  std::string_view largest() const override { return meta_.largest; }

 private:
  const TableMeta meta_;
};

// Takes a batch of a log apart.
class SalvageSources::Collector final : public rocksdb::WriteBatch::Handler {
 public:
  using Wanted = std::function<LogContents*(uint32_t family)>;
  Collector(uint64_t sequence, Wanted wanted) : sequence_(sequence), wanted_(std::move(wanted)) {}

  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    return take(family, key, EntryType::kPut, value);
  }
  Status DeleteCF(uint32_t family, const Slice& key) override { return take(family, key, EntryType::kErased, {}); }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    return take(family, key, EntryType::kErased, {});
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin, const Slice& end) override {
    if (LogContents* const found = wanted_(family))
      found->erased.push_back({begin.ToString(), end.ToString(), sequence_});
    ++sequence_;
    return Status::OK();
  }
  void LogData(const Slice&) override {}
  Status MarkNoop(bool) override { return Status::OK(); }

 private:
  Status take(uint32_t family, const Slice& key, EntryType type, const Slice& value) {
    if (LogContents* const found = wanted_(family)) {
      found->entries.push_back({key.ToString(), sequence_, type, value.ToString()});
    }
    ++sequence_;
    return Status::OK();
  }

  uint64_t sequence_;
  const Wanted wanted_;
};

Result<void> SalvageSources::read() {
  PARTITA_TRY_VOID(copy_files());
  PARTITA_TRY_VOID(read_list());
  PARTITA_TRY_VOID(read_logs());
  find_tables();
  return {};
}

Result<void> SalvageSources::copy_files() {
  std::error_code failed;
  fs::create_directories(copy_ / "logs", failed);
  if (failed) return unavailable("The directory " + copy_.string() + " cannot be made: " + failed.message() + ".");
  for (const auto& entry : fs::directory_iterator(from_, failed)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".sst")) {
      tables_.emplace(number_in(name), entry.path());
    } else if (name == "CURRENT" || name == "WITNESS" || manifest_number(name)) {
      PARTITA_TRY_VOID(copy_file(entry.path(), copy_ / name));
    } else if (log_number(name)) {
      PARTITA_TRY_VOID(copy_file(entry.path(), copy_ / "logs" / name));
      if (fs::exists(copy_ / "logs" / name)) logs_.emplace(*log_number(name), copy_ / "logs" / name);
    }
  }
  if (failed) return unavailable(from_.string() + " cannot be read: " + failed.message() + ".");
  const auto found = DurabilityMarker(copy_).load(marker_);
  if (!found.ok() || *found != DurabilityMarker::Found::kWhole) {
    losses_.push_back(
        "The file WITNESS is missing or damaged, so that it is not known whether the newest changes are there.");
  }
  return {};
}

// As much of it as can be read.
Result<void> SalvageSources::copy_file(const fs::path& file, const fs::path& to) {
  auto opened = DamagedFile::open(file);
  if (!opened.ok()) return losses_.emplace_back(opened.error().sentence()), Result<void>();
  DamagedFile& from = **opened;
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  for (uint64_t at = 0; at < from.size(); at += kCopiedAtOnce) out << from.read(at, kCopiedAtOnce);
  if (!out.flush()) return unavailable("The file " + to.string() + " cannot be written: " + std::strerror(errno) + ".");
  if (from.unread_bytes() > 0) {
    losses_.push_back(std::to_string(from.unread_bytes()) + " bytes of the file " + file.filename().string() +
                      " cannot be read: " + from.why() + ".");
  }
  return {};
}

Result<void> SalvageSources::read_list() {
  const auto checked = check_manifest(copy_, marker_);
  uint64_t number = checked.ok() ? *checked : 0;
  fs::path newest;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(copy_, failed)) {
    const auto found = manifest_number(entry.path().native());
    if (!found || (checked.ok() ? *found != number : *found < number)) continue;
    number = *found;
    newest = entry.path();
  }
  if (!newest.empty()) {
    PARTITA_TRY(manifest_, read_manifest(newest));
  }
  const auto numbers = tables_ | std::views::keys;
  const std::set<uint64_t> files(numbers.begin(), numbers.end());
  // Where the list ends is known to WITNESS alone.
  const bool is_marked = !newest.empty() && number == marker_.manifest;
  if (checked.ok()) {
    knows_tables_ = !manifest_.families.empty() && (is_marked || manifest_.fits(files));
  } else if (is_marked && !manifest_.families.empty()) {
    PARTITA_TRY(const LogFile list, read_log_file(newest, LogKind::kManifest));
    knows_tables_ = list.good_bytes >= marker_.manifest_bytes;
  }
  if (checked.ok() && knows_tables_) return {};
  if (knows_tables_) {
    losses_.emplace_back("The file CURRENT is missing or damaged; the list of files that it named is whole.");
  } else {
    losses_.emplace_back(
        "The list of the store's files is damaged. All table files are taken to be in use, so erased items may be back.");
  }
  return {};
}

// What is readable of the logs, before and behind what is not.
Result<void> SalvageSources::read_logs() {
  const size_t before = losses_.size();
  PARTITA_TRY_VOID(read_all_logs());
  lost_changes_ = losses_.size() > before || !marker_.knows_anything();
  return {};
}

Result<void> SalvageSources::read_all_logs() {
  if (marker_.oldest_log > 0 && !logs_.contains(marker_.oldest_log)) {
    losses_.push_back("The file " + numbered_file(marker_.oldest_log, ".log") +
                      " is missing, with an unknown number of changes.");
  }
  uint64_t next = 0;
  for (const auto& [number, file] : logs_) {
    if (number < marker_.oldest_log) continue;
    const size_t losses = losses_.size();
    PARTITA_TRY_VOID(read_log(number, file, next));
    // Newer ones do not say where theirs begin, so nothing else would tell.
    if (next == 0 && number != logs_.rbegin()->first && losses_.size() == losses) {
      losses_.push_back("The file " + file.filename().string() +
                        " holds nothing that can be read, with an unknown number of changes.");
    }
  }
  if (next <= marker_.sequence && next > 0) say_lost(next, marker_.sequence + 1, "the end of the newest log");
  if (!knows_tables_) return {};
  const uint64_t last = manifest_.last_sequence;
  if (next == 0 && last < marker_.sequence) say_lost(last + 1, marker_.sequence + 1, "any log");
  if (first_sequence_ > last + 1) say_lost(last + 1, first_sequence_, "any log");
  return {};
}

Result<void> SalvageSources::read_log(uint64_t number, const fs::path& file, uint64_t& next) {
  const std::string name = file.filename().string();
  const size_t losses = losses_.size();
  PARTITA_TRY(const LogFile log, read_log_file(file, LogKind::kBatches, {marker_.secret_of_log(number), next},
                                               [&](std::string_view record) {
                                                 const auto [first, end] = sequences_of(record);
                                                 if (first < next) return;
                                                 if (next == 0) first_sequence_ = first;
                                                 if (next > 0 && first > next) say_lost(next, first, name);
                                                 next = end;
                                                 take_batch(number, record);
                                               }));
  // Without a record before it, the first one that can be read does not say how many are missing.
  if (log.readable_behind && losses_.size() == losses) {
    losses_.push_back("The beginning of " + name + " cannot be read, with an unknown number of changes.");
  }
  if (log.altered_end && losses_.size() == losses) {
    losses_.push_back("The last record of " + name + " cannot be read, with an unknown number of changes.");
  }
  return {};
}

void SalvageSources::take_batch(uint64_t log, std::string_view batch) {
  Collector collector(sequences_of(batch).first, [&](uint32_t id) -> LogContents* {
    // What is in tables already may have been replaced there, or erased.
    const auto first = manifest_.first_logs.find(id);
    if (knows_tables_ && first != manifest_.first_logs.end() && log < first->second) return nullptr;
    for (const Family family : {Family::kRecords, Family::kLog}) {
      if (id == id_of(family)) return &log_contents_[family];
    }
    return nullptr;
  });
  rocksdb::WriteBatch{std::string(batch)}.Iterate(&collector).PermitUncheckedError();
}

void SalvageSources::say_lost(uint64_t from, uint64_t to, const std::string& where) {
  losses_.push_back(std::to_string(to - from) + (to - from == 1 ? " change (number " : " changes (numbers ") +
                    std::to_string(from) + (to - from == 1 ? "" : " to " + std::to_string(to - 1)) +
                    ") cannot be read in " + where + ".");
}

uint32_t SalvageSources::id_of(Family family) const {
  const auto found = manifest_.families.find(family == Family::kLog ? kLogFamily : rocksdb::kDefaultColumnFamilyName);
  return found == manifest_.families.end() ? static_cast<uint32_t>(family) : found->second;
}

// Which tables are to be read; what is not known of them is learned from themselves.
void SalvageSources::find_tables() {
  if (knows_tables_) return;
  std::map<uint64_t, TableMeta> listed = std::exchange(manifest_.tables, {});
  for (const auto& [number, file] : tables_) {
    if (manifest_.former.contains(number)) continue;
    const auto found = listed.find(number);
    manifest_.tables.emplace(number, found == listed.end() ? look_into(number, file) : std::move(found->second));
  }
}

TableMeta SalvageSources::look_into(uint64_t number, const fs::path& file) const {
  TableMeta meta;
  meta.number = number;
  meta.family = id_of(Family::kRecords);
  auto scan = TableScan::open(file, {});
  if (!scan.ok() || !(*scan)->next()) return meta;
  if (is_of_log((*scan)->entry().key())) meta.family = id_of(Family::kLog);
  if ((*scan)->has_filter()) return meta;
  // A kill may have kept it from being finished: what it lacks is in other files then.
  meta.smallest = (*scan)->entry().key();
  do {
    meta.largest = (*scan)->entry().key();
  } while ((*scan)->next());
  return meta;
}

Result<void> SalvageSources::add(Family family, MergedSources& merged) {
  scanned_.clear();
  for (const auto& [number, meta] : manifest_.tables) {
    if (meta.family != id_of(family)) continue;
    const auto found = tables_.find(number);
    const std::string name = numbered_file(number, ".sst");
    if (found == tables_.end()) losses_.push_back("The file " + name + " is missing.");
    auto scan = found == tables_.end() ? Result<std::unique_ptr<TableScan>>(unavailable({}))
                                       : TableScan::open(found->second, meta.largest);
    if (!scan.ok()) {
      if (found != tables_.end()) losses_.emplace_back(scan.error().sentence());
      if (knows_tables_) merged.add(std::make_unique<MissingTable>(meta));
      continue;
    }
    for (const ErasedRange& range : (*scan)->erased()) merged.add(range);
    auto source = std::make_unique<TableSource>(std::move(*scan), meta, knows_tables_);
    scanned_.push_back(source.get());
    merged.add(std::move(source));
  }
  LogContents& logs = log_contents_[family];
  for (ErasedRange& range : logs.erased) merged.add(std::move(range));
  // Newer than all that is in tables, when it is known which logs those hold, or when no later write is missing.
  merged.add(std::make_unique<LogSource>(std::move(logs.entries), knows_tables_ || !lost_changes_));
  return {};
}

void SalvageSources::tell_tables() {
  for (const TableSource* const table : scanned_) {
    const TableScan& scan = table->scan();
    const std::string name = numbered_file(table->number(), ".sst");
    if (scan.file().unread_bytes() > 0) {
      losses_.push_back(std::to_string(scan.file().unread_bytes()) + " bytes of the file " + name +
                        " cannot be read: " + scan.file().why() + ".");
    }
    lost_erasures_ = lost_erasures_ || scan.lost_erasures();
    if (scan.lost_blocks() == 0 && scan.lost_entries().value_or(0) == 0) continue;
    const uint64_t all = scan.read_blocks() + scan.lost_blocks();
    const auto entries = scan.lost_entries();
    losses_.push_back(std::to_string(scan.lost_blocks()) + " of " + (scan.has_index() ? "" : "at least ") +
                      std::to_string(all) + " blocks of the table file " + name + " cannot be read" +
                      (entries ? ", with " + std::to_string(*entries) + " entries" : std::string()) + ".");
  }
}

}  // namespace partita::rocks
