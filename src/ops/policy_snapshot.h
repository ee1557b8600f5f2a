// The resource policies that one request is checked against.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "auth/policy.h"
#include "table/catalog/access.h"

namespace partita::ops {

// The resource policies of a table and of its streams at one moment. Immutable once it is shared.
struct LoadedPolicies {
  using PolicyRef = std::shared_ptr<const auth::Policy>;
  int64_t at_ns = 0;                                        // of the monotonic clock
  std::map<std::string, PolicyRef, std::less<>> by_stream;  // by label; "": the table's own policy
};

// The policies that were loaded for one request. It is checked against them to its end. For one thread at a time.
class PolicySnapshot {
 public:
  // Null: not loaded for this request. Valid until the next keep().
  const LoadedPolicies* find(uint32_t table_id) const {
    if (loaded_.empty()) return nullptr;
    const auto found = loaded_.find(table_id);
    return found == loaded_.end() ? nullptr : found->second.get();
  }
  void keep(uint32_t table_id, std::shared_ptr<const LoadedPolicies> loaded) {
    loaded_.insert_or_assign(table_id, std::move(loaded));
  }

 private:
  std::unordered_map<uint32_t, std::shared_ptr<const LoadedPolicies>> loaded_;
};

// What Authorisation::check() needs beside the access.
struct CheckOptions {
  api::CapacityDetail capacity;
  const PolicySnapshot& policies;
  auth::Effort& effort;
  bool of_name = false;  // only the names in the access are known: see ConditionContext::is_of_name()
  bool counts = true;    // a refusal is counted; false: the access was counted before
};

}  // namespace partita::ops
