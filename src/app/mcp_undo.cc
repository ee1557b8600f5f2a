#include "app/mcp_undo.h"

#include <algorithm>
#include <utility>

#include "app/local_calls.h"
#include "wire/json_writer.h"

namespace partita::app {

namespace {

using wire::JsonDocument;
using wire::JsonValue;
using wire::JsonWriter;

constexpr size_t kMostPlaces = 100;  // TransactWriteItems takes no more
constexpr size_t kMostChanges = 100;
constexpr size_t kMostBytes = size_t{32} << 20;

std::string text_of_json(const JsonValue& value) {
  JsonWriter json;
  write_json(json, value);
  return std::move(json).take();
}

std::string text_of_json(std::string_view string) {
  JsonWriter json;
  json.string(string);
  return std::move(json).take();
}

size_t bytes_of(const McpUndo::Change& change) {
  size_t bytes = change.left.size();
  for (const auto& place : change.places) bytes += place.table.size() + place.key.size() + place.item.size();
  return bytes;
}

}  // namespace

std::vector<std::string> McpUndo::key_names(const std::string& table) {
  const auto answer = calls_.ask(dynamodb_target("DescribeTable"), "{\"TableName\":" + table + "}");
  std::vector<std::string> names;
  const auto body = JsonDocument::parse(answer.body);
  if (!body.ok()) return names;
  for (const JsonValue part : body->root().get("Table").get("KeySchema").elements()) {
    names.push_back(text_of(part.get("AttributeName")));
  }
  return names;
}

bool McpUndo::add_put(Change& change, const std::string& table, JsonValue item) {
  const std::vector<std::string> names = key_names(table);
  if (names.empty()) return false;
  JsonWriter json;
  json.begin_object();
  for (const std::string& name : names) {
    const JsonValue value = item.get(name);
    if (!value.present()) return false;
    json.key(name);
    write_json(json, value);
  }
  json.end_object();
  change.places.push_back({table, std::move(json).take(), {}});
  return true;
}

// False: it has none that are known before it is carried out.
bool McpUndo::name_places(Change& change, JsonValue arguments) {
  const auto add_key = [&](const std::string& table, JsonValue key) {
    if (key.present()) change.places.push_back({table, text_of_json(key), {}});
    return key.present();
  };
  const std::string table = text_of_json(text_of(arguments.get("TableName")));
  if (change.operation == "PutItem") return add_put(change, table, arguments.get("Item"));
  if (change.operation == "UpdateItem" || change.operation == "DeleteItem") return add_key(table, arguments.get("Key"));
  if (change.operation == "BatchWriteItem") {
    for (const auto [name, requests] : arguments.get("RequestItems").members()) {
      for (const JsonValue request : requests.elements()) {
        const JsonValue put = request.get("PutRequest").get("Item");
        const bool known = put.present() ? add_put(change, text_of_json(name), put)
                                         : add_key(text_of_json(name), request.get("DeleteRequest").get("Key"));
        if (!known) return false;
      }
    }
    return true;
  }
  if (change.operation == "TransactWriteItems") {
    for (const JsonValue part : arguments.get("TransactItems").elements()) {
      for (const auto [verb, action] : part.members()) {
        if (verb == "ConditionCheck") continue;
        const std::string of = text_of_json(text_of(action.get("TableName")));
        const bool known = verb == "Put" ? add_put(change, of, action.get("Item")) : add_key(of, action.get("Key"));
        if (!known) return false;
      }
    }
    return true;
  }
  return false;
}

McpCalls::Answer McpUndo::read(const Change& change) {
  JsonWriter json;
  json.begin_object();
  json.key("TransactItems");
  json.begin_array();
  for (const auto& place : change.places) {
    json.begin_object();
    json.key("Get");
    json.begin_object();
    json.key("TableName");
    json.raw(place.table);
    json.key("Key");
    json.raw(place.key);
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return calls_.ask(dynamodb_target("TransactGetItems"), std::move(json).take());
}

McpUndo::Change McpUndo::before(std::string_view operation, JsonValue arguments) {
  Change change{std::string(operation), {}, {}};
  const bool known = name_places(change, arguments) && !change.places.empty() && change.places.size() <= kMostPlaces;
  const McpCalls::Answer answer = known ? read(change) : McpCalls::Answer{400, {}};
  const auto body = JsonDocument::parse(answer.body);
  const bool told = answer.status == 200 && body.ok() && body->root().get("Responses").size() == change.places.size();
  if (!told) {
    change.places.clear();
    return change;
  }
  auto place = change.places.begin();
  for (const JsonValue response : body->root().get("Responses").elements()) {
    const JsonValue item = response.get("Item");
    if (item.present()) place->item = text_of_json(item);
    ++place;
  }
  return change;
}

void McpUndo::done(Change change) {
  if (!change.places.empty()) {
    McpCalls::Answer left = read(change);
    change.left = std::move(left.body);
    if (left.status != 200) change.places.clear();
  }
  bytes_ += bytes_of(change);
  changes_.push_back(std::move(change));
  while (changes_.size() > kMostChanges || (bytes_ > kMostBytes && changes_.size() > 1)) {
    bytes_ -= bytes_of(changes_.front());
    changes_.pop_front();
  }
}

McpCalls::Answer McpUndo::undo() {
  if (changes_.empty()) return mcp_error("Nothing is left that this session changed and could take back.");
  const Change& change = changes_.back();
  if (change.places.empty()) {
    return mcp_error("The last change, " + change.operation +
                     ", cannot be taken back by Undo. RollbackToSnapshot sets everything back to a snapshot that was "
                     "made before.");
  }
  const McpCalls::Answer now = read(change);
  if (now.status != 200) return now;
  if (now.body != change.left) {
    return mcp_error("An item that the last change, " + change.operation +
                     ", wrote was changed since then by somebody else. It is left as it is.");
  }
  JsonWriter json;
  json.begin_object();
  json.key("TransactItems");
  json.begin_array();
  for (const auto& place : change.places) {
    json.begin_object();
    json.key(place.item.empty() ? "Delete" : "Put");
    json.begin_object();
    json.key("TableName");
    json.raw(place.table);
    json.key(place.item.empty() ? "Key" : "Item");
    json.raw(place.item.empty() ? place.key : place.item);
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  McpCalls::Answer undone = calls_.ask(dynamodb_target("TransactWriteItems"), std::move(json).take());
  if (undone.status != 200) return undone;
  JsonWriter said;
  said.begin_object();
  said.key("Undone");
  said.string(change.operation);
  said.key("Items");
  said.number(static_cast<int64_t>(change.places.size()));
  said.end_object();
  bytes_ -= bytes_of(change);
  changes_.pop_back();
  return {200, std::move(said).take()};
}

}  // namespace partita::app
