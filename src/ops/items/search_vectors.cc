#include <array>

#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/request.h"
#include "table/rows/vector_rows.h"
#include "wire/item_reader.h"
#include "wire/strict_body.h"

namespace partita::ops {

namespace {

using api::SearchHit;
using model::Fault;
using wire::Field;
using wire::JsonValue;
using wire::JsonWriter;
using wire::Members;

using Strict = wire::StrictKind;
constexpr std::array kMembers = {
    wire::StrictMember{"TableName", Strict::kString},
    wire::StrictMember{"IndexName", Strict::kString},
    wire::StrictMember{"SearchVector", Strict::kList},
    wire::StrictMember{"TopK", Strict::kInteger},
    wire::StrictMember{"SearchConditionExpression", Strict::kString, false},
    wire::StrictMember{"ProjectionExpression", Strict::kString, false},
    wire::StrictMember{"ExpressionAttributeNames", Strict::kMap, false},
    wire::StrictMember{"ExpressionAttributeValues", Strict::kMap, false},
    wire::StrictMember{"ReturnConsumedCapacity", Strict::kString, false},
};

// That each element has one value, which is not null.
Result<void> check_elements(JsonValue vector) {
  for (const JsonValue element : vector.elements()) {
    size_t values = 0;
    for (const auto& [name, value] : element.members()) values += size_t{value.present()};
    if (element.is(JsonValue::Kind::kObject) ? values != 1 : !element.present()) {
      return model::refuse(Fault::kStrictSerialization);
    }
  }
  return {};
}

// Nothing when an element is no 32-bit float.
Result<std::optional<std::vector<float>>> decode_vector(const Members& in) {
  std::optional<std::vector<float>> sought(std::in_place);
  for (const auto element : in[Field::kSearchVector].elements()) {
    PARTITA_TRY(const model::AttributeValue value, wire::decode_value(element));
    const std::optional<float> number = table::float_of(value);
    if (!number) sought.reset();
    if (sought) sought->push_back(*number);
  }
  return sought;
}

void write_floats(JsonWriter& json, std::string_view packed) {
  json.begin_object();
  json.begin_array("L");
  for (const float number : table::unpacked(packed)) {
    json.begin_object();
    json.member("N", table::float_text(number));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

Result<void> write_hit(JsonWriter& json, const SearchHit& hit, const std::string& vector_attribute) {
  PARTITA_TRY(const model::Item item, model::decode_item(hit.item));
  json.begin_object();
  json.begin_object("Item");
  for (const auto& [name, value] : item) {
    json.key(name);
    json.write_value(value);
  }
  if (!hit.vector.empty()) {
    json.key(vector_attribute);
    write_floats(json, hit.vector);
  }
  json.end_object();
  json.member("Score", hit.score);
  json.end_object();
  return {};
}

Result<void> check_body(std::string_view body, const wire::JsonDocument& document) {
  PARTITA_TRY_VOID(wire::check_strict(body, kMembers));
  return check_elements(document.root().get("SearchVector"));
}

struct SearchVectors {
  using Execution = SearchExecution;
  using Request = api::SearchRequest;

  static Result<Request> decode(const Members& in) {
    Request request;
    request.table = in.text(Field::kTableName);
    request.index = in.text(Field::kIndexName);
    const int64_t top = in.integer(Field::kTopK).value_or(0);
    if (top > model::kMaxTopK) return model::refuse(Fault::kTopKTooLarge, {std::to_string(top)});
    request.top = static_cast<size_t>(top);
    PARTITA_TRY_VOID(check_forms(in, {{Field::kProjectionExpression, Field::kSearchConditionExpression}, {}}));
    PARTITA_TRY(request.sought, decode_vector(in));
    PARTITA_TRY(expr::Placeholders given, placeholders(in));
    if (in.has(Field::kSearchConditionExpression)) {
      const std::string_view text = in.text(Field::kSearchConditionExpression);
      PARTITA_TRY(request.condition, expr::parse_condition(text, expr::ExpressionKind::kSearch, given));
      PARTITA_TRY_VOID(table::check_search_condition(*request.condition));
    }
    PARTITA_TRY(request.projection, projection(in, given));
    PARTITA_TRY_VOID(given.check_all_used());
    request.capacity = capacity_detail(in);
    return request;
  }

  static Task<Result<std::string>> encode(const Request& request, const api::SearchReply& found) {
    JsonWriter json;
    json.begin_object();
    json.begin_array("SearchResults");
    YieldBudget budget(YieldBudget::Start::kBegun);
    const auto write = [&](const SearchHit& hit) { return write_hit(json, hit, found.attribute); };
    PARTITA_CO_TRY_VOID(co_await write_each(json, budget, found.hits, write));
    json.end_array();
    if (request.capacity != CapacityDetail::kNone) {
      json.begin_object("ConsumedCapacity");
      json.member("VectorSearchRequestBytes", static_cast<double>(found.consumed.searched_bytes));
      json.end_object();
    }
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec search_vectors = json_codec<SearchVectors>(wire::shapes::kSearchVectors, check_body);

}  // namespace partita::ops
