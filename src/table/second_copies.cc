#include "table/second_copies.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "storage/ranges.h"
#include "storage/walk.h"
#include "table/account_rows.h"
#include "table/job.h"
#include "table/stream.h"
#include "table/system_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Range;
using storage::Record;

constexpr size_t kIdBytes = sizeof(kSecondCopyId);

// A row and its second copy, as they are.
struct Pair {
  std::optional<Record> first;
  std::optional<Record> second;

  bool same() const { return first.has_value() == second.has_value() && (!first || first->value == second->value); }
};

// By the key behind the id.
using Pairs = std::map<std::string, Pair>;

Task<Result<void>> read_rows(storage::Engine& engine, Range range, bool second, Pairs& pairs) {
  storage::Walk walk(engine, std::move(range));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await walk.next());
    if (!more) co_return Result<void>();
    const storage::Page::Row row = walk.row();
    Pair& pair = pairs[std::string(row.key.substr(kIdBytes))];
    (second ? pair.second : pair.first) = Record{std::string(row.value), row.version};
  }
}

Task<Result<Pairs>> read_pairs(storage::Engine& engine) {
  Pairs pairs;
  for (const SystemRow kind : {SystemRow::kAccount, SystemRow::kStream, SystemRow::kNextId, SystemRow::kPolicy,
                               SystemRow::kRevision, SystemRow::kTable}) {
    PARTITA_CO_TRY_VOID(co_await read_rows(engine, system_rows(kind), false, pairs));
  }
  PARTITA_CO_TRY_VOID(co_await read_rows(engine, second_copies(), true, pairs));
  co_return pairs;
}

Key first_key(const std::string& rest) {
  return system_key(static_cast<SystemRow>(rest.at(0)), std::string_view(rest).substr(1));
}

// Whether both copies of the two rows that nearly every change writes are of the same moment.
Task<Result<bool>> are_current(storage::Engine& engine) {
  const std::array<Key, 2> firsts{system_key(SystemRow::kRevision), account_version_key()};
  std::vector<Key> keys;
  for (const Key& key : firsts) {
    keys.push_back(key);
    keys.push_back(second_copy(key));
  }
  auto read = co_await engine.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  for (size_t i = 0; i < records.size(); i += 2) {
    if (!Pair{records[i], records[i + 1]}.same()) co_return false;
  }
  if (records[0]) co_return true;
  // The first versions kept no revision.
  auto scanned = co_await engine.scan(system_rows(SystemRow::kTable), storage::Direction::kAscending, 1, 1);
  PARTITA_CO_TRY(const storage::Page tables, std::move(scanned));
  co_return tables.empty();
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

Task<Result<void>> renew_second_copies(storage::Engine& engine, bool all) {
  if (!all) {
    PARTITA_CO_TRY(const bool current, co_await are_current(engine));
    if (current) co_return Result<void>();
  }
  auto read = co_await read_pairs(engine);
  PARTITA_CO_TRY(const Pairs pairs, std::move(read));
  std::vector<std::pair<std::string, Pair>> differing;
  // The revision's is the last, which says that the others are there.
  const std::string revision(1, static_cast<char>(SystemRow::kRevision));
  for (const auto& [rest, pair] : pairs) {
    if (!rest.empty() && rest != revision && !pair.same()) differing.emplace_back(rest, pair);
  }
  const auto last = pairs.find(revision);
  if (last != pairs.end() && !last->second.same()) differing.emplace_back(last->first, last->second);
  co_return co_await write_copies(engine, differing);
}

Task<Result<uint64_t>> differing_second_copies(storage::Engine& engine) {
  auto read = co_await read_pairs(engine);
  PARTITA_CO_TRY(const Pairs pairs, std::move(read));
  const bool none = std::ranges::none_of(pairs, [](const auto& one) { return one.second.second.has_value(); });
  if (none) co_return uint64_t{0};
  co_return static_cast<uint64_t>(std::ranges::count_if(pairs, [](const auto& one) { return !one.second.same(); }));
}

Task<Result<uint32_t>> highest_table_id(storage::Engine& engine) {
  Range items;
  append_u32(items.begin, 1);
  items.end = second_copies().begin;
  PARTITA_CO_TRY(uint32_t highest, co_await highest_in(engine, std::move(items), 0));
  for (const SystemRow kind : {SystemRow::kCount, SystemRow::kExpiry, SystemRow::kPolicy, SystemRow::kTrimmed}) {
    Range rows = system_rows(kind);
    const size_t before = rows.begin.size();
    PARTITA_CO_TRY(const uint32_t found, co_await highest_in(engine, std::move(rows), before));
    highest = std::max(highest, found);
  }
  for (const SystemRow kind : {SystemRow::kStream, SystemRow::kJob}) {
    storage::Walk walk(engine, system_rows(kind));
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
