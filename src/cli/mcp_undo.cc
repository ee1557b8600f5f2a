#include "cli/mcp_undo.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "cli/local_calls.h"
#include "model/limits.h"
#include "wire/json_writer.h"

namespace partita::cli {

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
  for (const auto& place : change.places) {
    bytes += place.table.size() + place.key.size() + place.item.size() + place.wrote.size();
  }
  return bytes;
}

McpCalls::Answer changed_by_others(const McpUndo::Change& change) {
  return mcp_error("An item that the last change, " + change.operation +
                   ", wrote was changed since then by somebody else. It is left as it is.");
}

// Whether the transaction was cancelled because an item was not as expected.
bool condition_failed(const McpCalls::Answer& answer) {
  const auto body = JsonDocument::parse(answer.body);
  if (!body.ok()) return false;
  for (const JsonValue reason : body->root().get("CancellationReasons").elements()) {
    if (text_of(reason.get("Code")) == "ConditionalCheckFailed") return true;
  }
  return false;
}

using Attributes = std::map<std::string_view, JsonValue, std::less<>>;

Attributes attributes_of(const JsonValue& item) {
  Attributes attributes;
  for (const auto [name, value] : item.members()) {
    if (value.present()) attributes.insert_or_assign(name, value);
  }
  return attributes;
}

bool same_names(const Attributes& one, const Attributes& other) {
  return std::ranges::equal(one, other, {}, &Attributes::value_type::first, &Attributes::value_type::first);
}

// The action that sets one item back, with a condition on each attribute that it is expected to have.
class Restoration {
 public:
  // `is`: as the item was just read. `expected`: the same, or what the call put there. `was`: what it becomes.
  Restoration(const Attributes& key, const Attributes& is, const Attributes& expected, const Attributes& was)
      : is_(is), expected_(expected), was_(was) {
    if (is.empty()) {
      condition_ = "attribute_not_exists(" + name(key.begin()->first) + ")";
      return;
    }
    Attributes all = expected;
    all.insert(was.begin(), was.end());
    for (const auto& [attribute, value] : all) add(attribute, key.contains(attribute));
  }

  // A condition has limits, which items of very many attributes exceed.
  bool possible() const {
    return condition_.size() <= model::kMaxExpressionBytes && operators_ <= model::kMaxExpressionOperators;
  }

  void write(JsonWriter& json, const McpUndo::Change::Place& place) && {
    const std::string_view verb = verb_of();
    json.begin_object();
    json.begin_object(verb);
    json.key("TableName");
    json.raw(place.table);
    json.key(verb == "Put" ? "Item" : "Key");
    json.raw(verb == "Put" ? place.item : place.key);
    if (verb == "Update") {
      json.member("UpdateExpression", set_ + remove_);
    }
    json.member("ConditionExpression", condition_);
    json.key("ExpressionAttributeNames");
    json.raw(std::move(names_) + "}");
    if (values_.size() > 1) {
      json.key("ExpressionAttributeValues");
      json.raw(std::move(values_) + "}");
    }
    json.end_object();
    json.end_object();
  }

 private:
  std::string_view verb_of() const {
    if (was_.empty() && !is_.empty()) return "Delete";
    if (!was_.empty() && is_.empty()) return "Put";
    // An attribute that somebody adds in this moment outlives an Update, but not a Put.
    return set_.empty() && remove_.empty() ? "ConditionCheck" : "Update";
  }

  std::string name(std::string_view attribute) {
    const std::string mark = "#n" + std::to_string(count_++);
    names_ += (names_.size() > 1 ? ",\"" : "\"") + mark + "\":" + text_of_json(attribute);
    return mark;
  }

  std::string value(std::string mark, const JsonValue& value) {
    values_ += (values_.size() > 1 ? ",\"" : "\"") + mark + "\":" + text_of_json(value);
    return mark;
  }

  void add(std::string_view attribute, bool of_key) {
    const std::string number = std::to_string(count_);
    const std::string mark = name(attribute);
    const auto expected = expected_.find(attribute);
    const auto is = is_.find(attribute);
    const auto was = was_.find(attribute);
    if (!condition_.empty()) condition_ += " AND ";
    condition_ += expected == expected_.end() ? "attribute_not_exists(" + mark + ")"
                                              : mark + "=" + value(":e" + number, expected->second);
    operators_ += 2;
    if (of_key || was_.empty()) return;
    if (was == was_.end()) {
      remove_ += (remove_.empty() ? " REMOVE " : ",") + mark;
    } else if (is == is_.end() || text_of_json(is->second) != text_of_json(was->second)) {
      set_ += (set_.empty() ? "SET " : ",") + mark + "=" + value(":w" + number, was->second);
    }
  }

