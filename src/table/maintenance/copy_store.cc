#include "table/maintenance/copy_store.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "storage/positions.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/maintenance/namespaces.h"
#include "table/maintenance/snapshots.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Engine;
using storage::LogEntry;
using storage::Page;
using storage::Position;
using storage::Record;

constexpr size_t kTopicsAtOnce = 100;

Error refusal(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

enum class Phase : uint8_t { kRows, kLogs };

// The progress of a copy, in its mark row.
struct Mark {
  std::string from;
  Phase phase = Phase::kRows;
  std::string done;   // the last key, or the last topic, that is copied whole
  std::string topic;  // that is being copied
  Position position;  // its last entry that is copied
  uint64_t rows = 0;
  uint64_t bytes = 0;
};

std::string encode(const Mark& mark) {
  std::string out(1, static_cast<char>(mark.phase));
  append_sized(out, mark.from);
  append_sized(out, mark.done);
  append_sized(out, mark.topic);
  out.append(mark.position.bytes.begin(), mark.position.bytes.end());
  append_u64(out, mark.rows);
  append_u64(out, mark.bytes);
  return out;
}

std::optional<Mark> decode(std::string_view in) {
  Mark mark;
  const auto phase = take_u8(in);
  const auto from = take_sized(in);
  const auto done = take_sized(in);
  const auto topic = take_sized(in);
  if (!phase || *phase > static_cast<uint8_t>(Phase::kLogs) || !from || !done || !topic) return std::nullopt;
  if (in.size() < mark.position.bytes.size()) return std::nullopt;
  std::copy_n(in.begin(), mark.position.bytes.size(), mark.position.bytes.begin());
  in.remove_prefix(mark.position.bytes.size());
  const auto rows = take_u64(in);
  const auto bytes = take_u64(in);
  if (!rows || !bytes || !in.empty()) return std::nullopt;
  mark.phase = static_cast<Phase>(*phase);
  mark.from = *from;
  mark.done = *done;
  mark.topic = *topic;
  mark.rows = *rows;
  mark.bytes = *bytes;
  return mark;
}

storage::Key mark_key() { return system_key(SystemRow::kCopy); }

Task<Result<std::optional<Record>>> read_mark(Engine& engine) {
  const std::vector<storage::Key> keys{mark_key()};
  auto read = co_await engine.read(keys);
  PARTITA_CO_TRY(auto records, std::move(read));
  co_return std::move(records[0]);
}

// What a killed server may leave in a store without tables: the ledger, and probes (readiness.h). Sorted.
constexpr std::array kLeftByKilled = {SystemRow::kLedger, SystemRow::kProbe};
// What any server may.
constexpr std::array kLeftByAny = {SystemRow::kMetrics, SystemRow::kLedger, SystemRow::kProbe};

// Whether the store has no rows but these.
Task<Result<bool>> holds_only(Engine& engine, std::span<const SystemRow> left) {
  std::vector<storage::Range> rests(1);
  for (const SystemRow one : left) {
    const storage::Range rows = system_rows(one);
    rests.back().end = rows.begin;
    rests.emplace_back().begin = rows.end;
  }
  for (storage::Range& rest : rests) {
    auto scanned = co_await engine.scan(std::move(rest), storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const Page page, std::move(scanned));
    if (!page.empty()) co_return false;
  }
  std::string first;
  auto listed = co_await engine.topics(std::move(first), 1);
  PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
  co_return topics.empty();
}

// An incomplete rollback could not be completed in the copy.
Task<Result<void>> refuse_half_rollback(Engine& engine) {
  auto listed = co_await namespaces_with_aside(engine);
  PARTITA_CO_TRY(const std::vector<std::string> names, std::move(listed));
  for (const std::string& name : names) {
    auto read = co_await Snapshots::begun_rollback(engine, name);
    PARTITA_CO_TRY(const std::string begun, std::move(read));
    if (begun.empty()) continue;
    co_return refusal("A rollback to the snapshot " + begun +
                      " was begun: serve the store once, so that it ends, and copy it then.");
  }
  co_return Result<void>();
}

Task<Result<uint64_t>> count_snapshots(Engine& engine) {
  auto listed = co_await namespaces_with_aside(engine);
  PARTITA_CO_TRY(const std::vector<std::string> names, std::move(listed));
  uint64_t all = 0;
  for (const std::string& name : names) {
    auto counted = co_await Snapshots::count(engine, name);
    PARTITA_CO_TRY(const uint64_t some, std::move(counted));
    all += some;
  }
  co_return all;
}

void add(CopiedPart& part, std::string_view name, std::string_view value) {
  std::string whole;
  append_sized(whole, name);
  whole.append(value);
  ++part.rows;
  part.bytes += name.size() + value.size();
  part.checksum += hash64(whole);
}

uint32_t table_of(std::string_view key) { return take_u32(key).value_or(0); }

std::string entry_name(const std::string& topic, const Position& position) {
  return topic + std::string(position.bytes.begin(), position.bytes.end());
}

// The mark too: a copy has its own.
bool is_copied(std::string_view key) {
  static const std::string mark = mark_key().bytes;
  return key != mark && !is_of_servers(key_in_database(key));
}

// The rows to copy, in order.
class CopiedRows {
 public:
  CopiedRows(Engine& engine, const StoreCopyOptions& options)
      : all_(engine, copied_rows(options.snapshots), options.page_rows, options.page_bytes) {}

  // False: no more rows.
  Task<Result<bool>> next();
  Page::Row row() const { return all_.row(); }

 private:
  storage::RangeCursor all_;
};

Task<Result<bool>> CopiedRows::next() {
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await all_.next());
    if (!more) co_return false;
    if (is_copied(row().key)) co_return true;
  }
}

