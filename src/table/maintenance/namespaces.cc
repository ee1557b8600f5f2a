#include "table/maintenance/namespaces.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "storage/prefixed_engine.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

constexpr char kRows = 'N';
constexpr char kAside = 'S';
// No topic of the store's own database begins so.
constexpr char kTopics = '\xff';

std::string beside(char kind, std::string_view name) {
  PARTITA_CHECK(name.empty() || is_namespace_name(name));
  return std::string(kBesideDatabase) + kind + std::string(name) + '\0';
}

// The first name after `after` that has rows of that kind; nothing: there is none.
Task<Result<std::optional<std::string>>> next_of(storage::Engine& store, char kind, std::optional<std::string> after) {
  const std::string all = std::string(kBesideDatabase) + kind;
  storage::Range rest = storage::range_of(all);
  if (after) rest.begin = storage::end_of(beside(kind, *after));
  auto scanned = co_await store.scan(std::move(rest), storage::Direction::kAscending, 1, 1);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  if (page.empty()) co_return std::optional<std::string>();
  const std::string_view named = page[0].key.substr(all.size());
  std::string name(named.substr(0, named.find('\0')));
  if (!is_namespace_name(name) && (kind != kAside || !name.empty())) {
    co_return Error(ErrorKind::kCorrupt, "A row of a namespace has no namespace's name.");
  }
  co_return std::optional<std::string>(std::move(name));
}

Task<Result<bool>> holds(storage::Engine& store, storage::Range range) {
  auto scanned = co_await store.scan(std::move(range), storage::Direction::kAscending, 1, 1);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  co_return !page.empty();
}

// The rows of a namespace. Attribute lists that it lacks are read from the store's own database: see keep_lists().
class NamespaceEngine final : public storage::PrefixedEngine {
 public:
  NamespaceEngine(storage::Engine& store, std::string_view name)
      : PrefixedEngine(store, rows_of_namespace(name), topics_of_namespace(name)), store_(store) {}

  Task<Result<std::vector<std::optional<storage::Record>>>> read(std::span<const storage::Key> keys) override {
    static const std::string lists = system_key(SystemRow::kNames).bytes;
    const bool of_lists = !keys.empty() && keys.front().bytes.starts_with(lists);
    return of_lists ? read_lists(keys) : PrefixedEngine::read(keys);
  }

 private:
  Task<Result<std::vector<std::optional<storage::Record>>>> read_lists(std::span<const storage::Key> keys) {
    auto read = co_await PrefixedEngine::read(keys);
    if (!read.ok()) co_return read;
    std::vector<storage::Key> missing;
    std::vector<size_t> places;
    for (size_t i = 0; i < keys.size(); ++i) {
      if ((*read)[i]) continue;
      missing.push_back(keys[i]);
      places.push_back(i);
    }
    if (missing.empty()) co_return read;
    auto kept = co_await store_.read(missing);
    if (!kept.ok()) co_return kept;
    for (size_t i = 0; i < places.size(); ++i) (*read)[places[i]] = std::move((*kept)[i]);
    co_return read;
  }

  storage::Engine& store_;
};

// Clients use the ids of attribute lists as long as they run, also in a namespace that was dropped and has begun again.
// The store's own database keeps the lists, each once for all namespaces.
Task<Result<void>> keep_lists(storage::Engine& store, const std::string& name) {
  constexpr size_t kRowsAtOnce = 256;
  storage::Range rest = system_rows(SystemRow::kNames);
  const std::string prefix = rows_of_namespace(name);
  rest.begin.insert(0, prefix);
  rest.end.insert(0, prefix);
  for (bool more = true; more;) {
    auto scanned = co_await store.scan(rest, storage::Direction::kAscending, kRowsAtOnce, size_t{1} << 20);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    more = storage::advance(rest, page);
    if (page.empty()) continue;
    std::vector<storage::Key> keys;
    for (size_t i = 0; i < page.size(); ++i)
      keys.push_back(storage::Key{std::string(page[i].key.substr(prefix.size()))});
    const storage::Decide put = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
      for (size_t i = 0; i < found.size(); ++i) {
        if (found[i] != nullptr) continue;
        put_twice(storage::Key{std::string(page[i].key.substr(prefix.size()))}, std::string(page[i].value), changes);
      }
      return storage::Decision::kCommit;
    };
    std::vector<storage::Compare> none;
    auto kept = co_await store.transact(std::move(keys), std::move(none), put, nullptr);
    if (!kept.ok()) co_return std::move(kept).error();
  }
  co_return Result<void>();
}

}  // namespace

