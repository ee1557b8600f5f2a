// The resource policies of tables and of their streams: one for each, in a row of its own. What a policy says is not
// looked at here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"
#include "table/control/resource.h"

namespace partita::table {

// A policy as it is shown, and what else tells it from another.
struct ResourcePolicy {
  std::string document;
  bool versioned = true;  // false: the Version that is shown is not what was sent
  bool operator==(const ResourcePolicy&) const = default;
};

struct StoredPolicy {
  std::optional<ResourcePolicy> policy;  // nothing: it was deleted
  int64_t revision = 0;                  // when it changed last, in milliseconds since 1970; grows with every change
};

// Instead of a revision: there must be no policy.
inline constexpr const char* kNoPolicy = "NO_POLICY";

// Faults of all three: kTableNotFound, kStreamOfTableNotFound.

// Its revision; that of a policy that is the same already stays as it is. `expected`: the revision that must be there.
// Faults: kPolicyOfRevisionMissing, kPolicyOfOtherRevision.
Task<Result<std::string>> put_policy(TableContext& context, const Resource& resource, const ResourcePolicy& policy,
                                     const std::optional<std::string>& expected);
// Also of a stream that outlives its table. Fault: kPolicyNotFound.
Task<Result<StoredPolicy>> get_policy(TableContext& context, const Resource& resource);
// The revision of the policy that was deleted; of an earlier deletion when there was none; nothing when there never was
// one. Faults: those of put_policy().
Task<Result<std::optional<std::string>>> drop_policy(TableContext& context, const Resource& resource,
                                                     const std::optional<std::string>& expected);

// Whose policies judge what is done to the table of that name as such, or to that stream of it, which outlives it.
struct Owner {
  Table table;      // null: it is not there
  uint32_t id = 0;  // 0: there never was one
};
// The table may be late by as much as requests on items find it.
Task<Result<Owner>> owner_of(TableContext& context, std::string name, std::string_view stream);

// All policies of the table, and of its streams by their labels; the table's own has none. Errors: kCorrupt.
struct PolicyOf {
  std::string stream;
  std::string document;
};
Task<Result<std::vector<PolicyOf>>> policies_of(TableContext& context, uint32_t table_id);

// Adds the policy that a table is created with.
void put_first_policy(const TableInfo& table, const ResourcePolicy& policy, storage::Changes& changes);
// Of that stream of the table; of the table itself without one.
storage::Key policy_key(uint32_t table_id, std::string_view stream);
// All policies of the table and of its streams.
storage::Range policy_rows(uint32_t table_id);

}  // namespace partita::table
