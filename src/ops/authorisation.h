// Whether an access is allowed: by the policies of who asks, and by those of the table or the stream.
//
// Callers without an identity may do everything, and cost nothing here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/policy.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/call.h"
#include "ops/operation.h"
#include "ops/policy_snapshot.h"
#include "table/catalog/access.h"

namespace partita::iam {
struct Subject;
}

namespace partita::ops {

// What is done with an access that no policy allows, or that one denies.
enum class Enforcement : uint8_t { kRefuse, kWarn };

// What is told of a decision that is not kAllowed.
Error refusal_of(auth::PolicyDecision decision, const auth::Ask& ask);

// Callable from any thread.
class Authorisation {
 public:
  explicit Authorisation(Enforcement enforcement);

  // One access, whose action is `action`. `depends` says afterwards whether another item of the same table may be
  // answered otherwise. A refusal does not tell whether the table is there, unless the caller's own policies allow
  // something of that name. Faults: kDeniedByIdentity and those that follow it; or an error that is_not_loaded() knows.
  Result<void> check(const Context& context, const table::Access& access, const CheckOptions& check_options,
                     std::string_view action, bool& depends);

  // A call of IAM or STS that is about that. The trust of a role that is to be taken has to allow it too. A
  // refusal is one here, whatever the enforcement: who may change users may do everything. Faults: kDeniedByIdentity
  // and those that follow it, kStsNotAuthorized.
  Result<void> check(const Context& context, std::string_view action, const iam::Subject& subject);

  static bool is_refusal(const Error& error);
  // The policies of a table are not known, or not any more: check again when the PolicySnapshot has them. Another
  // server's changes are heard of after about a second.
  static bool is_not_loaded(const Error& error);
  // The table whose policies are not loaded. Precondition: is_not_loaded(error).
  static uint32_t table_not_loaded(const Error& error);
  Task<Result<std::shared_ptr<const LoadedPolicies>>> load(table::Database& database, uint32_t table_id);
  // This server has changed a policy of that table, or of a stream of it.
  void forget(uint32_t table_id);
  // All that is known may be of another database.
  void forget_all();

  // Accesses that were refused, or would have been.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  using PoliciesRef = std::shared_ptr<const LoadedPolicies>;
  static constexpr size_t kStripes = 256;

  // Null: it is not known. Valid until the calling thread asks again.
  const LoadedPolicies* known(uint32_t table_id, int64_t now_ns);
  PoliciesRef fresh(uint32_t table_id, int64_t now_ns);
  std::atomic<uint64_t>& changes_of(uint32_t table_id) { return changes_[table_id % kStripes]; }
  Result<void> refuse(auth::PolicyDecision decision, const auth::Ask& ask, bool counts);

  const Enforcement enforcement_;
  const uint64_t serial_;  // this object's alone in the process
  std::atomic<uint64_t> refused_{0};
  std::array<std::atomic<uint64_t>, kStripes> changes_{};  // of policies, by this server
  Mutex mutex_;
  std::unordered_map<uint32_t, PoliciesRef> tables_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::ops
