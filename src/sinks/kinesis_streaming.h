// Kinesis streaming of tables, as operations of DynamoDB switch it: EnableKinesisStreamingDestination and its kin. What
// is switched on is a sink with an owner (SinkRequest::owner); the table's description lists it (table::KinesisStream).
//
// Fault of all functions: kTableNotFound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/settings.h"
#include "api/tables.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::sinks {

inline constexpr std::string_view kKinesisOwner = "Kinesis streaming";  // Sink::owner

// How long a stream is seen ENABLING, UPDATING and DISABLING at least. DynamoDB takes 2 to 7 s, 124 to 152 s and 2 s.
inline constexpr int64_t kKinesisSettleMs = 2'000;
// How long it is tried to reach a stream that is being enabled.
inline constexpr int64_t kKinesisTryMs = 60'000;
// How long a stream that is off is still listed. DynamoDB was seen to list it for three minutes.
inline constexpr int64_t kKinesisListMs = 3'600'000;

// All arguments outlive the task. Faults: kKinesisNotOff, kKinesisRefused.
Task<Result<api::KinesisChanged>> enable_kinesis(table::TableContext& context,
                                                 const api::EnableKinesisRequest& request);
// Changes that the stream does not have yet are dropped. Faults: kKinesisNotOn, kKinesisOffConfigured.
Task<Result<api::KinesisChanged>> disable_kinesis(table::TableContext& context,
                                                  const api::DisableKinesisRequest& request);
// Faults: kKinesisNotKnown, kKinesisNotSettled, kKinesisSamePrecision, kKinesisUpdateEmpty.
Task<Result<api::KinesisChanged>> update_kinesis(table::TableContext& context,
                                                 const api::UpdateKinesisRequest& request);
Task<Result<api::DescribeKinesisReply>> describe_kinesis(table::TableContext& context, const api::NamedTable& request);

// Switches off a stream of the table that could not be used.
Task<Result<void>> settle_kinesis(table::TableContext& context, std::string table_name);

}  // namespace partita::sinks
