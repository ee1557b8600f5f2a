#include "table/catalog/second_copies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/rows/job_row.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Range;
using storage::Record;

constexpr size_t kSecondCopyIdBytes = sizeof(kSecondCopyId);

// A row and its second copy, as they are.
struct Pair {
  std::optional<Record> first;
  std::optional<Record> second;

  bool same() const { return first.has_value() == second.has_value() && (!first || first->value == second->value); }
};

struct Differences {
  std::vector<std::pair<std::string, Pair>> pairs;  // by the key behind the id
  bool any_second = false;                          // whether there is a second copy at all
};

Record record_of(const storage::Page::Row& row) { return {std::string(row.value), row.version}; }

Task<Result<void>> compare_kind(storage::Engine& engine, SystemRow kind, Differences& found) {
  storage::RangeCursor first(engine, system_rows(kind));
  storage::RangeCursor second(engine, storage::range_of(second_copy(system_key(kind)).bytes));
  PARTITA_CO_TRY(bool has_first, co_await first.next());
  PARTITA_CO_TRY(bool has_second, co_await second.next());
  found.any_second = found.any_second || has_second;
  while (has_first || has_second) {
    const std::string of_first(has_first ? first.row().key.substr(kSecondCopyIdBytes) : std::string_view());
    const std::string of_second(has_second ? second.row().key.substr(kSecondCopyIdBytes) : std::string_view());
    Pair pair;
    if (has_first && (!has_second || of_first <= of_second)) pair.first = record_of(first.row());
    if (has_second && (!has_first || of_second <= of_first)) pair.second = record_of(second.row());
    const bool next_first = pair.first.has_value();
    const bool next_second = pair.second.has_value();
    if (!pair.same()) found.pairs.emplace_back(next_first ? of_first : of_second, std::move(pair));
    if (next_first) {
      PARTITA_CO_TRY(has_first, co_await first.next());
    }
    if (next_second) {
      PARTITA_CO_TRY(has_second, co_await second.next());
    }
  }
  co_return Result<void>();
}

// The revision is the last.
Task<Result<Differences>> find_differences(storage::Engine& engine) {
  Differences found;
  for (const SystemRow kind : {SystemRow::kAccount, SystemRow::kStream, SystemRow::kNextId, SystemRow::kPolicy,
                               SystemRow::kScaling, SystemRow::kTable, SystemRow::kAlarm, SystemRow::kNames,
                               SystemRow::kCluster, SystemRow::kSink, SystemRow::kRevision}) {
    PARTITA_CO_TRY_VOID(co_await compare_kind(engine, kind, found));
  }
  co_return found;
}

Key first_key(const std::string& rest) {
  return system_key(static_cast<SystemRow>(rest.at(0)), std::string_view(rest).substr(1));
}

// Those that another server changes meanwhile are its own to write.
Task<Result<void>> write_copies(storage::Engine& engine, const std::vector<std::pair<std::string, Pair>>& some) {
  for (const auto& [rest, pair] : some) {
    const Key key = first_key(rest);
    const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
      if (pair.first) {
        changes.put(second_copy(key), pair.first->value);
      } else {
        changes.erase(second_copy(key));
      }
      return Decision::kCommit;
    };
    std::optional<storage::Version> version;
    if (pair.first) version = pair.first->version;
    std::vector<storage::Compare> compare{{key, version}};
    std::vector<Key> none;
    auto written = co_await engine.transact(std::move(none), std::move(compare), decide);
    if (!written.ok()) co_return std::move(written).error();
  }
  co_return Result<void>();
}

Task<Result<uint32_t>> highest_in(storage::Engine& engine, Range range, size_t before) {
  auto scanned = co_await engine.scan(std::move(range), storage::Direction::kDescending, 1, 1);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  if (page.empty()) co_return uint32_t{0};
  std::string_view key = page[0].key;
  key.remove_prefix(std::min(before, key.size()));
  co_return take_u32(key).value_or(0);
}

}  // namespace

// All are compared: an older version may have changed a policy or a stream, which no revision tells.
Task<Result<void>> renew_second_copies(storage::Engine& engine) {
  auto found = co_await find_differences(engine);
  PARTITA_CO_TRY(const Differences differing, std::move(found));
  co_return co_await write_copies(engine, differing.pairs);
}

Task<Result<uint64_t>> differing_second_copies(storage::Engine& engine) {
  auto found = co_await find_differences(engine);
  PARTITA_CO_TRY(const Differences differing, std::move(found));
  co_return differing.any_second ? differing.pairs.size() : 0;
}

Task<Result<uint32_t>> highest_table_id(storage::Engine& engine) {
  Range items;
  append_u32(items.begin, 1);
  items.end = second_copies().begin;
  PARTITA_CO_TRY(uint32_t highest, co_await highest_in(engine, std::move(items), 0));
  for (const SystemRow kind :
       {SystemRow::kCount, SystemRow::kExpiry, SystemRow::kPolicy, SystemRow::kTrimmed, SystemRow::kSink}) {
    Range rows = system_rows(kind);
    const size_t before = rows.begin.size();
    PARTITA_CO_TRY(const uint32_t found, co_await highest_in(engine, std::move(rows), before));
    highest = std::max(highest, found);
  }
  for (const SystemRow kind : {SystemRow::kStream, SystemRow::kJob}) {
    storage::RangeCursor walk(engine, system_rows(kind));
    while (true) {
      PARTITA_CO_TRY(const bool more, co_await walk.next());
      if (!more) break;
      uint32_t found = 0;
      if (kind == SystemRow::kStream) {
        const auto row = decode_stream_row(walk.row().value);
        if (row.ok()) found = row->table_id;
      } else {
        const auto job = job_from(walk.row().key, walk.row().value);
        if (job.ok()) found = job->table_id;
      }
      highest = std::max(highest, found);
    }
  }
  co_return highest;
}

}  // namespace partita::table
