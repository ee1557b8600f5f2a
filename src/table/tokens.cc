#include "table/tokens.h"

#include "base/bytes.h"
#include "table/system_rows.h"

namespace partita::table {

storage::Key token_key(std::string_view token) { return system_key(SystemRow::kToken, token); }

std::string token_row(int64_t now_ms, std::string_view digest) {
  std::string row;
  append_u64(row, static_cast<uint64_t>(now_ms));
  row += digest;
  return row;
}

UsedToken used_token(std::string_view row) {
  UsedToken used;
  used.at_ms = static_cast<int64_t>(take_u64(row).value_or(0));
  used.digest = row;
  return used;
}

}  // namespace partita::table
