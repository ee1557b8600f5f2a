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

std::string_view status_name(table::StreamStatus status) {
  switch (status) {
    case table::StreamStatus::kEnabling:
      return "ENABLING";
    case table::StreamStatus::kEnabled:
      return "ENABLED";
    case table::StreamStatus::kDisabling:
      return "DISABLING";
    case table::StreamStatus::kDisabled:
      return "DISABLED";
  }
  PARTITA_CHECK(false);
}

void write_shard(JsonWriter& json, const table::StreamRow& row, const table::ShownShard& shown) {
  json.begin_object();
  write_text(json, "ShardId", table::shard_id(shown.shard));
  json.key("SequenceNumberRange");
  json.begin_object();
  if (shown.start) write_text(json, "StartingSequenceNumber", table::sequence_number(*shown.start));
  if (shown.end) write_text(json, "EndingSequenceNumber", table::sequence_number(*shown.end));
  json.end_object();
  // A parent that is forgotten has no name any more.
  const table::StreamShard* parent = row.find(shown.shard.parent);
  if (parent != nullptr) write_text(json, "ParentShardId", table::shard_id(*parent));
  json.end_object();
}

struct DescribeStream {
  using Execution = ControlExecutionOf<DescribeStream>;
  using Reply = table::DescribedStream;
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

  static Task<Result<table::DescribedStream>> run(const Context& context, const Request& request) {
    api::DescribeStreamRequest wanted = request.wanted;
    wanted.stream = request.stream;
    auto described = co_await table::describe_stream(context.database, wanted);
    if (!described.ok()) co_return worded_for_stream(std::move(described).error(), request.stream_arn);
    co_return described;
  }

  static std::string encode(const Context& context, const table::DescribedStream& described) {
    const table::StreamRow& row = described.row;
    JsonWriter json;
    json.begin_object();
    json.key("StreamDescription");
    json.begin_object();
    write_time(json, "CreationRequestDateTime", row.created_ms);
    write_keys(json, row.keys);
    json.key("Shards");
    json.begin_array();
    for (const table::ShownShard& shard : described.shards) write_shard(json, row, shard);
    json.end_array();
    if (described.more) write_text(json, "LastEvaluatedShardId", table::shard_id(described.shards.back().shard));
    write_text(json, "StreamArn", stream_arn(context, {row.table, row.label}));
    write_text(json, "StreamLabel", row.label);
    write_text(json, "StreamStatus", status_name(described.status));
    write_text(json, "StreamViewType", row.view_type);
    write_text(json, "TableName", row.table);
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_stream = json_codec<DescribeStream>(wire::shapes::kDescribeStream);

}  // namespace partita::ops
