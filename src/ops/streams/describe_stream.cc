#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/stream_names.h"
#include "ops/tables/table_reply.h"
#include "table/streams/streams.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::JsonWriter;

std::string_view status_name(api::StreamStatus status) {
  switch (status) {
    case api::StreamStatus::kEnabling:
      return "ENABLING";
    case api::StreamStatus::kEnabled:
      return "ENABLED";
    case api::StreamStatus::kDisabling:
      return "DISABLING";
    case api::StreamStatus::kDisabled:
      return "DISABLED";
  }
  PARTITA_CHECK(false);
}

void write_shard(JsonWriter& json, const api::DescribeStreamReply::Shard& shard) {
  json.begin_object();
  json.member("ShardId", shard.id);
  json.begin_object("SequenceNumberRange");
  if (shard.start) json.member("StartingSequenceNumber", *shard.start);
  if (shard.end) json.member("EndingSequenceNumber", *shard.end);
  json.end_object();
  if (!shard.parent.empty()) json.member("ParentShardId", shard.parent);
  json.end_object();
}

std::optional<std::string> number_of(const std::optional<storage::Position>& position) {
  return position ? std::optional(table::sequence_number(*position)) : std::nullopt;
}

api::DescribeStreamReply reply_of(table::DescribedStream described) {
  table::StreamRow& row = described.row;
  api::DescribeStreamReply reply;
  for (const auto& [shard, start, end] : described.shards) {
    const table::StreamShard* const parent = row.find(shard.parent);
    reply.shards.push_back(
        {table::shard_id(shard), parent == nullptr ? "" : table::shard_id(*parent), number_of(start), number_of(end)});
  }
  reply.stream = {std::move(row.table), std::move(row.label)};
  reply.created_ms = row.created_ms;
  reply.status = described.status;
  reply.view_type = std::move(row.view_type);
  reply.keys = std::move(row.keys);
  reply.more = described.more;
  return reply;
}

struct DescribeStream {
  using Execution = ControlExecutionOf<DescribeStream>;
  using Reply = api::DescribeStreamReply;
  struct Request {
    std::string stream_arn;
    api::StreamName stream;
    api::DescribeStreamRequest wanted;
  };

  static Result<Request> decode(const wire::Members& in) {
    constexpr size_t kMostShards = 100;  // DescribeStream in the API reference of DynamoDB Streams
    Request request;
    request.stream_arn = in.text(Field::kStreamArn);
    request.wanted.after = in.text(Field::kExclusiveStartShardId);
    if (in.has(Field::kShardFilter)) request.wanted.children = in.in(Field::kShardFilter).text(Field::kShardId);
    PARTITA_TRY(request.wanted.limit, stream_limit(in.integer(Field::kLimit), kMostShards));
    return request;
  }

  static Subject subject(Request& request) { return {.stream_arn = &request.stream_arn, .stream = &request.stream}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    api::DescribeStreamRequest wanted = request.wanted;
    wanted.stream = request.stream;
    auto described = co_await table::describe_stream(context.database, wanted);
    if (!described.ok()) co_return worded_for_stream(std::move(described).error(), request.stream_arn);
    co_return reply_of(std::move(described).value());
  }

  static std::string encode(const Context& context, const Reply& reply) {
    JsonWriter json;
    json.begin_object();
    json.begin_object("StreamDescription");
    write_time(json, "CreationRequestDateTime", reply.created_ms);
    write_keys(json, reply.keys);
    json.begin_array("Shards");
    for (const auto& shard : reply.shards) write_shard(json, shard);
    json.end_array();
    if (reply.more) json.member("LastEvaluatedShardId", reply.shards.back().id);
    json.member("StreamArn", stream_arn(context, reply.stream));
    json.member("StreamLabel", reply.stream.label);
    json.member("StreamStatus", status_name(reply.status));
    json.member("StreamViewType", reply.view_type);
    json.member("TableName", reply.stream.table);
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_stream = json_codec<DescribeStream>(wire::shapes::kDescribeStream);

}  // namespace partita::ops
