// Whether an access is allowed: by the policies of who asks, and by those of the table or the stream.
//
// Callers without an identity may do everything, and cost nothing here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/policy.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/operation.h"
#include "ops/service.h"
#include "table/access.h"

namespace partita::ops {

// What is told of a decision that is not kAllowed.
Error refusal_of(auth::Decision decision, const auth::Ask& ask);

// Callable from any thread.
class Authorisation {
 public:
  explicit Authorisation(Enforcement enforcement) : enforcement_(enforcement) {}

  // One access, whose action is `action`. `depends` says afterwards whether another item of the same table may be
  // answered otherwise. Faults: kDeniedByIdentity and those that follow it; or an error that is_unheard() knows.
  Result<void> check(const Context& context, const table::Access& access, table::CapacityDetail capacity,
                     std::string_view action, bool& depends);

  static bool is_refusal(const Error& error);
  // The policies of a table are not known, or not any more: check again behind hear(). Another
  // server's changes are heard of after about a second.
  static bool is_unheard(const Error& error);
  // Precondition: is_unheard(error).
  Task<Result<void>> hear(table::Database& database, const Error& error);
  // This server has changed a policy.
  void forget();

  // Accesses that were refused, or would have been.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  using PolicyRef = std::shared_ptr<const auth::Policy>;
  struct Heard {
    int64_t at_ns = 0;
    std::unordered_map<std::string, PolicyRef> by_stream;  // under "" that of the table itself
  };

  // Null: there is none. False: it is not known.
  bool find(const Context& context, const table::TableInfo& owner, std::string_view stream, PolicyRef& policy);
  Result<void> refuse(auth::Decision decision, const auth::Ask& ask);

  const Enforcement enforcement_;
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> changes_{0};  // of policies, by this server
  std::mutex mutex_;
  std::unordered_map<uint32_t, Heard> tables_;
};

}  // namespace partita::ops
