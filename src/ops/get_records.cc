#include <cstdio>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/reply.h"
#include "ops/stream_names.h"
#include "table/streams.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using table::StreamRecords;
using wire::Field;
using wire::JsonWriter;

struct Read {
  std::string stream_arn;
  StreamRecords found;
};

std::string_view event_name(table::StreamEvent event) {
  switch (event) {
    case table::StreamEvent::kInsert:
      return "INSERT";
    case table::StreamEvent::kModify:
      return "MODIFY";
    case table::StreamEvent::kRemove:
      return "REMOVE";
  }
  PARTITA_CHECK(false);
}

// The same for the same record, and no other's.
std::string event_id(std::string_view stream_arn, std::string_view sequence) {
  const std::string name = std::string(stream_arn).append(sequence);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash64(name)),
                static_cast<unsigned long long>(hash64(name + '.')));
  return text;
}

Result<void> write_image(JsonWriter& json, std::string_view name, std::string_view stored, size_t& bytes) {
  if (stored.empty()) return {};
  PARTITA_TRY(const size_t size, model::encoded_item_size(stored));
  bytes += size;
  json.key(name);
  return json.write_encoded_item(stored);
}

Result<void> write_record(JsonWriter& json, const Context& context, const Read& read, const StreamRecords::One& one) {
  const table::ItemRecord& record = one.record;
  const std::string sequence = table::sequence_number(one.position);
  json.begin_object();
  write_text(json, "eventID", event_id(read.stream_arn, sequence));
  write_text(json, "eventName", event_name(record.event));
  write_text(json, "eventVersion", "1.1");
  write_text(json, "eventSource", "aws:dynamodb");
  write_text(json, "awsRegion", context.caller.region);
  json.key("dynamodb");
  json.begin_object();
  json.key("ApproximateCreationDateTime");
  json.number(static_cast<double>(record.at_ms / 1000));  // rounded down to the second
  size_t bytes = 0;
  PARTITA_TRY_VOID(write_image(json, "Keys", record.keys, bytes));
  PARTITA_TRY_VOID(write_image(json, "NewImage", record.new_image, bytes));
  PARTITA_TRY_VOID(write_image(json, "OldImage", record.old_image, bytes));
  write_text(json, "SequenceNumber", sequence);
  json.key("SizeBytes");
  json.number(static_cast<int64_t>(bytes));
  write_text(json, "StreamViewType", read.found.stream.view_type);
  json.end_object();
  if (record.by_service) {
    json.key("userIdentity");
    json.begin_object();
    write_text(json, "PrincipalId", "dynamodb.amazonaws.com");
    write_text(json, "Type", "Service");
    json.end_object();
  }
  json.end_object();
  return {};
}

struct GetRecords {
  struct Request {
    std::string stream_arn;
    table::StreamName stream;
    table::ShardIterator iterator;
    size_t limit = 0;
  };

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    PARTITA_TRY(request.limit, stream_limit(in.integer(Field::kLimit), table::kMostRecords));
    auto decoded = table::decode_iterator(in.text(Field::kShardIterator));
    if (!decoded) return model::refuse(model::Fault::kIteratorInvalid);
    request.stream_arn = std::move(decoded->arn);
    request.iterator = decoded->iterator;
    return request;
  }

  static Task<Result<Read>> run(const Context& context, const Request& request) {
    table::ShardIterator iterator = request.iterator;
    iterator.stream = request.stream;
    auto found = co_await table::read_records(context.database, iterator, request.limit);
    if (!found.ok()) co_return worded_for_stream(std::move(found).error(), request.stream_arn);
    co_return Read{request.stream_arn, std::move(found).value()};
  }

  static Result<std::string> encode(const Context& context, const Read& read) {
    JsonWriter json(4096);
    json.begin_object();
    if (read.found.next)
      write_text(json, "NextShardIterator", table::encode_iterator(read.stream_arn, *read.found.next));
    json.key("Records");
    json.begin_array();
    for (const StreamRecords::One& one : read.found.records) {
      PARTITA_TRY_VOID(write_record(json, context, read, one));
    }
    json.end_array();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> get_records(const Context& context, wire::JsonDocument document) {
  return serve_control<GetRecords>(context, std::move(document));
}

}  // namespace partita::ops
