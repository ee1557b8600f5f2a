#include "ops/range_call.h"

#include <algorithm>
#include <array>

#include "model/fault.h"
#include "wire/error_body.h"
#include "wire/item_reader.h"
#include "wire/shape.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;

// Faults of a value that DynamoDB reports as they are, wherever the value stands.
bool speaks_for_itself(Fault fault) {
  constexpr std::array kBare = {
      Fault::kNumberSyntax,         Fault::kNumberEmpty,          Fault::kNumberOverflow,
      Fault::kNumberUnderflow,      Fault::kNumberPrecision,      Fault::kEmptyNumberSet,
      Fault::kDuplicateInStringSet, Fault::kDuplicateInNumberSet, Fault::kDuplicateInBinarySet,
  };
  return std::ranges::find(kBare, fault) != kBare.end();
}

// How the parameter is called that says what to return.
std::string projection_parameter(JsonValue body) {
  return body.get("AttributesToGet").present() ? "AttributesToGet" : "ProjectionExpression";
}

Result<void> check_select(JsonValue body, RangeKind kind, bool projected) {
  const std::string select = text(body, "Select");
  if (select == "ALL_PROJECTED_ATTRIBUTES" && !body.get("IndexName").present()) {
    return refuse(Fault::kSelectProjectedWithoutIndex, {kind == RangeKind::kQuery ? "Querying" : "Scanning"});
  }
  if (select == "SPECIFIC_ATTRIBUTES" && !projected) {
    const Error missing = refuse(Fault::kSelectSpecificWithoutProjection);
    if (kind == RangeKind::kScan) return missing;
    return wire::constraint_violated(wire::message_of(missing));  // AWS puts its prefix before Query's text alone
  }
  if (projected && !select.empty() && select != "SPECIFIC_ATTRIBUTES") {
    const std::string what = select == "COUNT" ? "only the Count" : select;
    return refuse(Fault::kSelectWithProjection, {projection_parameter(body), what});
  }
  return {};
}

// Those of the attributes that the index does not store.
std::vector<std::string> not_projected(const table::TableInfo& table, const table::IndexInfo& index,
                                       const std::vector<std::string>& attributes) {
  if (index.projection.kind == table::ProjectionKind::kAll) return {};
  std::vector<std::string> stored = table::key_attributes(table, &index);
  stored.insert(stored.end(), index.projection.attributes.begin(), index.projection.attributes.end());
  std::vector<std::string> missing;
  std::ranges::copy_if(attributes, std::back_inserter(missing),
                       [&](const auto& name) { return std::ranges::find(stored, name) == stored.end(); });
  return missing;
}

std::string bracketed(const std::vector<std::string>& names) {
  std::string list = "[";
  for (const auto& name : names) {
    if (list.size() > 1) list += ", ";
    list += name;
  }
  return list + "]";
}

bool needs_whole_items(const table::RangeRead& read, const std::string& select) {
  if (select == "ALL_ATTRIBUTES") return read.index->projection.kind != table::ProjectionKind::kAll;
  if (read.projection && !not_projected(*read.table, *read.index, read.projection->attributes()).empty()) return true;
  return read.filter && !not_projected(*read.table, *read.index, read.filter->attributes()).empty();
}

Result<std::string> encode(JsonValue body, const table::RangeRead& read, const table::RangePage& page) {
  wire::JsonWriter json(4096);
  json.begin_object();
  if (!read.count_only) {
    json.key("Items");
    json.begin_array();
    for (const auto& item : page.items) PARTITA_TRY_VOID(write_found(json, item));
    json.end_array();
  }
  json.key("Count");
  json.number(static_cast<int64_t>(page.count));
  json.key("ScannedCount");
  json.number(static_cast<int64_t>(page.scanned));
  if (page.last_key) {
    json.key("LastEvaluatedKey");
    json.write_item(*page.last_key);
  }
  write_capacity_member(json, page.consumed, capacity_detail(body));
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Result<void> decode_legacy_filter(JsonValue body, std::string_view member, table::RangeRead& read) {
  PARTITA_TRY_VOID(check_conditional_operator(body, member));
  const JsonValue entries = body.get(member);
  if (!entries.present()) return {};
  PARTITA_TRY(const auto conditions, legacy_conditions(entries));
  PARTITA_TRY(read.filter, expr::lower_filter(conditions, legacy_join(body)));
  return {};
}

Result<void> decode_filter(JsonValue body, expr::Placeholders& given, table::RangeRead& read) {
  const JsonValue expression = body.get("FilterExpression");
  if (!expression.present()) return {};
  PARTITA_TRY(read.filter, expr::parse_condition(expression.as_string(), expr::Source::kFilter, given));
  return {};
}

Result<void> decode_start(JsonValue body, table::RangeRead& read) {
  const JsonValue start = body.get("ExclusiveStartKey");
  if (!start.present()) return {};
  auto key = wire::decode_item(start);
  if (!key.ok()) {
    if (speaks_for_itself(model::fault_of(key.error()))) return std::move(key).error();
    return refuse(Fault::kStartKeyValueInvalid, {wire::message_of(key.error())});
  }
  read.start = std::move(key).value();
  return {};
}

Result<void> decode_range(JsonValue body, RangeKind kind, expr::Placeholders& given, table::RangeRead& read) {
  if (!read.projection) {
    PARTITA_TRY(read.projection, projection(body, given));
  }
  PARTITA_TRY_VOID(check_select(body, kind, read.projection.has_value()));
  read.count_only = text(body, "Select") == "COUNT";
  read.consistent = flag(body, "ConsistentRead");
  if (const auto limit = integer(body, "Limit")) read.limit = static_cast<uint64_t>(*limit);
  return {};
}

Result<void> check_paths(const table::RangeRead& read) {
  if (read.filter) PARTITA_TRY_VOID(table::check_scalar_keys(*read.table, read.filter->nested_attributes()));
  if (read.projection) PARTITA_TRY_VOID(table::check_scalar_keys(*read.table, read.projection->nested_attributes()));
  return {};
}

Result<void> choose_index(JsonValue body, table::RangeRead& read) {
  const JsonValue name = body.get("IndexName");
  if (!name.present()) return {};
  read.index = read.table->find_index(name.as_string());
  if (read.index == nullptr) return refuse(Fault::kIndexNotFound, {std::string(name.as_string())});
  const std::string& index = read.index->name;
  if (read.index->status != table::Status::kActive) return refuse(Fault::kIndexBackfilling, {index});
  const std::string select = text(body, "Select");
  if (!read.index->global) {
    read.whole_items = needs_whole_items(read, select);
    return {};
  }
  if (read.consistent) return refuse(Fault::kConsistentGlobalIndex);
  if (select == "ALL_ATTRIBUTES" && read.index->projection.kind != table::ProjectionKind::kAll) {
    return refuse(Fault::kSelectAllOnIndex, {index});
  }
  if (read.projection) {
    const auto missing = not_projected(*read.table, *read.index, read.projection->attributes());
    if (!missing.empty()) return refuse(Fault::kProjectionNotInIndex, {index, bracketed(missing)});
  }
  return {};
}

Task<Result<std::string>> run_range(const Context& context, JsonValue body, const table::RangeRead& read) {
  auto page = co_await table::read_range(context.database, read);
  if (!page.ok()) co_return std::move(page).error();
  co_return encode(body, read, *page);
}

}  // namespace partita::ops
