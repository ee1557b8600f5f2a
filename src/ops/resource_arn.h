// ARNs of tables, streams and clusters: parsed, checked against the caller's region and account, and made. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/settings.h"
#include "base/result.h"
#include "ops/operation.h"

namespace partita::ops {

// DynamoDB's operations on tags and those on policies report foreign ARNs by different errors.
enum class ArnRules : uint8_t { kTags, kPolicies };

// Faults: kArnWithoutPrefix, kArnOfNothing, kArnOfIndex; kTagsOfAnotherService, kTagsOfAnotherAccount,
// kTagsOfAnotherRegion; kPolicyOfAnotherAccount, kArnOfAnotherRegion.
Result<api::Resource> resource_of(std::string_view arn, ArnRules rules, const Context& context);

// The only partition of ARNs that are made and accepted.
inline constexpr std::string_view kPartition = "aws";

void append_table_arn(std::string& out, const Context& context, std::string_view table);
// Makes the ARN of a table that of its index.
void append_index(std::string& table_arn, std::string_view index);
// The ARN of a global table of version 2017.11.29 has no region.
void append_global_table_arn(std::string& out, const Context& context, std::string_view global_table);
// The ARN of DAX's cluster of that name; "*" for all of them.
void append_cluster_arn(std::string& out, const Context& context, std::string_view cluster);
// The part of an ARN's relative id behind "table/"; absent: it does not begin so.
std::optional<std::string_view> in_table(std::string_view relative_id);

// The parts of an ARN, as views into it.
struct ArnParts {
  std::string_view partition;
  std::string_view service;
  std::string_view region;
  std::string_view account;
  std::string_view relative_id;  // "table/NAME", perhaps with "/index/..." or "/stream/..."
};
// Absent: it has fewer parts.
std::optional<ArnParts> arn_parts(std::string_view arn);

// A table's name, from a name or from an ARN of the caller's region. Faults: kArnInvalid, kArnPartition, kArnRegion,
// kArnResourceType, kArnOfAnotherAccount, which is kTableOfAnotherAccount in operations of Kind::kControl.
Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context);

}  // namespace partita::ops