class Copier {
 public:
  Copier(Engine& from, Engine& to, StoreCopyOptions options) : from_(from), to_(to), options_(std::move(options)) {}

  Task<Result<CopyReport>> run();

 private:
  Task<Result<void>> begin();
  Task<Result<void>> check_logs();
  Task<Result<void>> copy_rows();
  Task<Result<void>> copy_logs();
  Task<Result<void>> copy_log(std::string topic);
  Task<Result<void>> verify_rows();
  Task<Result<void>> verify_logs();
  Task<Result<void>> verify_log(std::string topic);
  // Stores the mark, and the rows that `add_rows` adds, in one transaction.
  using AddRows = std::function<void(Changes& changes)>;
  Task<Result<void>> store(AddRows add_rows, bool ends = false);
  Result<void> tell(bool verifying, uint64_t rows, uint64_t bytes) const;
  Error differs(const std::string& what) const;

  Engine& from_;
  Engine& to_;
  const StoreCopyOptions options_;
  Mark mark_;
  std::optional<storage::Version> version_;  // of the mark
  CopyReport report_;
};

Error Copier::differs(const std::string& what) const {
  return Error(ErrorKind::kConflict, "The copy differs from what it was copied from, in " + what +
                                         ": something wrote to either of them meanwhile. Begin anew, with an empty "
                                         "store to copy to and no server on either.");
}

Result<void> Copier::tell(bool verifying, uint64_t rows, uint64_t bytes) const {
  if (!options_.progress || options_.progress({verifying, rows, bytes})) return {};
  return Error(ErrorKind::kUnavailable, "The copy was stopped; the same command goes on with it.");
}

Task<Result<void>> Copier::store(AddRows add_rows, bool ends) {
  const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
    if (add_rows) add_rows(changes);
    if (ends) {
      changes.erase(mark_key());
    } else {
      changes.put(mark_key(), encode(mark_));
    }
    return Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> compare{{mark_key(), version_}};
  storage::Version version{};
  const auto stored = co_await to_.transact(std::move(none), std::move(compare), decide, &version);
  if (!stored.ok()) co_return stored.error();
  if (*stored != storage::Outcome::kCommitted) {
    co_return refusal("Another copy writes to the same store; end one of them.");
  }
  version_ = version;
  co_return Result<void>();
}

Task<Result<void>> Copier::begin() {
  PARTITA_CO_TRY_VOID(co_await refuse_copying(from_, options_.from_name));
  PARTITA_CO_TRY_VOID(co_await check_logs());
  if (!options_.snapshots) {
    PARTITA_CO_TRY(report_.left_out, co_await count_snapshots(from_));
  }
  PARTITA_CO_TRY(const std::optional<Record> found, co_await read_mark(to_));
  if (found) {
    std::optional<Mark> mark = decode(found->value);
    if (!mark) co_return Error(ErrorKind::kCorrupt, "The row that says how far the copy is cannot be read.");
    if (mark->from != options_.from_mark && std::ranges::count(options_.former_marks, mark->from) == 0) {
      co_return refusal("The store to copy to holds the begun copy of another store, " + mark->from + ".");
    }
    mark_ = std::move(*mark);
    mark_.from = options_.from_mark;
    version_ = found->version;
    report_.resumed = true;
    co_return Result<void>();
  }
  PARTITA_CO_TRY(const bool empty, co_await holds_only(to_, kLeftByKilled));
  if (!empty)
    co_return refusal(
        "The store to copy to is not empty: name a new directory or database, or a new schema or prefix of one.");
  mark_.from = options_.from_mark;
  co_return co_await store(nullptr);
}

