#include "table/rows/system_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "storage/ranges.h"

namespace partita::table {

namespace {
constexpr uint32_t kSystemId = 0;
constexpr size_t kSystemPlaceBytes = sizeof(kSystemId) + 1;
// What engines keep together of items: table, index and hash (docs/formats/keys.md).
constexpr size_t kItemPlaceBytes = 14;
}  // namespace

storage::Key system_key(SystemRow kind, std::string_view rest) {
  storage::Key key;
  key.bytes.reserve(kSystemPlaceBytes + rest.size());
  append_u32(key.bytes, kSystemId);
  key.bytes.push_back(static_cast<char>(kind));
  key.place = static_cast<uint32_t>(key.bytes.size());
  key.bytes.append(rest);
  key.read_mostly = kind == SystemRow::kTable;
  return key;
}

storage::Key key_of_row(std::string_view bytes) {
  std::string_view rest = bytes;
  const std::optional<uint32_t> table = take_u32(rest);
  if (table == kSystemId && !rest.empty()) return system_key(static_cast<SystemRow>(rest[0]), rest.substr(1));
  if (table == kSecondCopyId && !rest.empty()) {
    return second_copy(system_key(static_cast<SystemRow>(rest[0]), rest.substr(1)));
  }
  return {std::string(bytes), static_cast<uint32_t>(std::min(bytes.size(), kItemPlaceBytes))};
}

storage::Range system_rows(SystemRow kind) { return storage::range_of(system_key(kind).bytes); }

bool is_of_servers(std::string_view key) {
  const std::optional<uint32_t> table = take_u32(key);
  if (table != kSystemId || key.empty()) return false;
  const auto kind = static_cast<SystemRow>(key[0]);
  return kind == SystemRow::kProbe || kind == SystemRow::kLedger || kind == SystemRow::kAlarmNotices;
}

storage::Key second_copy(const storage::Key& key) {
  storage::Key copy = key;
  std::string id;
  append_u32(id, kSecondCopyId);
  copy.bytes.replace(0, id.size(), id);
  copy.read_mostly = false;
  return copy;
}

storage::Range second_copies() {
  std::string id;
  append_u32(id, kSecondCopyId);
  return storage::range_of(id);
}

void put_twice(storage::Key key, std::string value, storage::Changes& changes) {
  changes.put(second_copy(key), value);
  changes.put(std::move(key), std::move(value));
}

void erase_twice(storage::Key key, storage::Changes& changes) {
  changes.erase(second_copy(key));
  changes.erase(std::move(key));
}

}  // namespace partita::table
