#include "ops/json_codec.h"
#include "ops/stream_names.h"
#include "table/streams/streams.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using wire::Field;

struct ListStreams {
  using Execution = ControlExecutionOf<ListStreams>;
  using Reply = api::ListStreamsReply;
  struct Request {
    std::string name;  // of the table whose streams are listed; empty: all
    std::string after;
    size_t limit = 0;
  };

  static Result<Request> decode(const wire::Members& in) {
    constexpr size_t kMostStreams = 100;  // ListStreams in the API reference of DynamoDB Streams
    Request request;
    request.name = in.text(Field::kTableName);
    request.after = in.text(Field::kExclusiveStartStreamArn);
    PARTITA_TRY(request.limit, stream_limit(in.integer(Field::kLimit), kMostStreams));
    return request;
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<api::ListStreamsReply>> run(const Context& context, const Request& request) {
    api::ListStreamsRequest wanted{.table = request.name, .after = {}, .limit = request.limit};
    if (!request.after.empty()) {
      PARTITA_CO_TRY(wanted.after, stream_of(request.after, context));
    }
    co_return co_await table::list_streams(context.database, wanted);
  }

  static std::string encode(const Context& context, const api::ListStreamsReply& page) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("Streams");
    for (const api::StreamName& stream : page.streams) {
      json.begin_object();
      json.member("StreamArn", stream_arn(context, stream));
      json.member("StreamLabel", stream.label);
      json.member("TableName", stream.table);
      json.end_object();
    }
    json.end_array();
    if (page.more) {
      json.member("LastEvaluatedStreamArn", stream_arn(context, page.streams.back()));
    }
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec list_streams = json_codec<ListStreams>(wire::shapes::kListStreams);

}  // namespace partita::ops
