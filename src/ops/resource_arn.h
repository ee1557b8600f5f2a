// The ARNs of tables and streams, as the operations that take nothing but an ARN read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/settings.h"
#include "base/result.h"
#include "ops/operation.h"

namespace partita::ops {

// Of ARNs that are not the caller's, DynamoDB's operations on tags and those on policies have different things to say.
enum class ArnRules : uint8_t { kTags, kPolicies };

// Faults: kArnWithoutPrefix, kArnOfNothing, kArnOfIndex; kTagsOfAnotherService, kTagsOfAnotherAccount,
// kTagsOfAnotherRegion; kPolicyOfAnotherAccount, kArnOfAnotherRegion.
Result<api::Resource> resource_of(std::string_view arn, ArnRules rules, const Context& context);

// Of all ARNs that are given out and taken.
inline constexpr std::string_view kPartition = "aws";

void append_table_arn(std::string& out, const Context& context, std::string_view table);
// The ARN of a global table of version 2017.11.29 has no region.
void append_global_table_arn(std::string& out, const Context& context, std::string_view global_table);
// What stands behind "table/"; nothing when the relative id of an ARN begins otherwise.
std::optional<std::string_view> in_table(std::string_view relative_id);

// What an ARN says.
struct ArnParts {
  std::string_view partition;
  std::string_view service;
  std::string_view region;
  std::string_view account;
  std::string_view relative_id;  // "table/NAME", and what may follow it
};
// Nothing when it has fewer parts.
std::optional<ArnParts> arn_parts(std::string_view arn);

// A table's name from a name or an ARN, which must be of the caller's region. Faults: kArnInvalid, kArnPartition,
// kArnRegion, kArnResourceType; kArnOfAnotherAccount, of an operation on tables as such kTableOfAnotherAccount.
Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context);

}  // namespace partita::ops