// Checks the limits before anything is copied.
Task<Result<void>> Copier::check_logs() {
  std::string after;
  for (;;) {
    auto listed = co_await from_.topics(after, kTopicsAtOnce);
    PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
    if (topics.empty()) co_return Result<void>();
    for (const std::string& topic : topics) {
      auto ended = co_await from_.log_end(topic);
      PARTITA_CO_TRY(const Position end, std::move(ended));
      if (!to_.has_room_for(end)) co_return storage::no_room_for_position();
    }
    after = topics.back();
  }
}

Task<Result<void>> Copier::copy_rows() {
  storage::Range range = copied_rows(options_.snapshots);
  if (!mark_.done.empty()) range = storage::behind(mark_.done, std::move(range));
  for (bool more = mark_.phase == Phase::kRows; more;) {
    auto scanned = co_await from_.scan(range, storage::Direction::kAscending, options_.page_rows, options_.page_bytes);
    PARTITA_CO_TRY(const Page page, std::move(scanned));
    more = storage::advance(range, page);
    if (!page.empty()) mark_.done = page[page.size() - 1].key;
    std::vector<Page::Row> rows;
    for (size_t i = 0; i < page.size(); ++i) {
      if (!is_copied(page[i].key)) continue;
      rows.push_back(page[i]);
      mark_.bytes += page[i].key.size() + page[i].value.size();
    }
    mark_.rows += rows.size();
    if (!more) mark_.phase = Phase::kLogs, mark_.done.clear();
    AddRows put_all = [&rows](Changes& changes) {
      for (const Page::Row& row : rows) changes.put(key_of_row(row.key), std::string(row.value));
    };
    PARTITA_CO_TRY_VOID(co_await store(std::move(put_all)));
    PARTITA_CO_TRY_VOID(tell(false, mark_.rows, mark_.bytes));
  }
  co_return Result<void>();
}

Task<Result<void>> Copier::copy_logs() {
  if (!mark_.topic.empty()) PARTITA_CO_TRY_VOID(co_await copy_log(mark_.topic));
  for (;;) {
    auto listed = co_await from_.topics(mark_.done, kTopicsAtOnce);
    PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
    if (topics.empty()) co_return Result<void>();
    for (const std::string& topic : topics) PARTITA_CO_TRY_VOID(co_await copy_log(topic));
  }
}

// From the mark's position. Restoring an entry twice, after a kill, has no effect.
Task<Result<void>> Copier::copy_log(std::string topic) {
  auto ended = co_await from_.log_end(topic);
  PARTITA_CO_TRY(const Position end, std::move(ended));
  for (bool more = true; more;) {
    auto read = co_await from_.read_log(topic, mark_.position, options_.page_rows, options_.page_bytes);
    PARTITA_CO_TRY(std::vector<LogEntry> entries, std::move(read));
    more = !entries.empty();
    mark_.rows += entries.size();
    for (const LogEntry& one : entries) mark_.bytes += one.entry.size();
    mark_.topic = more ? topic : std::string();
    mark_.position = more ? entries.back().position : Position();
    if (!more) mark_.done = topic;
    const Position upto = more ? entries.back().position : end;
    PARTITA_CO_TRY_VOID(co_await to_.restore_log(topic, std::move(entries), upto));
    PARTITA_CO_TRY_VOID(co_await store(nullptr));
    PARTITA_CO_TRY_VOID(tell(false, mark_.rows, mark_.bytes));
  }
  co_return Result<void>();
}

