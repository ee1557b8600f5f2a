#include "service/world.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <set>
#include <thread>

#include "base/check.h"
#include "base/task.h"
#include "engines/memory/memory_engine.h"
#include "ops/operation.h"
#include "wire/fault_table.h"

namespace partita::fuzz {

namespace {

constexpr std::string_view kHash = R"({"TableName": "hash", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})";

constexpr std::string_view kWide = R"({"TableName": "wide", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [
    {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"},
    {"AttributeName": "when", "AttributeType": "S"}, {"AttributeName": "owner", "AttributeType": "S"},
    {"AttributeName": "code", "AttributeType": "B"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
  "LocalSecondaryIndexes": [{
    "IndexName": "by_when", "Projection": {"ProjectionType": "KEYS_ONLY"},
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "when", "KeyType": "RANGE"}]}],
  "GlobalSecondaryIndexes": [{
    "IndexName": "by_owner", "Projection": {"ProjectionType": "ALL"},
    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}, {
    "IndexName": "by_code", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]},
    "KeySchema": [{"AttributeName": "code", "KeyType": "HASH"}]}]})";

constexpr std::string_view kItems = R"({"RequestItems": {
  "hash": [
    {"PutRequest": {"Item": {"pk": {"S": "a"}, "n": {"N": "1"}, "l": {"L": [{"S": "x"}, {"N": "2"}]},
                             "m": {"M": {"k": {"S": "v"}}}}}},
    {"PutRequest": {"Item": {"pk": {"S": "b"}, "ss": {"SS": ["x", "y"]}}}}],
  "wide": [
    {"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "when": {"S": "2020"}, "owner": {"S": "o"},
                             "title": {"S": "t"}}}},
    {"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"N": "2"}, "owner": {"S": "o"}, "code": {"B": "AAE="}}}},
    {"PutRequest": {"Item": {"pk": {"S": "b"}, "sk": {"N": "-1"}, "when": {"S": "2021"}}}}]}})";

// What a later request may need.
constexpr std::array<std::string_view, 5> kRemembered = {"LatestStreamArn", "ShardId", "ShardIterator",
                                                         "SequenceNumber", "ScalableTargetARN"};

constexpr auto kPatience = std::chrono::seconds(10);

Json object(std::initializer_list<std::pair<std::string, Json>> members) {
  Json made{Json::Kind::kObject, {}, {}, {}};
  for (const auto& [name, value] : members) {
    made.names.push_back(name);
    made.children.push_back(value);
  }
  return made;
}

const Json& member(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  PARTITA_CHECK(found != nullptr);
  return *found;
}

// An item with its attributes in the order of their names; their values come from one writer, so text compares them.
Json sorted(const Json& item) {
  std::vector<size_t> order(item.names.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return item.names[i]; });
  Json made{Json::Kind::kObject, {}, {}, {}};
  for (const size_t i : order) {
    made.names.push_back(item.names[i]);
    made.children.push_back(item.children[i]);
  }
  return made;
}

std::vector<std::string> key_names(const Json& described) {
  std::vector<std::string> names;
  for (const Json& part : member(described, "KeySchema").children) {
    names.emplace_back(member(part, "AttributeName").content());
  }
  return names;
}

std::string type_of(const Json& description, std::string_view attribute) {
  for (const Json& definition : member(description, "AttributeDefinitions").children) {
    if (member(definition, "AttributeName").content() == attribute) {
      return std::string(member(definition, "AttributeType").content());
    }
  }
  PARTITA_CHECK(false);
}

// Whether the attribute can stand in an index's key: an item that was there before the index may hold what cannot.
bool fits(const Json& value, const std::string& type) {
  const Json* held = value.find(type);
  return held != nullptr && !held->content().empty();
}

// Near the limits of a key's length it would have to be known how long the escaped text really is.
bool is_short(const Json& item) {
  return std::ranges::all_of(item.children, [](const Json& value) { return value.children[0].text.size() <= 1024; });
}

bool at_rest(const Json& description) {
  const auto active = [](const Json& of, std::string_view name) { return member(of, name).content() == "ACTIVE"; };
  if (!active(description, "TableStatus")) return false;
  const Json* indexes = description.find("GlobalSecondaryIndexes");
  return indexes == nullptr ||
         std::ranges::all_of(indexes->children, [&](const Json& index) { return active(index, "IndexStatus"); });
}

