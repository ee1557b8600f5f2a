// Streams in requests and replies: ARNs, errors and limits. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ops/operation.h"
#include "table/streams/streams.h"

namespace partita::ops {

std::string table_arn(const Context& context, std::string_view table);
std::string stream_arn(const Context& context, const api::StreamName& stream);
// Faults: kStreamArnInvalid, kTableOfAnotherAccount; kStreamNotFound if the region or the partition is another one.
Result<api::StreamName> stream_of(std::string_view arn, const Context& context);

// kStreamNotFound with the ARN that the client named; other errors unchanged.
Error worded_for_stream(Error error, std::string_view arn);

// The Limit of a request for streams or shards; `most` if it has none. Fault: kStreamLimit.
Result<size_t> stream_limit(std::optional<int64_t> limit, size_t most);

}  // namespace partita::ops
