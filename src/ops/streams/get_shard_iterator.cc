#include <algorithm>
#include <cmath>

#include "model/fault.h"
#include "ops/json_codec.h"
#include "ops/stream_names.h"
#include "table/streams/streams.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using api::IteratorKind;
using model::Fault;
using model::refuse;
using wire::Field;

IteratorKind kind_of(std::string_view word) {
  if (word == "LATEST") return IteratorKind::kLatest;
  if (word == "AT_SEQUENCE_NUMBER") return IteratorKind::kAtSequence;
  if (word == "AFTER_SEQUENCE_NUMBER") return IteratorKind::kAfterSequence;
  return word == "AT_TIMESTAMP" ? IteratorKind::kAtTimestamp : IteratorKind::kTrimHorizon;
}

struct GetShardIterator {
  using Execution = ControlExecutionOf<GetShardIterator>;
  using Reply = api::GetShardIteratorReply;
  struct Request {
    std::string stream_arn;
    api::StreamName stream;
    api::GetShardIteratorRequest wanted;
  };

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.stream_arn = in.text(Field::kStreamArn);
    request.wanted.shard = in.text(Field::kShardId);
    const std::string type(in.text(Field::kShardIteratorType));
    const IteratorKind kind = request.wanted.kind = kind_of(type);
    const bool at_number = kind == IteratorKind::kAtSequence || kind == IteratorKind::kAfterSequence;
    if (at_number && !in.has(Field::kSequenceNumber)) return refuse(Fault::kSequenceNumberMissing, {type});
    if (!at_number && in.has(Field::kSequenceNumber)) return refuse(Fault::kSequenceNumberGiven, {type});
    request.wanted.sequence = in.text(Field::kSequenceNumber);
    const bool at_time = kind == IteratorKind::kAtTimestamp;
    if (at_time && !in.has(Field::kTimestamp)) return refuse(Fault::kTimestampMissing);
    if (!at_time && in.has(Field::kTimestamp)) return refuse(Fault::kTimestampGiven, {type});
    if (at_time) {
      constexpr double kFarAway = 1e15;
      const double ms = std::floor(in[Field::kTimestamp].as_double() * 1000);
      request.wanted.at_ms = static_cast<int64_t>(std::clamp(ms, -kFarAway, kFarAway));
    }
    return request;
  }

  static Subject subject(Request& request) { return {.stream_arn = &request.stream_arn, .stream = &request.stream}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    api::GetShardIteratorRequest wanted = request.wanted;
    wanted.stream = request.stream;
    auto iterator = co_await table::shard_iterator(context.database, wanted);
    if (!iterator.ok()) co_return worded_for_stream(std::move(iterator).error(), request.stream_arn);
    co_return Reply{table::encode_iterator(request.stream_arn, *iterator)};
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    json.member("ShardIterator", reply.iterator);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec get_shard_iterator = json_codec<GetShardIterator>(wire::shapes::kGetShardIterator);

}  // namespace partita::ops
