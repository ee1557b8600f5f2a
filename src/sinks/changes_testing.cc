#include "sinks/changes_testing.h"

#include "model/item_codec.h"
#include "model/key.h"
#include "storage/positions.h"

namespace partita::sinks {

namespace {

model::AttributeMap change_item(const std::string& key, const std::string* value) {
  model::AttributeMap item;
  item.set("p", model::AttributeValue::string(key));
  if (value != nullptr) item.set("v", model::AttributeValue::string(*value));
  return item;
}

}  // namespace

ChangeSettings changes_settings(std::string url, std::map<std::string, std::string, std::less<>> options) {
  return {.url = std::move(url),
          .table = "Orders",
          .sink = "s",
          .id = "q7",
          .region = "eu-central-1",
          .arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/Orders",
          .keys = {.partition = {{"p", model::Type::kS}}, .sort = {}},
          .credentials_file = {},
          .authority_file = {},
          .options = std::move(options)};
}

void SomeChanges::add(const std::string& key, table::ItemRecord record) {
  const model::AttributeValue value = model::AttributeValue::string(key);
  const model::AttributeValue* const partition[] = {&value};
  record.at_ms = 1'700'000'000'000 + static_cast<int64_t>(changes_.size());
  record.keys = bytes_.emplace_back(model::encode_item(change_item(key, nullptr)));
  Change change;
  change.position = storage::numbered_position(changes_.size() + 1);
  change.key = bytes_.emplace_back(model::collection_prefix(3, model::kBaseIndex, partition));
  change.record = record;
  changes_.push_back(change);
}

void SomeChanges::put(const std::string& key, const std::string& value) {
  table::ItemRecord record;
  record.new_image = bytes_.emplace_back(model::encode_item(change_item(key, &value)));
  add(key, record);
}

void SomeChanges::remove(const std::string& key, const std::string& old_value) {
  table::ItemRecord record;
  record.event = table::StreamEvent::kRemove;
  record.old_image = bytes_.emplace_back(model::encode_item(change_item(key, &old_value)));
  add(key, record);
}

void SomeChanges::damage() {
  table::ItemRecord record;
  record.new_image = "nonsense";
  add("damaged", record);
}

}  // namespace partita::sinks
