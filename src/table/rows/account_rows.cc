#include "table/rows/account_rows.h"

#include <utility>

#include "base/bytes.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

constexpr size_t kPageRows = 10'000;
constexpr size_t kPageBytes = size_t{16} << 20;

Task<Result<AccountVersion>> read_version(storage::Engine& engine) {
  const std::vector<storage::Key> keys{account_version_key()};
  auto read = co_await engine.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return AccountVersion();
  co_return AccountVersion(records[0]->version);
}

}  // namespace

storage::Key account_version_key() { return system_key(SystemRow::kAccount); }

Task<Result<AccountRows>> read_account_rows(storage::Engine& engine) {
  const size_t before = account_version_key().bytes.size();
  while (true) {
    AccountRows found;
    storage::Range range = system_rows(SystemRow::kAccount);
    size_t pages = 0;
    for (bool more = true; more; ++pages) {
      auto scanned = co_await engine.scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
      PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
      for (size_t i = 0; i < page.size(); ++i) {
        if (page[i].key.size() == before) {
          found.version = page[i].version;
        } else {
          found.rows.emplace(page[i].key.substr(before), page[i].value);
        }
      }
      more = storage::advance(range, page);
    }
    if (pages == 1) co_return found;
    PARTITA_CO_TRY(const AccountVersion now, co_await read_version(engine));
    if (now == found.version) co_return found;
  }
}

Task<Result<bool>> change_account_rows(storage::Engine& engine, AccountVersion known,
                                       std::vector<AccountChange> changes) {
  const storage::Key key = account_version_key();
  const storage::Decide decide = [&](std::span<const storage::Record* const> found, storage::Changes& writes) {
    std::string_view last = found[0] == nullptr ? std::string_view() : found[0]->value;
    std::string next;
    append_u64(next, take_u64(last).value_or(0) + 1);
    put_twice(key, std::move(next), writes);
    for (const AccountChange& change : changes) {
      if (change.text) {
        put_twice(system_key(SystemRow::kAccount, change.name), *change.text, writes);
      } else {
        erase_twice(system_key(SystemRow::kAccount, change.name), writes);
      }
    }
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> keys{key};
  std::vector<storage::Compare> compare{{key, known}};
  auto outcome = co_await engine.transact(std::move(keys), std::move(compare), decide);
  PARTITA_CO_TRY(const storage::Outcome done, std::move(outcome));
  co_return done == storage::Outcome::kCommitted;
}

}  // namespace partita::table
