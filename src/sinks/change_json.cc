#include "sinks/change_json.h"

#include <array>

#include "auth/sha256.h"
#include "base/check.h"
#include "model/item_codec.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

std::string_view change_event_name(table::StreamEvent event) {
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

// In the form of a UUID: version 8, whose bits are the maker's own.
std::string change_event_id(const ChangeSettings& settings, size_t slice, const storage::Position& position) {
  auth::Sha256 hash;
  hash.add(settings.id).add("/").add(std::to_string(slice)).add("/");
  hash.add({reinterpret_cast<const char*>(position.bytes.data()), position.bytes.size()});
  std::string digits;
  auth::append_hex(digits, hash.finish());
  digits[12] = '8';
  digits[16] = 'a';
  return digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-" + digits.substr(12, 4) + "-" + digits.substr(16, 4) +
         "-" + digits.substr(20, 12);
}

Result<void> write_change_image(wire::JsonWriter& json, std::string_view name, std::string_view stored, size_t& bytes) {
  if (stored.empty()) return {};
  PARTITA_TRY(const size_t size, model::encoded_item_size(stored));
  bytes += size;
  json.key(name);
  return json.write_encoded_item(stored);
}

}  // namespace

Result<std::string> change_json(const ChangeSettings& settings, size_t slice, const Change& change,
                                TimePrecision precision) {
  constexpr size_t kPlainBytes = 640;
  constexpr int64_t kUsPerMs = 1'000;
  const table::ItemRecord& record = change.record;
  const size_t images = record.keys.size() + record.old_image.size() + record.new_image.size();
  wire::JsonWriter json(kPlainBytes + images + images / 2);
  json.begin_object();
  json.member("awsRegion", settings.region);
  json.member("eventID", change_event_id(settings, slice, change.position));
  json.member("eventName", change_event_name(record.event));
  json.key("userIdentity");
  if (record.by_service) {
    json.raw(R"({"type":"Service","principalId":"dynamodb.amazonaws.com"})");
  } else {
    json.null();
  }
  json.member("recordFormat", "application/json");
  json.member("tableName", settings.table);
  json.begin_object("dynamodb");
  const bool is_fine = precision == TimePrecision::kMicrosecond;
  json.member("ApproximateCreationDateTime", record.at_ms * (is_fine ? kUsPerMs : 1));
  size_t bytes = 0;
  PARTITA_TRY_VOID(write_change_image(json, "Keys", record.keys, bytes));
  PARTITA_TRY_VOID(write_change_image(json, "NewImage", record.new_image, bytes));
  PARTITA_TRY_VOID(write_change_image(json, "OldImage", record.old_image, bytes));
  json.member("SizeBytes", bytes);
  if (is_fine) json.member("ApproximateCreationDateTimePrecision", "MICROSECOND");
  json.end_object();
  json.member("eventSource", "aws:dynamodb");
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::sinks
