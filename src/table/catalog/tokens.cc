#include "table/catalog/tokens.h"

#include <optional>

#include "base/bytes.h"
#include "model/fault.h"
#include "table/rows/system_rows.h"

namespace partita::table {

storage::Key token_key(std::string_view token) { return system_key(SystemRow::kToken, token); }

std::string token_row(int64_t now_ms, std::string_view digest) {
  std::string row;
  append_u64(row, static_cast<uint64_t>(now_ms));
  row += digest;
  return row;
}

Result<UsedToken> used_token(std::string_view row) {
  const std::optional<uint64_t> at_ms = take_u64(row);
  if (!at_ms || row.empty()) return Error(ErrorKind::kCorrupt, "a stored ClientRequestToken is damaged");
  return UsedToken{static_cast<int64_t>(*at_ms), row};
}

ActiveTokens::Hold::~Hold() {
  if (tokens_ == nullptr) return;
  const MutexLock lock(tokens_->mutex_);
  tokens_->digests_.erase(at_);
}

Result<ActiveTokens::Hold> ActiveTokens::enter(const std::string& token, const std::string& digest) {
  if (token.empty()) return Hold();
  const MutexLock lock(mutex_);
  const auto [at, added] = digests_.try_emplace(token, digest);
  if (added) return Hold(*this, at);
  const bool same = at->second == digest;
  return model::refuse(same ? model::Fault::kTransactionInProgress : model::Fault::kTokenMismatch);
}

}  // namespace partita::table
