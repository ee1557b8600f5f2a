// Tags of alarms in requests and replies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cloudwatch/call.h"
#include "cloudwatch/parameters.h"

namespace partita::cloudwatch {

// AWS: "You can associate as many as 50 tags with an alarm."
inline constexpr size_t kMostTags = 50;

using Tags = std::map<std::string, std::string>;

// The parameter Tags; empty if absent. Faults: kMonitorMissing, kMonitorInvalid.
Result<Tags> tags_in(const Parameters& in);
// The parameter TagKeys. Faults: the same.
Result<std::vector<std::string>> tag_keys_in(const Parameters& in);

// The alarm that ResourceARN names. Faults: kMonitorMissing; kMonitorInvalid if it is no ARN of an alarm;
// kMonitorNoResource if it is of another region or account.
Result<std::string> tagged_alarm(const CallContext& context, const Parameters& in);

// The tags of the alarm that has this ARN, or of none. Errors: those of the engine; kCorrupt.
Task<Result<std::optional<Tags>>> tags_of(const CallContext& context, std::string arn);

}  // namespace partita::cloudwatch
