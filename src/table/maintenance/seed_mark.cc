#include "table/maintenance/seed_mark.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Outcome;
using storage::Record;

// No table has it. Its id is the claim's eight bytes; a row without it is nobody's.
constexpr std::string_view kClaim;

storage::Key seed_key() { return system_key(SystemRow::kSeed); }

std::string encode(const SeedMark& mark) {
  std::string value;
  if (mark.claim != 0) {
    std::string claim;
    append_u64(claim, mark.claim);
    append_sized(value, kClaim);
    append_sized(value, claim);
  }
  for (const auto& [name, id] : mark.tables) {
    append_sized(value, name);
    append_sized(value, id);
  }
  return value;
}

// Changes the row if it still says that claim. Nothing: it goes.
Task<Result<bool>> change(storage::Engine& engine, uint64_t claim, std::optional<std::string> value) {
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    const auto stored = found[0] == nullptr ? Result<SeedMark>(SeedMark{}) : decode_seeding(found[0]->value);
    if (!stored.ok() || stored->claim != claim) return Decision::kRefuse;
    if (value) {
      changes.put(seed_key(), *value);
    } else {
      changes.erase(seed_key());
    }
    return Decision::kCommit;
  };
  std::vector<storage::Key> keys{seed_key()};
  std::vector<storage::Compare> none;
  auto outcome = co_await engine.transact(std::move(keys), std::move(none), decide);
  PARTITA_CO_TRY(const Outcome changed, std::move(outcome));
  co_return changed == Outcome::kCommitted;
}

}  // namespace

Result<SeedMark> decode_seeding(std::string_view value) {
  const auto unreadable = [] { return Error(ErrorKind::kCorrupt, "The row of what --seed has made cannot be read."); };
  SeedMark mark;
  while (!value.empty()) {
    const auto name = take_sized(value);
    auto id = take_sized(value);
    if (!name || !id) return unreadable();
    if (*name != kClaim) {
      mark.tables.emplace(*name, *id);
      continue;
    }
    const auto claim = take_u64(*id);
    if (!claim || !id->empty()) return unreadable();
    mark.claim = *claim;
  }
  return mark;
}

Task<Result<std::optional<SeenSeedMark>>> find_seed_mark(storage::Engine& engine) {
  const std::vector<storage::Key> keys{seed_key()};
  auto read = co_await engine.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return std::optional<SeenSeedMark>();
  PARTITA_CO_TRY(SeedMark mark, decode_seeding(records[0]->value));
  co_return std::optional<SeenSeedMark>({std::move(mark), records[0]->version});
}

Task<Result<bool>> claim_seed_mark(storage::Engine& engine, std::optional<SeenSeedMark> seen, uint64_t claim) {
  const std::string value = encode({seen ? std::move(seen->mark.tables) : SeededTables(), claim});
  const storage::Decide put = [&](std::span<const Record* const>, Changes& changes) {
    changes.put(seed_key(), value);
    return Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> compare{
      {seed_key(), seen ? std::optional<storage::Version>(seen->version) : std::nullopt}};
  auto outcome = co_await engine.transact(std::move(none), std::move(compare), put);
  PARTITA_CO_TRY(const Outcome claimed, std::move(outcome));
  co_return claimed == Outcome::kCommitted;
}

Task<Result<bool>> note_seeding(storage::Engine& engine, SeedMark mark) {
  std::string value = encode(mark);
  co_return co_await change(engine, mark.claim, std::move(value));
}

Task<Result<bool>> end_seeding(storage::Engine& engine, uint64_t claim, SeededTables left) {
  std::optional<std::string> value;
  if (!left.empty()) value = encode({std::move(left), 0});
  co_return co_await change(engine, claim, std::move(value));
}

}  // namespace partita::table
