// The resource policies of tables and their streams: one for each, in a row of its own. Documents are not parsed here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/settings.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

// A policy as it is returned, and its identity.
struct ResourcePolicy {
  std::string document;
  bool versioned = true;  // false: the Version in the document was added
  bool operator==(const ResourcePolicy&) const = default;
};

struct StoredPolicy {
  std::optional<ResourcePolicy> policy;  // nothing: it was deleted
  int64_t revision = 0;                  // the time of the last change in ms since 1970; grows with every change
};

// As an expected revision: there must be no policy.
inline constexpr const char* kNoPolicy = "NO_POLICY";

// Faults of all three: kTableNotFound, kStreamOfTableNotFound.

// Returns the revision, which stays the same if the policy does. `expected`: the revision that must be stored.
// Faults: kPolicyOfRevisionMissing, kPolicyOfOtherRevision.
Task<Result<std::string>> put_policy(TableContext& context, const api::Resource& resource, const ResourcePolicy& policy,
                                     const std::optional<std::string>& expected);
// Also of a stream that outlives its table. Fault: kPolicyNotFound.
Task<Result<StoredPolicy>> get_policy(TableContext& context, const api::Resource& resource);
// Returns the revision of the deletion, or of an earlier one; nothing if there never was a policy. Faults: those of
// put_policy().
Task<Result<std::optional<std::string>>> drop_policy(TableContext& context, const api::Resource& resource,
                                                     const std::optional<std::string>& expected);

// The table whose policies apply to calls on it, or on its stream, which outlives the table.
struct Owner {
  Table table;      // null: does not exist
  uint32_t id = 0;  // 0: never existed
};
// The description may be as old as those of requests on items.
Task<Result<Owner>> owner_of(TableContext& context, std::string name, std::string_view stream);

// All policies of the table (with an empty label) and of its streams. Errors: kCorrupt.
struct PolicyOf {
  std::string stream;
  std::string document;
};
Task<Result<std::vector<PolicyOf>>> policies_of(TableContext& context, uint32_t table_id);

// The ids of all tables that have or had a policy of their own, ascending.
Task<Result<std::vector<uint32_t>>> tables_with_policies(TableContext& context);

// Adds the policy that a table is created with.
void put_first_policy(const TableInfo& table, const ResourcePolicy& policy, storage::Changes& changes);
// `stream`: a label; empty: the table itself.
storage::Key policy_key(uint32_t table_id, std::string_view stream);
// All policies of the table and of its streams.
storage::Range policy_rows(uint32_t table_id);

}  // namespace partita::table
