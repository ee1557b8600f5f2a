#include "ops/json_codec.h"
#include "ops/settings/kinesis_reply.h"
#include "sinks/kinesis_streaming.h"

namespace partita::ops {

namespace {

struct DisableKinesisStreamingDestination {
  using Execution = ControlExecutionOf<DisableKinesisStreamingDestination>;
  using Request = api::DisableKinesisRequest;
  using Reply = api::KinesisChanged;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = in.text(wire::Field::kTableName);
    request.stream_arn = in.text(wire::Field::kStreamArn);
    request.configured = in.has(wire::Field::kEnableKinesisStreamingConfiguration);
    return request;
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return sinks::disable_kinesis(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& changed) {
    return write_kinesis_changed(changed, {});
  }
};

}  // namespace

constinit const JsonCodec disable_kinesis_streaming_destination =
    json_codec<DisableKinesisStreamingDestination>(wire::shapes::kDisableKinesisStreamingDestination);

}  // namespace partita::ops
