#include "wire/stream_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "model/item_codec.h"

namespace partita::wire {

namespace {

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

}  // namespace

StreamRecordWriter::StreamRecordWriter(JsonWriter& json, std::string_view shard, std::string_view region,
                                       std::string_view view_type)
    : json_(json), name_(shard), shard_bytes_(shard.size()), region_(quoted(region)), view_(quoted(view_type)) {}

void StreamRecordWriter::write_for_lambda(std::string_view source_arn) {
  source_ = R"("eventSourceARN":)" + quoted(source_arn);
}

// The id is the same for the same record, whoever reads it, and no other's: of shards, any two may have the same
// sequence numbers.
std::string_view StreamRecordWriter::event(const StreamRecord& record) {
  constexpr std::string_view kId = R"("eventID":")";
  constexpr size_t kIdBytes = 32;
  constexpr std::string_view kName = R"(","eventName":")";
  name_.resize(shard_bytes_);
  name_.append(record.sequence_number);
  if (event_.empty()) {
    event_.append(kId).append(kIdBytes, '0').append(kName).append(record.event);
    event_.append(R"(","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":)").append(region_);
  }
  put_hex(hash64(name_), event_.data() + kId.size());
  name_.push_back('.');
  put_hex(hash64(name_), event_.data() + kId.size() + kIdBytes / 2);
  // All names of events are as long as one another.
  std::ranges::copy(record.event, event_.begin() + kId.size() + kIdBytes + kName.size());
  return event_;
}

std::string_view StreamRecordWriter::created(int64_t at_ms) {
  text_ = R"("ApproximateCreationDateTime":)";
  append_number(text_, at_ms / 1000);  // rounded down to the second
  return text_.append(".0");
}

std::string_view StreamRecordWriter::place(std::string_view sequence_number, int64_t bytes) {
  text_ = R"("SequenceNumber":")";
  text_.append(sequence_number).append(R"(","SizeBytes":)");
  append_number(text_, bytes);
  return text_.append(R"(,"StreamViewType":)").append(view_);
}

Result<void> StreamRecordWriter::write_image(std::string_view name, std::string_view stored, int64_t& bytes) {
  if (stored.empty()) return {};
  PARTITA_TRY(const size_t size, model::encoded_item_size(stored));
  bytes += static_cast<int64_t>(size);
  json_.key(name);
  return json_.write_encoded_item(stored);
}

Result<void> StreamRecordWriter::write(const StreamRecord& record) {
  json_.begin_object();
  json_.raw(event(record));
  json_.begin_object("dynamodb");
  json_.raw(created(record.at_ms));
  int64_t bytes = 0;
  PARTITA_TRY_VOID(write_image("Keys", record.keys, bytes));
  PARTITA_TRY_VOID(write_image("NewImage", record.new_image, bytes));
  PARTITA_TRY_VOID(write_image("OldImage", record.old_image, bytes));
  json_.raw(place(record.sequence_number, bytes));
  json_.end_object();
  if (record.by_service && source_.empty()) {
    json_.raw(R"("userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})");
  } else if (record.by_service) {
    json_.raw(R"("userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"})");
  }
  if (!source_.empty()) json_.raw(source_);
  json_.end_object();
  return {};
}

}  // namespace partita::wire
