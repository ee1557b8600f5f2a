#include "ops/json_codec.h"
#include "ops/settings/kinesis_reply.h"
#include "sinks/kinesis_streaming.h"

namespace partita::ops {

namespace {

struct UpdateKinesisStreamingDestination {
  using Execution = ControlExecutionOf<UpdateKinesisStreamingDestination>;
  using Request = api::UpdateKinesisRequest;
  using Reply = api::KinesisChanged;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = in.text(wire::Field::kTableName);
    request.stream_arn = in.text(wire::Field::kStreamArn);
    request.precision = kinesis_precision(in, wire::Field::kUpdateKinesisStreamingConfiguration);
    return request;
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return sinks::update_kinesis(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& changed) {
    return write_kinesis_changed(changed, "UpdateKinesisStreamingConfiguration");
  }
};

}  // namespace

constinit const JsonCodec update_kinesis_streaming_destination =
    json_codec<UpdateKinesisStreamingDestination>(wire::shapes::kUpdateKinesisStreamingDestination);

}  // namespace partita::ops
