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

// The resource policies of a table and of its streams, as they were at a moment of the monotonic clock.
struct LoadedPolicies {
  using PolicyRef = std::shared_ptr<const auth::Policy>;
  int64_t at_ns = 0;
  std::map<std::string, PolicyRef, std::less<>> by_stream;  // under "" that of the table itself
};

// The policies of the tables that one request names, as they were loaded for it. The request is checked against them to
// its end.
class PolicySnapshot {
 public:
  // Null: nothing yet.
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

// What a check needs beside the access.
struct CheckOptions {
  api::CapacityDetail capacity;
  const PolicySnapshot& policies;
  auth::Effort& effort;
  bool of_name = false;  // the access is known by the names in it alone: see ConditionContext::is_of_name()
  bool counts = true;    // a refusal is counted, since the access was not checked before
};

}  // namespace partita::ops
