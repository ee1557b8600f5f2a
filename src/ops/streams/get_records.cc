#include <array>

#include "base/check.h"
#include "model/fault.h"
#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/stream_names.h"
#include "table/streams/streams.h"
#include "wire/json_writer.h"
#include "wire/stream_record.h"

namespace partita::ops {

namespace {

using table::StreamRecords;
using wire::Field;
using wire::JsonWriter;

struct Read {
  std::string stream_arn;
  uint32_t shard = 0;
  StreamRecords found;
};

std::string topic_of(const Read& read) {
  return table::topic_of(read.found.stream.table_id, read.found.stream.created_ms, read.shard);
}

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

// Writes the records of one reply.
class RecordWriter {
 public:
  RecordWriter(JsonWriter& json, const Context& context, const Read& read)
      : json_(json, topic_of(read), context.caller.region, read.found.stream.view_type) {}

  Result<void> write(const StreamRecords::One& one) {
    const table::ItemRecord& record = one.record;
    table::put_sequence_number(one.position, number_.data());
    return json_.write({.event = event_name(record.event),
                        .by_service = record.by_service,
                        .at_ms = record.at_ms,
                        .sequence_number = {number_.data(), number_.size()},
                        .keys = record.keys,
                        .new_image = record.new_image,
                        .old_image = record.old_image});
  }

 private:
  wire::StreamRecordWriter json_;
  std::array<char, table::kSequenceDigits> number_;
};

// About as much as the reply takes: the images are a little longer in JSON.
size_t expected_bytes(const Read& read) {
  constexpr size_t kPlainBytes = 512;
  size_t bytes = kPlainBytes + kPlainBytes * read.found.records.size();
  for (const auto& entry : read.found.entries) bytes += entry.entry.size() + entry.entry.size() / 8;
  return bytes;
}

struct GetRecords {
  using Execution = ControlExecutionOf<GetRecords>;
  using Reply = Read;
  struct Request {
    std::string stream_arn;
    api::StreamName stream;
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

  static Subject subject(Request& request) { return {.stream_arn = &request.stream_arn, .stream = &request.stream}; }

  static Task<Result<Read>> run(const Context& context, const Request& request) {
    table::ShardIterator iterator = request.iterator;
    iterator.stream = request.stream;
    if (iterator.issued_ms < context.iterators_from_ms) co_return model::refuse(model::Fault::kIteratorExpired);
    auto found = co_await table::read_records(context.database, iterator, request.limit);
    if (!found.ok()) co_return worded_for_stream(std::move(found).error(), request.stream_arn);
    co_return Read{request.stream_arn, iterator.shard, std::move(found).value()};
  }

  static Task<Result<std::string>> encode(const Context& context, const Read& read) {
    JsonWriter json(expected_bytes(read));
    RecordWriter writer(json, context, read);
    json.begin_object();
    if (read.found.next) json.member("NextShardIterator", table::encode_iterator(read.stream_arn, *read.found.next));
    json.begin_array("Records");
    YieldBudget budget(YieldBudget::Start::kBegun);
    const auto write = [&writer](const StreamRecords::One& one) { return writer.write(one); };
    PARTITA_CO_TRY_VOID(co_await write_each(json, budget, read.found.records, write));
    json.end_array();
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec get_records = json_codec<GetRecords>(wire::shapes::kGetRecords);

}  // namespace partita::ops
