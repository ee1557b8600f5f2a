#include "table/maintenance/clone.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "storage/range_cursor.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Outcome;

struct Contents {
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::pair<std::string, std::string>> entries;  // topics and what is appended to them
  size_t bytes = 0;

  void add(std::vector<std::pair<std::string, std::string>>& list, std::string_view name, std::string_view value) {
    list.emplace_back(name, value);
    bytes += name.size() + value.size();
  }
};

// Servers create recurring jobs again.
bool is_left_out(std::string_view key) {
  const auto is = [&](SystemRow kind) { return key.starts_with(system_key(kind).bytes); };
  return is(SystemRow::kJob) || is(SystemRow::kSeed) || is_of_servers(key);
}

Task<Result<void>> read_rows(storage::Engine& from, Contents& contents, size_t most_bytes) {
  storage::RangeCursor walk(from, {});
  while (contents.bytes <= most_bytes) {
    PARTITA_CO_TRY(const bool more, co_await walk.next());
    if (!more) break;
    if (!is_left_out(walk.row().key)) contents.add(contents.rows, walk.row().key, walk.row().value);
  }
  co_return Result<void>();
}

Task<Result<void>> read_logs(storage::Engine& from, Contents& contents, size_t most_bytes) {
  constexpr size_t kTopics = 1'000;
  constexpr size_t kEntries = 1'000;
  std::string last;
  while (contents.bytes <= most_bytes) {
    auto listed = co_await from.topics(last, kTopics);
    PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
    if (topics.empty()) break;
    last = topics.back();
    for (const std::string& topic : topics) {
      storage::Position after;
      while (contents.bytes <= most_bytes) {
        auto read = co_await from.read_log(topic, after, kEntries, most_bytes);
        PARTITA_CO_TRY(const auto entries, std::move(read));
        if (entries.empty()) break;
        for (const auto& one : entries) contents.add(contents.entries, topic, one.entry);
        after = entries.back().position;
      }
    }
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<bool>> clone_into(storage::Engine& from, TableContext& to, size_t most_bytes) {
  most_bytes = std::min(most_bytes, to.engine().limits().transaction_bytes);
  Contents contents;
  PARTITA_CO_TRY_VOID(co_await read_rows(from, contents, most_bytes));
  PARTITA_CO_TRY_VOID(co_await read_logs(from, contents, most_bytes));
  if (contents.bytes > most_bytes) co_return false;
  const storage::Decide put_all = [&](std::span<const storage::Record* const>, Changes& changes) {
    for (const auto& [key, value] : contents.rows) changes.put(key_of_row(key), value);
    for (const auto& [topic, entry] : contents.entries) changes.append(topic, entry);
    return Decision::kCommit;
  };
  // Ids are never used again: where none was, no table ever was.
  std::vector<storage::Compare> compare;
  for (const SystemRow kind : {SystemRow::kNextId, SystemRow::kRevision, SystemRow::kSeed}) {
    compare.push_back({system_key(kind), std::nullopt});
  }
  std::vector<storage::Key> none;
  auto outcome = co_await to.engine().transact(std::move(none), std::move(compare), put_all);
  if (!outcome.ok() && outcome.error().kind() == ErrorKind::kTooLarge) co_return false;
  PARTITA_CO_TRY(const Outcome put, std::move(outcome));
  if (put != Outcome::kCommitted) co_return false;
  PARTITA_CO_TRY_VOID(co_await to.catalog().look_again());
  co_return true;
}

}  // namespace partita::table
