// ClientRequestTokens as they are stored: docs/formats/catalogue.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
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

// The tokens of the requests that this server is running. A request with the same token at another server waits for the
// row in the store instead. Callable from any thread.
class ActiveTokens {
 public:
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept : tokens_(std::exchange(other.tokens_, nullptr)), at_(other.at_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold();

   private:
    friend class ActiveTokens;
    using At = std::map<std::string, std::string, std::less<>>::iterator;
    Hold(ActiveTokens& tokens, At at) : tokens_(&tokens), at_(at) {}
    ActiveTokens* tokens_ = nullptr;
    At at_;
  };

  // Until the hold's end; an empty token is none. Faults: kTransactionInProgress, kTokenMismatch.
  Result<Hold> enter(const std::string& token, const std::string& digest);

 private:
  Mutex mutex_;
  std::map<std::string, std::string, std::less<>> digests_ PARTITA_GUARDED_BY(mutex_);  // of each token's request
};

}  // namespace partita::table