Task<Result<void>> Copier::verify_rows() {
  CopiedRows original(from_, options_);
  CopiedRows copied(to_, options_);
  for (uint64_t rows = 0, bytes = 0;; ++rows) {
    PARTITA_CO_TRY(const bool more, co_await original.next());
    PARTITA_CO_TRY(const bool more_copied, co_await copied.next());
    if (more != more_copied) co_return differs("the number of rows");
    if (!more) co_return Result<void>();
    const Page::Row row = original.row();
    const bool same = row.key == copied.row().key && row.value == copied.row().value;
    if (!same) co_return differs("a row of table " + std::to_string(table_of(row.key)));
    add(report_.tables[table_of(row.key)], row.key, row.value);
    bytes += row.key.size() + row.value.size();
    if (rows % options_.page_rows == 0) PARTITA_CO_TRY_VOID(tell(true, rows, bytes));
  }
}

// Engines list topics in different orders.
Task<Result<void>> Copier::verify_logs() {
  CopiedPart original;
  CopiedPart copied;
  for (const bool in_copy : {false, true}) {
    std::string after;
    for (;;) {
      auto listed = co_await (in_copy ? to_ : from_).topics(after, kTopicsAtOnce);
      PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
      if (topics.empty()) break;
      for (const std::string& topic : topics) {
        add(in_copy ? copied : original, topic, {});
        if (!in_copy) PARTITA_CO_TRY_VOID(co_await verify_log(topic));
      }
      after = topics.back();
    }
  }
  if (original != copied) co_return differs("the number of logs");
  co_return Result<void>();
}

Task<Result<void>> Copier::verify_log(std::string topic) {
  auto ended = co_await from_.log_end(topic);
  PARTITA_CO_TRY(const Position end, std::move(ended));
  auto copied_end = co_await to_.log_end(topic);
  PARTITA_CO_TRY(const Position copied, std::move(copied_end));
  if (end != copied) co_return differs("a log's end");
  for (Position at{};;) {
    auto read = co_await from_.read_log(topic, at, options_.page_rows, options_.page_bytes);
    PARTITA_CO_TRY(const std::vector<LogEntry> entries, std::move(read));
    auto read_back = co_await to_.read_log(topic, at, options_.page_rows, options_.page_bytes);
    PARTITA_CO_TRY(const std::vector<LogEntry> others, std::move(read_back));
    const size_t count = std::min(entries.size(), others.size());
    if (count == 0 && entries.size() != others.size()) co_return differs("a log");
    if (count == 0) co_return Result<void>();
    for (size_t i = 0; i < count; ++i) {
      if (entries[i].position != others[i].position || entries[i].entry != others[i].entry)
        co_return differs("a log's entry");
      add(report_.logs, entry_name(topic, entries[i].position), entries[i].entry);
    }
    at = entries[count - 1].position;
    PARTITA_CO_TRY_VOID(tell(true, report_.logs.rows, report_.logs.bytes));
  }
}

Task<Result<CopyReport>> Copier::run() {
  PARTITA_CO_TRY_VOID(co_await begin());
  PARTITA_CO_TRY_VOID(co_await copy_rows());
  PARTITA_CO_TRY_VOID(co_await copy_logs());
  PARTITA_CO_TRY_VOID(co_await verify_rows());
  PARTITA_CO_TRY_VOID(co_await verify_logs());
  if (options_.still_alone) PARTITA_CO_TRY_VOID(options_.still_alone());
  PARTITA_CO_TRY_VOID(co_await store(nullptr, true));
  co_return std::move(report_);
}

}  // namespace

Task<Result<CopyReport>> copy_store(Engine& from, Engine& to, StoreCopyOptions options) {
  Copier copier(from, to, std::move(options));
  co_return co_await copier.run();
}

storage::Range copied_rows(bool snapshots) {
  storage::Range rows;
  if (!snapshots) rows.end = all_aside().begin;
  return rows;
}

Task<Result<void>> refuse_copying(Engine& from, std::string name) {
  PARTITA_CO_TRY_VOID(co_await refuse_half_copy(from));
  PARTITA_CO_TRY_VOID(co_await refuse_half_rollback(from));
  PARTITA_CO_TRY(const bool nothing, co_await holds_only(from, kLeftByAny));
  if (nothing) co_return refusal("There is nothing to copy: " + name + " holds no tables.");
  co_return Result<void>();
}

Task<Result<void>> refuse_half_copy(Engine& engine) {
  PARTITA_CO_TRY(const std::optional<Record> mark, co_await read_mark(engine));
  if (!mark) co_return Result<void>();
  const std::optional<Mark> said = decode(mark->value);
  const std::string of = said ? " of " + said->from : std::string();
  co_return refusal("The store is a copy" + of +
                    " that is not whole yet: run the same `partita copy` again to end it.");
}

}  // namespace partita::table
