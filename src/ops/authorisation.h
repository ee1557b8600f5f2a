// Whether policies allow an access: those of the caller, and those of the table or the stream.
//
// Callers without an identity may do everything; nothing is evaluated for them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
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

// What happens to an access that no policy allows, or that one denies: it is refused, or logged and allowed.
enum class Enforcement : uint8_t { kRefuse, kWarn };

// The error of a decision other than kAllowed.
Error refusal_of(auth::PolicyDecision decision, const auth::Ask& ask);

// Callable from any thread.
class Authorisation {
 public:
  explicit Authorisation(Enforcement enforcement);

  // Checks one access under the IAM action `action`. Sets `depends`: whether the decision may differ for another item
  // of the same table. A refusal does not reveal whether the table exists, unless the caller's own policies allow
  // something on its name. Faults: kDeniedByIdentity and those after it in model/faults.inc. Error: one with
  // is_not_loaded().
  Result<void> check(const Context& context, const table::Access& access, const CheckOptions& check_options,
                     std::string_view action, bool& depends);

  // Checks a call of IAM or STS about `subject`. To assume a role, its trust policy must allow the caller too. These
  // calls are refused with kWarn too, since a caller who may change users may do everything. Faults: kDeniedByIdentity
  // and those after it, kStsNotAuthorized.
  Result<void> check(const Context& context, std::string_view action, const iam::Subject& subject);

  // Whether policies may allow the caller one of `actions` on some table. Unlike check(), this leaves aside conditions,
  // and what is denied of a part of the tables. Reads all policies of tables if the caller's own ones allow nothing.
  // Faults: the refusal of the first action on all tables. Errors: kUnavailable, kCorrupt. `actions` outlives the task.
  Task<Result<void>> check_some_table(const Context& context, std::span<const std::string_view> actions);

  static bool is_refusal(const Error& error);
  // Whether the error is: the policies of a table are not in memory, or outdated. Load them into the PolicySnapshot and
  // check again. Changes by other servers are noticed after about a second.
  static bool is_not_loaded(const Error& error);
  // The table whose policies are not loaded. Precondition: is_not_loaded(error).
  static uint32_t table_not_loaded(const Error& error);
  // Reads the policies of a table and its streams from the store. The database outlives the task. Errors: kUnavailable,
  // kCorrupt.
  Task<Result<std::shared_ptr<const LoadedPolicies>>> load(table::Database& database, uint32_t table_id);
  // Call after this server has changed a policy of that table or of one of its streams.
  void forget(uint32_t table_id);
  // Call when the database may have been replaced.
  void forget_all();

  // The number of accesses refused since the start; with kWarn, those that would have been.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  using PoliciesRef = std::shared_ptr<const LoadedPolicies>;
  static constexpr size_t kStripes = 256;

  // Null: not in memory. Valid until the calling thread calls it again.
  const LoadedPolicies* known(uint32_t table_id, int64_t now_ns);
  PoliciesRef fresh(uint32_t table_id, int64_t now_ns);
  std::atomic<uint64_t>& changes_of(uint32_t table_id) { return changes_[table_id % kStripes]; }
  Result<void> refuse(auth::PolicyDecision decision, const auth::Ask& ask, bool counts);

  const Enforcement enforcement_;
  const uint64_t serial_;  // unique in the process
  std::atomic<uint64_t> refused_{0};
  std::array<std::atomic<uint64_t>, kStripes> changes_{};  // changes of policies by this server, counted by table
  Mutex mutex_;
  std::unordered_map<uint32_t, PoliciesRef> tables_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::ops
