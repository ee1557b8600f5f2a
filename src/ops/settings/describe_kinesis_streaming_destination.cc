#include "ops/json_codec.h"
#include "ops/settings/kinesis_reply.h"
#include "sinks/kinesis_streaming.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct DescribeKinesisStreamingDestination {
  using Execution = ControlExecutionOf<DescribeKinesisStreamingDestination>;
  using Request = api::NamedTable;
  using Reply = api::DescribeKinesisReply;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return sinks::describe_kinesis(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("KinesisDataStreamDestinations");
    for (const api::KinesisState& state : reply.streams) {
      json.begin_object();
      if (!state.precision.empty()) json.member("ApproximateCreationDateTimePrecision", state.precision);
      json.member("DestinationStatus", kinesis_status_name(state.status));
      if (!state.description.empty()) json.member("DestinationStatusDescription", state.description);
      json.member("StreamArn", state.stream_arn);
      json.end_object();
    }
    json.end_array();
    json.member("TableName", reply.name);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_kinesis_streaming_destination =
    json_codec<DescribeKinesisStreamingDestination>(wire::shapes::kDescribeKinesisStreamingDestination);

}  // namespace partita::ops