const Json* local_indexes(const Json& description) { return description.find("LocalSecondaryIndexes"); }
const Json* global_indexes(const Json& description) { return description.find("GlobalSecondaryIndexes"); }

bool is_known_exception(std::string_view type, int status) {
  const std::string_view name = type.substr(type.find('#') + 1);
  for (int i = 0; i < static_cast<int>(wire::Exception::kCount); ++i) {
    const wire::ExceptionName& row = wire::name_of(static_cast<wire::Exception>(i));
    const bool same = row.name == name && type == std::string(row.space) + "#" + std::string(name);
    if (same && row.status == status) return true;  // services share names
  }
  return false;
}

}  // namespace

World::World() : engine_(open_memory_engine()) {
  const table::DatabaseOptions at_once{.updating_ms = 0, .deleting_ms = 0};
  auto opened = table::Database::open(*engine_, clock_, random_, at_once);
  PARTITA_CHECK(opened.ok());
  database_ = std::move(opened).value();
  service_ = std::make_unique<ops::Service>(*database_);
  service_->set_dax_address({.plain = {{"127.0.0.1", 8111}}, .encrypted = {}});
  for (const std::string_view table : {kHash, kWide}) PARTITA_CHECK(send("CreateTable", table).status == 200);
  for (const std::string& table : tables()) settled(table);
  PARTITA_CHECK(send("BatchWriteItem", kItems).status == 200);
}

World::~World() = default;

ops::Reply World::send(std::string_view operation, std::string_view body) {
  const ops::Operation* known = ops::find_operation(operation);
  const std::string target = known == nullptr ? "DynamoDB_20120810." + std::string(operation) : ops::target_of(*known);
  const ops::Call call{target, "application/x-amz-json-1.0", body,
                       std::make_shared<auth::Caller>("local", "us-east-1", "000000000000")};
  ops::Reply reply = wait_for(service_->call(call));
  check_reply(reply);
  for (const std::string_view name : kRemembered) remember(reply.body, name);
  return reply;
}

// A name and its value anywhere in the reply.
void World::remember(std::string_view body, std::string_view name) {
  const std::string start = '"' + std::string(name) + "\":\"";
  const size_t at = body.find(start);
  if (at == std::string_view::npos) return;
  const std::string_view rest = body.substr(at + start.size());
  remembered_.insert_or_assign('@' + std::string(name), std::string(rest.substr(0, rest.find('"'))));
}

std::string World::recalled(std::string_view body) const {
  std::string whole(body);
  for (const auto& [mark, value] : remembered_) {
    const size_t at = whole.find('"' + mark + '"');
    if (at != std::string::npos) whole.replace(at + 1, mark.size(), value);
  }
  return whole;
}

Json World::ask(std::string_view operation, const Json& body) {
  const ops::Reply reply = send(operation, print_json(body));
  PARTITA_CHECK(reply.status == 200);
  return *parse_json(reply.body);
}

void World::check_reply(const ops::Reply& reply) {
  PARTITA_CHECK(reply.status == 200 || reply.status == 400);
  if (reply.status == 200 && reply.body.empty()) return;  // of an operation that answers nothing
  const std::optional<Json> body = parse_json(reply.body);
  PARTITA_CHECK(body.has_value() && body->kind == Json::Kind::kObject);
  const Json* type = body->find("__type");
  if (reply.status == 200) {
    PARTITA_CHECK(type == nullptr);
  } else {
    PARTITA_CHECK(type != nullptr && type->is_string() && is_known_exception(type->content(), reply.status));
  }
}

std::vector<int> World::run(std::string_view program) {
  std::vector<int> statuses;
  while (!program.empty()) {
    const std::string_view line = program.substr(0, program.find('\n'));
    program.remove_prefix(std::min(line.size() + 1, program.size()));
    const std::string_view operation = line.substr(0, line.find(' '));
    const std::string_view body = line.substr(std::min(operation.size() + 1, line.size()));
    if (operation == "@wait") {
      int64_t ms = 0;
      std::from_chars(body.data(), body.data() + body.size(), ms);
      clock_.advance_ms(std::clamp<int64_t>(ms, 0, int64_t{1} << 40));
    } else if (!operation.empty()) {
      const auto before = contents();
      statuses.push_back(send(operation, recalled(body)).status);
      if (statuses.back() == 200 || !before) continue;
      const auto after = contents();
      PARTITA_CHECK(!after || after == before);
    }
  }
  return statuses;
}

