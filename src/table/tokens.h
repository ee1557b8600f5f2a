// ClientRequestTokens as they are stored: docs/formats/catalogue.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::table {

inline constexpr int64_t kTokenLifetimeMs = 10 * 60 * 1000;  // "Amazon DynamoDB Transactions", developer guide

struct UsedToken {
  int64_t at_ms = 0;
  std::string_view digest;  // of the request that it came with

  bool is_over(int64_t now_ms) const { return now_ms - at_ms >= kTokenLifetimeMs; }
};

storage::Key token_key(std::string_view token);
std::string token_row(int64_t now_ms, std::string_view digest);
// The digest points into `row`. Error: kCorrupt.
Result<UsedToken> used_token(std::string_view row);

}  // namespace partita::table
