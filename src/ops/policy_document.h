// A resource policy as text, read as DynamoDB reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ops/operation.h"
#include "table/control/policy.h"

namespace partita::ops {

struct ReadPolicy {
  table::ResourcePolicy policy;  // no spaces, members in one order, principals as ARNs, or as the ids of who is there
  bool locks_out = false;        // the caller could not put another one after it
  std::string warning;           // the first of auth::Policy::warnings(), or empty
};

// `of_stream`: it is for a stream, not for a table. Faults: those of kPolicy* in model/faults.inc that need no table.
Result<ReadPolicy> read_policy(std::string_view text, bool of_stream, const Context& context);

// A policy that is kept so, as GetResourcePolicy shows it.
std::string shown(const Context& context, const std::string& kept);

// What this server knew of the resource's policy is over: it was changed, or may have been.
void forget_policies(const Context& context, const api::Resource& resource);

// {"RevisionId": ...}, or {} without one.
std::string revision_reply(const std::optional<std::string>& revision);

}  // namespace partita::ops
