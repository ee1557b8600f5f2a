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
// The first byte of each row's value. Servers wait for a lease before they replace the members of another format.
constexpr char kFormat = 1;
// More than any table has, and sums of them do not overflow.
constexpr model::HalfUnits kMostHalfUnits = int64_t{1} << 48;

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
  std::string bytes(1, kFormat);
  for (const Member& member : members) {
    append_u64(bytes, member.id);
    append_u64(bytes, member.heartbeat);
    append_u32(bytes, member.divisor);
  }
  return bytes;
}

std::string encode_pool(const Pool& pool) {
  std::string bytes(1, kFormat);
  append_u64(bytes, static_cast<uint64_t>(pool.level));
  append_u64(bytes, pool.revision);
  append_u64(bytes, static_cast<uint64_t>(pool.per_second));
  append_u64(bytes, static_cast<uint64_t>(pool.consumed));
  for (const Demand& demand : pool.demands) {
    append_u64(bytes, demand.id);
    append_u64(bytes, static_cast<uint64_t>(demand.used));
  }
  return bytes;
}

bool take_format(std::string_view& bytes) {
  if (bytes.empty() || bytes[0] != kFormat) return false;
  bytes.remove_prefix(1);
  return true;
}

std::optional<model::HalfUnits> take_half_units(std::string_view& bytes) {
  const auto units = take_u64(bytes);
  if (!units || *units > static_cast<uint64_t>(kMostHalfUnits)) return std::nullopt;
  return static_cast<model::HalfUnits>(*units);
}

}  // namespace

std::optional<Members> decode_members(std::string_view bytes) {
  Members members;
  if (!take_format(bytes)) return std::nullopt;
  while (!bytes.empty()) {
    const auto id = take_u64(bytes);
    const auto heartbeat = take_u64(bytes);
    const auto divisor = take_u32(bytes);
    if (!id || !heartbeat || !divisor) return std::nullopt;
    members.push_back({*id, *heartbeat, *divisor});
  }
  return members.empty() ? std::nullopt : std::optional(std::move(members));
}

std::optional<Pool> decode_pool(std::string_view bytes) {
  if (!take_format(bytes)) return std::nullopt;
  const auto level = take_half_units(bytes);
  const auto revision = take_u64(bytes);
  const auto per_second = take_half_units(bytes);
  const auto consumed = take_half_units(bytes);
  if (!level || !revision || !per_second || !consumed) return std::nullopt;
  Pool pool{*level, {}, *revision, *per_second, *consumed};
  while (!bytes.empty()) {
    const auto id = take_u64(bytes);
    const auto used = take_half_units(bytes);
    if (!id || !used) return std::nullopt;
    pool.demands.push_back({*id, *used});
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
      ledger.rows.members = decode_members(row.value).value_or(Members{kUnknownServers});
      ledger.version = row.version;
      continue;
    }
    const auto id = bucket_of(row.key.substr(members.size()));
    if (!id) continue;  // of another version
    const std::optional<Pool> pool = decode_pool(row.value);
    if (!pool) ledger.unreadable.push_back(*id);
    ledger.rows.pools.emplace(*id, pool.value_or(Pool{}));
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
    for (const BucketId& id : seen.unreadable) {
      if (!writes.pools.contains(id)) changes.put(pool_key(id), encode_pool(Pool{}));
    }
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