std::vector<std::string> World::tables() {
  std::vector<std::string> names;
  Json request = object({});
  for (;;) {
    const Json reply = ask("ListTables", request);
    for (const Json& name : member(reply, "TableNames").children) names.emplace_back(name.content());
    const Json* last = reply.find("LastEvaluatedTableName");
    if (last == nullptr) return names;
    request = object({{"ExclusiveStartTableName", *last}});
  }
}

Json World::settled(const std::string& table) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const std::string request = print_json(object({{"TableName", Json::string(table)}}));
  for (;;) {
    const ops::Reply reply = send("DescribeTable", request);
    if (reply.status == 400) return Json::scalar("null");
    const Json body = *parse_json(reply.body);
    const Json& description = member(body, "Table");
    if (at_rest(description)) return description;
    PARTITA_CHECK(std::chrono::steady_clock::now() < deadline);
    clock_.advance_ms(1);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

std::optional<std::vector<Json>> World::items(const std::string& table, std::string_view index) {
  std::vector<Json> found;
  Json request = object({{"TableName", Json::string(table)}});
  if (index.empty()) {
    request.names.emplace_back("ConsistentRead");
    request.children.push_back(Json::scalar("true"));
  } else {
    request.names.emplace_back("IndexName");
    request.children.push_back(Json::string(index));
  }
  const Json first = request;
  for (;;) {
    const ops::Reply reply = send("Scan", print_json(request));
    if (reply.status == 400) return std::nullopt;
    const Json body = *parse_json(reply.body);
    for (const Json& item : member(body, "Items").children) found.push_back(sorted(item));
    const Json* last = body.find("LastEvaluatedKey");
    if (last == nullptr) break;
    request = first;
    request.names.emplace_back("ExclusiveStartKey");
    request.children.push_back(*last);
  }
  std::ranges::sort(found, {}, print_json);
  return found;
}

std::optional<std::string> World::contents() {
  std::string all;
  for (const std::string& table : tables()) {
    const auto rows = items(table, "");
    if (!rows) return std::nullopt;
    for (const Json& item : *rows) all.append(table).append(" ").append(print_json(item)).append("\n");
  }
  return all;
}

void World::check_index(const std::vector<Json>& items, const Json& description, const Json& index) {
  const std::vector<std::string> own_keys = key_names(index);
  std::set<std::string> kept(own_keys.begin(), own_keys.end());
  for (const std::string& name : key_names(description)) kept.insert(name);
  const Json& projection = member(index, "Projection");
  const bool all = member(projection, "ProjectionType").content() == "ALL";
  if (const Json* names = projection.find("NonKeyAttributes")) {
    for (const Json& name : names->children) kept.emplace(name.content());
  }
  std::vector<Json> expected;
  for (const Json& item : items) {
    if (!is_short(item)) return;
    const bool in = std::ranges::all_of(own_keys, [&](const std::string& name) {
      const Json* value = item.find(name);
      return value != nullptr && fits(*value, type_of(description, name));
    });
    if (!in) continue;
    Json view{Json::Kind::kObject, {}, {}, {}};
    for (size_t i = 0; i < item.names.size(); ++i) {
      if (!all && !kept.contains(item.names[i])) continue;
      view.names.push_back(item.names[i]);
      view.children.push_back(item.children[i]);
    }
    expected.push_back(std::move(view));
  }
  std::ranges::sort(expected, {}, print_json);
  const std::string table(member(description, "TableName").content());
  const auto found = this->items(table, member(index, "IndexName").content());
  PARTITA_CHECK(found.has_value());
  PARTITA_CHECK(std::ranges::equal(expected, *found, {}, print_json, print_json));
}

void World::check_indexes() {
  for (const std::string& table : tables()) {
    const Json description = settled(table);
    if (description.kind != Json::Kind::kObject) continue;
    const auto all = items(table, "");
    PARTITA_CHECK(all.has_value());
    for (const Json* indexes : {local_indexes(description), global_indexes(description)}) {
      if (indexes == nullptr) continue;
      for (const Json& index : indexes->children) check_index(*all, description, index);
    }
  }
}

}  // namespace partita::fuzz