  const Attributes& is_;
  const Attributes& expected_;
  const Attributes& was_;
  std::string condition_;
  std::string set_;
  std::string remove_;
  std::string names_ = "{";
  std::string values_ = "{";
  size_t count_ = 0;
  size_t operators_ = 0;
};

enum class Restored : uint8_t { kWritten, kChangedByOthers, kTooManyAttributes };

Restored write_restoration(JsonWriter& json, const McpUndo::Change::Place& place, const JsonValue& item) {
  const auto parsed = [](const std::string& text) { return JsonDocument::parse(text.empty() ? "{}" : text); };
  const auto key = parsed(place.key);
  const auto wrote = parsed(place.wrote);
  const auto before = parsed(place.item);
  if (!key.ok() || !wrote.ok() || !before.ok()) return Restored::kChangedByOthers;
  const Attributes is = attributes_of(item);
  const Attributes expected = place.told ? attributes_of(wrote->root()) : is;
  if (!same_names(is, expected)) return Restored::kChangedByOthers;
  const Attributes was = attributes_of(before->root());
  Restoration restoration(attributes_of(key->root()), is, expected, was);
  if (!restoration.possible()) return Restored::kTooManyAttributes;
  std::move(restoration).write(json, place);
  return Restored::kWritten;
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
  change.places.push_back({table, std::move(json).take(), {}, true, text_of_json(item)});
  return true;
}

// False: it has none that are known before it is carried out.
bool McpUndo::name_places(Change& change, JsonValue arguments) {
  const auto add_key = [&](const std::string& table, JsonValue key, bool deleted) {
    if (key.present()) change.places.push_back({table, text_of_json(key), {}, deleted, {}});
    return key.present();
  };
  const std::string table = text_of_json(text_of(arguments.get("TableName")));
  if (change.operation == "PutItem") return add_put(change, table, arguments.get("Item"));
  if (change.operation == "UpdateItem" || change.operation == "DeleteItem") {
    return add_key(table, arguments.get("Key"), change.operation == "DeleteItem");
  }
  if (change.operation == "BatchWriteItem") {
    for (const auto [name, requests] : arguments.get("RequestItems").members()) {
      for (const JsonValue request : requests.elements()) {
        const JsonValue put = request.get("PutRequest").get("Item");
        const bool known = put.present() ? add_put(change, text_of_json(name), put)
                                         : add_key(text_of_json(name), request.get("DeleteRequest").get("Key"), true);
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
        const bool known =
            verb == "Put" ? add_put(change, of, action.get("Item")) : add_key(of, action.get("Key"), verb == "Delete");
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
  json.begin_array("TransactItems");
  for (const auto& place : change.places) {
    json.begin_object();
    json.begin_object("Get");
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

void McpUndo::done(Change change, std::string_view reply) {
  const auto said = JsonDocument::parse(reply);
  if (said.ok() && said->root().get("UnprocessedItems").size() > 0) {
    for (auto& place : change.places) place.told = false;  // not all of them were written
  }
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
  const auto body = JsonDocument::parse(now.body);
  if (!body.ok() || now.body != change.left) return changed_by_others(change);
  JsonWriter json;
  json.begin_object();
  json.begin_array("TransactItems");
  auto place = change.places.begin();
  for (const JsonValue response : body->root().get("Responses").elements()) {
    const Restored restored = write_restoration(json, *place++, response.get("Item"));
    if (restored == Restored::kChangedByOthers) return changed_by_others(change);
    if (restored == Restored::kTooManyAttributes) {
      return mcp_error("The last change, " + change.operation +
                       ", cannot be taken back by Undo: an item has more attributes than one condition can name. "
                       "RollbackToSnapshot sets everything back to a snapshot that was made before.");
    }
  }
  json.end_array();
  json.end_object();
  McpCalls::Answer undone = calls_.ask(dynamodb_target("TransactWriteItems"), std::move(json).take());
  if (condition_failed(undone)) return changed_by_others(change);
  if (undone.status != 200) return undone;
  JsonWriter said;
  said.begin_object();
  said.member("Undone", change.operation);
  said.member("Items", static_cast<int64_t>(change.places.size()));
  said.end_object();
  bytes_ -= bytes_of(change);
  changes_.pop_back();
  return {200, std::move(said).take()};
}

}  // namespace partita::cli
