#include "throttle/ledger_rows.h"

#include <utility>
#include <vector>

#include "base/bytes.h"
#include "storage/range_cursor.h"
#include "table/rows/system_rows.h"

namespace partita::throttle {

namespace {

using table::system_key;
using table::SystemRow;

constexpr char kPoolLetter = 'B';

storage::Key members_key() { return system_key(SystemRow::kLedger); }

storage::Key pool_key(const BucketId& id) {
  std::string rest(1, kPoolLetter);
  append_u32(rest, id.table);
  append_u16(rest, id.index);
  rest.push_back(id.write ? 'W' : 'R');
  return system_key(SystemRow::kLedger, rest);
}

std::optional<BucketId> bucket_of(std::string_view rest) {
  if (rest.empty() || rest[0] != kPoolLetter) return std::nullopt;
  rest.remove_prefix(1);
  const auto table = take_u32(rest);
  const auto index = take_u16(rest);
  if (!table || !index || rest.size() != 1) return std::nullopt;
  return BucketId{*table, *index, rest[0] == 'W'};
}

std::string encode_members(const Members& members) {
  std::string bytes;
  for (const Member& member : members) {
    append_u64(bytes, member.id);
    append_u64(bytes, member.beat);
    append_u32(bytes, member.divisor);
  }
  return bytes;
}

std::string encode_pool(const Pool& pool) {
  std::string bytes;
  append_u64(bytes, static_cast<uint64_t>(pool.level));
  for (const Want& want : pool.wants) {
    append_u64(bytes, want.id);
    append_u64(bytes, static_cast<uint64_t>(want.used));
  }
  return bytes;
}

Error damaged_ledger() { return Error(ErrorKind::kCorrupt, "a row of the ledger of capacity is damaged"); }

}  // namespace

std::optional<Members> decode_members(std::string_view bytes) {
  Members members;
  while (!bytes.empty()) {
    const auto id = take_u64(bytes);
    const auto beat = take_u64(bytes);
    const auto divisor = take_u32(bytes);
    if (!id || !beat || !divisor) return std::nullopt;
    members.push_back({*id, *beat, *divisor});
  }
  return members;
}

std::optional<Pool> decode_pool(std::string_view bytes) {
  const auto level = take_u64(bytes);
  if (!level) return std::nullopt;
  Pool pool{static_cast<model::HalfUnits>(*level), {}};
  while (!bytes.empty()) {
    const auto id = take_u64(bytes);
    const auto used = take_u64(bytes);
    if (!id || !used) return std::nullopt;
    pool.wants.push_back({*id, static_cast<model::HalfUnits>(*used)});
  }
  return pool;
}

// A pool on a later page may be newer than the members. Then nothing that follows from it can be written.
Task<Result<StoredLedger>> read_ledger(storage::Engine& engine) {
  StoredLedger ledger;
  const std::string members = members_key().bytes;
  storage::RangeCursor rows(engine, table::system_rows(SystemRow::kLedger));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await rows.next());
    if (!more) co_return ledger;
    const storage::Page::Row row = rows.row();
    if (row.key == members) {
      auto list = decode_members(row.value);
      if (!list) co_return damaged_ledger();
      ledger.rows.members = std::move(*list);
      ledger.version = row.version;
      continue;
    }
    const auto id = bucket_of(row.key.substr(members.size()));
    auto pool = decode_pool(row.value);
    if (!id || !pool) co_return damaged_ledger();
    ledger.rows.pools.emplace(*id, std::move(*pool));
  }
}

Task<Result<storage::Outcome>> write_ledger(storage::Engine& engine, const StoredLedger& seen,
                                            const LedgerWrites& writes) {
  const storage::Decide decide = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    if (writes.members.empty()) {
      changes.erase(members_key());
      for (const auto& [id, pool] : seen.rows.pools) changes.erase(pool_key(id));
      return storage::Decision::kCommit;
    }
    changes.put(members_key(), encode_members(writes.members));
    for (const auto& [id, pool] : writes.pools) {
      if (pool) {
        changes.put(pool_key(id), encode_pool(*pool));
      } else {
        changes.erase(pool_key(id));
      }
    }
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> compare{{members_key(), seen.version}};
  co_return co_await engine.transact(std::move(none), std::move(compare), decide);
}

}  // namespace partita::throttle
