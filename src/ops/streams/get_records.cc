#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/stream_names.h"
#include "table/streams/streams.h"
#include "wire/json_writer.h"

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

// All as long as one another.
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

void put_hex(uint64_t value, char* out) {
  for (size_t i = 16; i-- > 0; value >>= 4) out[i] = "0123456789abcdef"[value & 15];
}

void append_number(std::string& out, int64_t value) {
  std::array<char, 24> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  PARTITA_CHECK(error == std::errc());
  out.append(digits.data(), end);
}

std::string quoted(std::string_view text) {
  JsonWriter json;
  json.string(text);
  return std::move(json).take();
}

// Writes the records of one reply. What is the same in all of them is written once and copied.
class RecordWriter {
 public:
  RecordWriter(JsonWriter& json, const Context& context, const Read& read)
      : json_(json),
        name_(topic_of(read)),
        topic_bytes_(name_.size()),
        region_(quoted(context.caller.region)),
        view_(quoted(read.found.stream.view_type)) {}

  Result<void> write(const StreamRecords::One& one);

 private:
  Result<void> write_image(std::string_view name, std::string_view stored, int64_t& bytes);
  std::string_view event(table::StreamEvent event);
  std::string_view created(int64_t at_ms);
  std::string_view place(int64_t bytes);

  JsonWriter& json_;
  std::string name_;  // of a record: its shard's topic and the sequence number
  const size_t topic_bytes_;
  const std::string region_;
  const std::string view_;
  std::string event_;
  std::string text_;
};

// The id is the same for the same record, whoever reads it, and no other's: of shards, any two may have the same
// sequence numbers.
std::string_view RecordWriter::event(table::StreamEvent event) {
  constexpr std::string_view kId = R"("eventID":")";
  constexpr size_t kIdBytes = 32;
  constexpr std::string_view kName = R"(","eventName":")";
  if (event_.empty()) {
    event_.append(kId).append(kIdBytes, '0').append(kName).append(event_name(event));
    event_.append(R"(","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":)").append(region_);
  }
  put_hex(hash64(name_), event_.data() + kId.size());
  name_.push_back('.');
  put_hex(hash64(name_), event_.data() + kId.size() + kIdBytes / 2);
  std::ranges::copy(event_name(event), event_.begin() + kId.size() + kIdBytes + kName.size());
  return event_;
}

std::string_view RecordWriter::created(int64_t at_ms) {
  text_ = R"("ApproximateCreationDateTime":)";
  append_number(text_, at_ms / 1000);  // rounded down to the second
  return text_.append(".0");
}

std::string_view RecordWriter::place(int64_t bytes) {
  text_ = R"("SequenceNumber":")";
  text_.append(name_, topic_bytes_, table::kSequenceDigits).append(R"(","SizeBytes":)");
  append_number(text_, bytes);
  return text_.append(R"(,"StreamViewType":)").append(view_);
}

Result<void> RecordWriter::write_image(std::string_view name, std::string_view stored, int64_t& bytes) {
  if (stored.empty()) return {};
  PARTITA_TRY(const size_t size, model::encoded_item_size(stored));
  bytes += static_cast<int64_t>(size);
  json_.key(name);
  return json_.write_encoded_item(stored);
}

Result<void> RecordWriter::write(const StreamRecords::One& one) {
  const table::ItemRecord& record = one.record;
  name_.resize(topic_bytes_ + table::kSequenceDigits);
  table::put_sequence_number(one.position, name_.data() + topic_bytes_);
  json_.begin_object();
  json_.raw(event(record.event));
  json_.begin_object("dynamodb");
  json_.raw(created(record.at_ms));
  int64_t bytes = 0;
  PARTITA_TRY_VOID(write_image("Keys", record.keys, bytes));
  PARTITA_TRY_VOID(write_image("NewImage", record.new_image, bytes));
  PARTITA_TRY_VOID(write_image("OldImage", record.old_image, bytes));
  json_.raw(place(bytes));
  json_.end_object();
  if (record.by_service) json_.raw(R"("userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})");
  json_.end_object();
  return {};
}

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