std::string rows_of_namespace(std::string_view name) { return name.empty() ? "" : beside(kRows, name); }

std::string topics_of_namespace(std::string_view name) {
  return name.empty() ? "" : kTopics + std::string(name) + '\0';
}

std::string aside_of_namespace(std::string_view name) { return beside(kAside, name); }

std::string_view key_in_database(std::string_view key) {
  if (!key.starts_with(kBesideDatabase) || key.substr(kBesideDatabase.size(), 1) != std::string_view(&kRows, 1)) {
    return key;
  }
  const size_t end = key.find('\0', kBesideDatabase.size());
  return end == std::string_view::npos ? key : key.substr(end + 1);
}

storage::Range all_aside() { return storage::range_of(std::string(kBesideDatabase) + kAside); }

bool is_topic_beside(std::string_view topic) { return topic.starts_with(kTopics); }

bool is_namespace_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNamespaceBytes && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

std::unique_ptr<storage::Engine> namespace_of(storage::Engine& store, std::string_view name) {
  return std::make_unique<NamespaceEngine>(store, name);
}

Task<Result<bool>> namespace_exists(storage::Engine& store, std::string name) {
  auto held = co_await holds(store, storage::range_of(rows_of_namespace(name)));
  PARTITA_CO_TRY(const bool rows, std::move(held));
  if (rows) co_return true;
  co_return co_await holds(store, storage::range_of(aside_of_namespace(name)));
}

Task<Result<void>> drop_namespace(storage::Engine& store, std::string name) {
  // The catalogue last: cut off before, rows of its tables may stay, and no table that is made later has their ids.
  storage::Range catalogue = storage::range_of(rows_of_namespace(name) + std::string(sizeof(uint32_t), '\0'));
  storage::Range tables = storage::range_of(rows_of_namespace(name));
  tables.begin = catalogue.end;
  PARTITA_CO_TRY_VOID(co_await keep_lists(store, name));
  PARTITA_CO_TRY_VOID(co_await storage::erase_rows(store, std::move(tables)));
  PARTITA_CO_TRY_VOID(co_await storage::erase_rows(store, std::move(catalogue)));
  storage::Range aside = storage::range_of(aside_of_namespace(name));
  PARTITA_CO_TRY_VOID(co_await storage::erase_rows(store, std::move(aside)));
  co_return co_await storage::forget_logs(store, topics_of_namespace(name));
}

Task<Result<std::vector<std::string>>> namespaces_with_aside(storage::Engine& store) {
  std::vector<std::string> names;
  std::optional<std::string> last;
  while (true) {
    auto found = co_await next_of(store, kAside, last);
    PARTITA_CO_TRY(last, std::move(found));
    if (!last) co_return names;
    names.push_back(*last);
  }
}

Task<Result<std::vector<std::string>>> namespaces(storage::Engine& store, std::string after, size_t most) {
  std::vector<std::string> names;
  while (names.size() < most) {
    std::optional<std::string> next;
    for (const char kind : {kRows, kAside}) {
      std::optional<std::string> from;
      // What is beside the store's own database comes first.
      if (!after.empty() || kind == kAside) from = after;
      auto found = co_await next_of(store, kind, std::move(from));
      PARTITA_CO_TRY(std::optional<std::string> name, std::move(found));
      if (name && (!next || *name < *next)) next = std::move(name);
    }
    if (!next) break;
    after = *next;
    names.push_back(std::move(*next));
  }
  co_return names;
}

}  // namespace partita::table
