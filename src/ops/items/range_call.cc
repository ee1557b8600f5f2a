#include "ops/items/range_call.h"

#include <algorithm>
#include <array>

#include "model/fault.h"
#include "ops/enum_names.h"
#include "ops/reply.h"
#include "wire/checks.h"
#include "wire/error_body.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using api::Select;
using model::Fault;
using model::refuse;
using wire::Field;
using wire::Members;

// Faults of a value that DynamoDB reports as they are, wherever the value stands.
bool speaks_for_itself(Fault fault) {
  constexpr std::array kBare = {
      Fault::kNumberSyntax,         Fault::kNumberEmpty,          Fault::kNumberOverflow,
      Fault::kNumberUnderflow,      Fault::kNumberPrecision,      Fault::kEmptyNumberSet,
      Fault::kNumberFarAbove,       Fault::kNumberFarBelow,       Fault::kNumberWrapsBelow,
      Fault::kDuplicateInStringSet, Fault::kDuplicateInNumberSet, Fault::kDuplicateInBinarySet,
  };
  return std::ranges::find(kBare, fault) != kBare.end();
}

Select select_of(const Members& in) { return kSelects.value_of(in.text(Field::kSelect), Select::kDefault); }

// The parameter that says what to return.
std::string_view projection_parameter(const Members& in) {
  return wire::name_of(in.has(Field::kAttributesToGet) ? Field::kAttributesToGet : Field::kProjectionExpression);
}

// AWS puts the prefix of faults against the model before Query's texts alone.
Result<void> check_select(const Members& in, RangeKind kind, bool projected) {
  const std::string_view projected_by = projected ? projection_parameter(in) : std::string_view();
  auto checked =
      api::check_select(select_of(in), in.text(Field::kSelect), projected_by, in.has(Field::kIndexName));
  if (checked.ok() || kind == RangeKind::kScan) return checked;
  return wire::constraint_violated(wire::message_of(checked.error()));
}

}  // namespace

Result<void> decode_legacy_filter(const Members& in, Field field, api::RangeRequest& request) {
  PARTITA_TRY_VOID(check_conditional_operator(in, field));
  if (!in.has(field)) return {};
  PARTITA_TRY(const auto conditions, legacy_conditions(in, field));
  PARTITA_TRY(request.filter, expr::lower_filter(conditions, legacy_join(in)));
  request.legacy_filter = true;
  return {};
}

Result<void> decode_filter(const Members& in, expr::Placeholders& given, api::RangeRequest& request) {
  if (!in.has(Field::kFilterExpression)) return {};
  const std::string_view expression = in.text(Field::kFilterExpression);
  PARTITA_TRY(request.filter, expr::parse_condition(expression, expr::ExpressionKind::kFilter, given));
  return {};
}

Result<void> decode_start(const Members& in, api::RangeRequest& request) {
  if (!in.has(Field::kExclusiveStartKey)) return {};
  auto key = wire::decode_item(in[Field::kExclusiveStartKey]);
  if (!key.ok()) {
    if (speaks_for_itself(model::fault_of(key.error()))) return std::move(key).error();
    return refuse(Fault::kStartKeyValueInvalid, {wire::message_of(key.error())});
  }
  request.start = std::move(key).value();
  return {};
}

Result<void> decode_range(const Members& in, RangeKind kind, expr::Placeholders& given, api::RangeRequest& request) {
  if (!request.projection) {
    PARTITA_TRY(request.projection, projection(in, given));
  }
  PARTITA_TRY_VOID(check_select(in, kind, request.projection.has_value()));
  request.table = in.text(Field::kTableName);
  if (in.has(Field::kIndexName)) request.index = in.text(Field::kIndexName);
  request.select = select_of(in);
  request.consistent = in.flag(Field::kConsistentRead);
  request.capacity = capacity_detail(in);
  if (const auto limit = in.integer(Field::kLimit)) request.limit = static_cast<uint64_t>(*limit);
  return {};
}

Task<Result<std::string>> RangeCall::encode(const Request& request, const api::RangeReply& page) {
  wire::JsonWriter json(512 + page.bytes + page.bytes / 4);
  json.begin_object();
  if (request.select != Select::kCount) {
    json.begin_array("Items");
    PARTITA_CO_TRY_VOID(co_await write_items(json, page.items));
    json.end_array();
  }
  json.member("Count", static_cast<int64_t>(page.count));
  json.member("ScannedCount", static_cast<int64_t>(page.scanned));
  if (page.last_key) {
    json.key("LastEvaluatedKey");
    json.write_item(*page.last_key);
  }
  write_capacity_member(json, page.consumed, request.capacity);
  json.end_object();
  co_return std::move(json).take();
}

}  // namespace partita::ops
