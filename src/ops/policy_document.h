// Resource policies as documents: parsed and printed as by DynamoDB.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ops/operation.h"
#include "table/control/policy.h"

namespace partita::ops {

struct ReadPolicy {
  // In canonical form: no spaces, a fixed order of members, principals as ARNs, or as ids if they exist.
  table::ResourcePolicy policy;
  bool locks_out = false;  // the caller could not replace the policy afterwards
  std::string warning;     // the first of auth::Policy::warnings(), or empty
};

// `of_stream`: the policy is for a stream instead of a table. Faults: the kPolicy... ones that need no table.
Result<ReadPolicy> read_policy(std::string_view text, bool of_stream, const Context& context);

// A stored policy as GetResourcePolicy shows it.
std::string shown(const Context& context, const std::string& kept);

// Call after the policy of a table or stream was changed, or may have been: this server then reads it again.
void forget_policies(const Context& context, const api::Resource& resource);

// {"RevisionId": ...}, or {} without one.
std::string revision_reply(const std::optional<std::string>& revision);

}  // namespace partita::ops
