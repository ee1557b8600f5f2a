#include "storage/range_cursor.h"

#include <span>
#include <string>
#include <vector>

#include "base/check.h"

namespace partita::storage {

Task<Result<void>> erase_rows(Engine& engine, Range range) {
  constexpr size_t kRowsAtOnce = 10'000;
  constexpr size_t kBytesAtOnce = size_t{4} << 20;
  for (bool more = !is_empty(range); more;) {
    auto scanned = co_await engine.scan(range, Direction::kAscending, kRowsAtOnce, kBytesAtOnce);
    PARTITA_CO_TRY(const Page page, std::move(scanned));
    more = advance(range, page);
    if (page.empty()) break;
    const Decide erase = [&page](std::span<const Record* const>, Changes& changes) {
      // Some may be read-mostly, so all are erased as such.
      for (size_t i = 0; i < page.size(); ++i) changes.erase(Key{std::string(page[i].key), 0, true});
      return Decision::kCommit;
    };
    std::vector<Key> no_keys;
    std::vector<Compare> no_compare;
    auto outcome = co_await engine.transact(std::move(no_keys), std::move(no_compare), erase);
    PARTITA_CO_TRY(const Outcome erased, std::move(outcome));
    PARTITA_CHECK(erased == Outcome::kCommitted);
  }
  co_return Result<void>();
}

}  // namespace partita::storage
