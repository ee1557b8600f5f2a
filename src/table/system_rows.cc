#include "table/system_rows.h"

#include "base/bytes.h"
#include "storage/ranges.h"

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

storage::Range system_rows(SystemRow kind) { return storage::range_of(system_key(kind).bytes); }

}  // namespace partita::table
