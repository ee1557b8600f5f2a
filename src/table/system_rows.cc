#include "table/system_rows.h"

#include "base/bytes.h"

namespace partita::table {

namespace {
constexpr uint32_t kSystemId = 0;
}  // namespace

storage::Key system_key(SystemRow kind, std::string_view rest) {
  storage::Key key;
  key.bytes.reserve(sizeof(kSystemId) + 1 + rest.size());
  append_u32(key.bytes, kSystemId);
  key.bytes.push_back(static_cast<char>(kind));
  key.place = static_cast<uint32_t>(key.bytes.size());
  key.bytes.append(rest);
  return key;
}

storage::Range rows_under(std::string prefix) {
  storage::Range range;
  range.end = prefix_end(prefix).value_or("");
  range.begin = std::move(prefix);
  return range;
}

storage::Range system_rows(SystemRow kind) { return rows_under(system_key(kind).bytes); }

storage::Range behind(std::string_view key, storage::Range range) {
  range.begin.assign(key);
  range.begin.push_back('\0');
  return range;
}

}  // namespace partita::table
