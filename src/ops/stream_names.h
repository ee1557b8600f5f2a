// The names of streams as AWS spells them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ops/operation.h"
#include "table/streams/streams.h"

namespace partita::ops {

std::string table_arn(const Context& context, std::string_view table);
std::string stream_arn(const Context& context, const api::StreamName& stream);
// Faults: kStreamArnInvalid, kTableOfAnotherAccount; kStreamNotFound of another region or partition.
Result<api::StreamName> stream_of(std::string_view arn, const Context& context);

// A stream that is not there, as the client named it; any other error as it is.
Error worded_for_stream(Error error, std::string_view arn);

// Limit of a request for streams or shards. Fault: kStreamLimit.
Result<size_t> stream_limit(std::optional<int64_t> limit, size_t most);

}  // namespace partita::ops
