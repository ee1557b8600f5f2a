#include <set>

#include "model/fault.h"
#include "model/limits.h"
#include "ops/items/transact_call.h"
#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/request.h"
#include "table/items/read.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::JsonValue;
using wire::Members;

// A key as text: DynamoDB refuses a key twice, but takes 1000 and 1e3 for two keys here. Values of types that no key
// has count too.
std::string key_text(JsonValue key) {
  std::set<std::string> parts;
  for (const auto& [name, value] : key.members()) {
    for (const auto& [type, held] : value.members()) {
      const bool text = held.is(JsonValue::Kind::kString);
      const bool nested = held.is(JsonValue::Kind::kArray) || held.is(JsonValue::Kind::kObject);
      if (!text && !nested && !held.is(JsonValue::Kind::kBoolean)) continue;  // a member that no value has
      parts.insert(std::string(name) + '\0' + std::string(type) + '\0' +
                   (text ? std::string(held.as_string()) : canonical_text(held)));
    }
  }
  std::string joined;
  for (const auto& part : parts) joined += part + '\0';
  return joined;
}

Result<void> check_duplicates(JsonValue keys) {
  std::set<std::string> seen;
  for (const JsonValue key : keys.elements()) {
    if (!seen.insert(key_text(key)).second) return refuse(Fault::kBatchDuplicateKeys);
  }
  return {};
}

// The words of a part that a reply repeats for the keys that are left.
struct KeyWords {
  std::optional<std::string> projection;
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<std::string> attributes;
  bool consistent = false;  // whether it was said at all
};

struct Request : api::BatchGetRequest {
  std::vector<KeyWords> words;  // one for each part
};

KeyWords words_of(const Members& in) {
  KeyWords words;
  if (in.has(Field::kProjectionExpression)) words.projection = in.text(Field::kProjectionExpression);
  for (const auto& [key, name] : wire::distinct_members(in[Field::kExpressionAttributeNames])) {
    words.names.emplace_back(key, name.as_string());
  }
  words.attributes = texts(in[Field::kAttributesToGet]);
  words.consistent = in.has(Field::kConsistentRead);
  return words;
}

Result<Request::Part> decode_part(std::string_view name, const Members& in) {
  Request::Part part;
  part.table = name;
  for (const JsonValue key : in[Field::kKeys].elements()) {
    PARTITA_TRY(model::Item decoded, wire::decode_item(key));
    part.keys.push_back(std::move(decoded));
  }
  PARTITA_TRY(part.projection, attributes_to_get(in));
  PARTITA_TRY(expr::Placeholders given, placeholders(in));
  if (!part.projection) {
    PARTITA_TRY(part.projection, projection(in, given));
  }
  PARTITA_TRY_VOID(given.check_all_used());
  PARTITA_TRY_VOID(check_duplicates(in[Field::kKeys]));
  part.consistent = in.flag(Field::kConsistentRead);
  return part;
}

// The two forms do not mix, neither in a part nor over the parts.
Result<void> check_part_forms(const std::vector<std::pair<std::string_view, Members>>& parts) {
  bool expression = false;
  bool legacy = false;
  for (const auto& [name, part] : parts) {
    expression = expression || part.has(Field::kProjectionExpression);
    legacy = legacy || part.has(Field::kAttributesToGet);
    PARTITA_TRY_VOID(check_forms(part, {{Field::kProjectionExpression}, {Field::kAttributesToGet}}));
  }
  if (expression && legacy) {
    return refuse(Fault::kMixedExpressions, {std::string(wire::name_of(Field::kAttributesToGet)),
                                             std::string(wire::name_of(Field::kProjectionExpression))});
  }
  return {};
}

// A part again, with the keys that are left.
void write_rest(wire::JsonWriter& json, const Request::Part& part, const std::vector<size_t>& unprocessed,
                const KeyWords& words) {
  json.begin_object();
  json.begin_array("Keys");
  for (const size_t i : unprocessed) json.write_item(part.keys[i]);
  json.end_array();
  if (words.projection) {
    json.member("ProjectionExpression", *words.projection);
  }
  if (!words.names.empty()) {
    json.begin_object("ExpressionAttributeNames");
    for (const auto& [key, name] : words.names) {
      json.member(key, name);
    }
    json.end_object();
  }
  if (!words.attributes.empty()) {
    json.begin_array("AttributesToGet");
    for (const auto& name : words.attributes) json.string(name);
    json.end_array();
  }
  if (words.consistent) {
    json.member("ConsistentRead", part.consistent);
  }
  json.end_object();
}

struct BatchGetItem {
  using Execution = ItemExecutionOf<ops::Request, table::BatchGetPlan, api::BatchGetReply>;
  using Request = ops::Request;

  static Result<Request> decode(const Members& in) {
    Request request;
    std::vector<std::pair<std::string_view, Members>> parts;
    const wire::Shape& shape = in.element_shape(Field::kRequestItems);
    size_t total = 0;
    for (const auto& [name, part] : wire::distinct_members(in[Field::kRequestItems])) {
      parts.emplace_back(name, Members(part, shape));
      total += parts.back().second[Field::kKeys].size();
    }
    if (total > model::kMaxBatchGetKeys) return refuse(Fault::kBatchTooManyItems, {"BatchGetItem"});
    PARTITA_TRY_VOID(check_part_forms(parts));
    for (const auto& [name, members] : parts) {
      PARTITA_TRY(Request::Part part, decode_part(name, members));
      request.parts.push_back(std::move(part));
      request.words.push_back(words_of(members));
    }
    request.capacity = capacity_detail(in);
    return request;
  }

  static Task<Result<std::string>> encode(const Request& request, const api::BatchGetReply& reply) {
    wire::JsonWriter json(4096);
    YieldBudget budget(YieldBudget::Start::kBegun);
    const auto write = [&json](const api::ReadItem& item) {
      return item.item ? write_found(json, *item.item) : Result<void>();
    };
    std::vector<api::ConsumedCapacity> consumed;
    json.begin_object();
    json.begin_object("Responses");
    for (size_t i = 0; i < reply.parts.size(); ++i) {
      add_by_table(consumed, reply.parts[i].consumed);
      json.begin_array(request.parts[i].table);
      PARTITA_CO_TRY_VOID(co_await write_each(json, budget, reply.parts[i].items, write));
      json.end_array();
    }
    json.end_object();
    json.begin_object("UnprocessedKeys");
    for (size_t i = 0; i < reply.parts.size(); ++i) {
      if (reply.parts[i].unprocessed.empty()) continue;
      json.key(request.parts[i].table);
      write_rest(json, request.parts[i], reply.parts[i].unprocessed, request.words[i]);
    }
    json.end_object();
    write_capacity_list(json, consumed, request.capacity);
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec batch_get_item = json_codec<BatchGetItem>(wire::shapes::kBatchGetItem);

}  // namespace partita::ops
