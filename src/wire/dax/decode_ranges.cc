// Query and Scan.
#include "expr/key_condition.h"
#include "model/fault.h"
#include "wire/checks.h"
#include "wire/dax/arguments.h"
#include "wire/dax/expression.h"
#include "wire/dax/key.h"
#include "wire/dax/request.h"
#include "wire/error_body.h"
#include "wire/name_rules.h"
#include "wire/parameter_words.h"

namespace partita::wire::dax {
namespace {

constexpr uint32_t kRangeKeywords =
    keywords(Keyword::kProjection, Keyword::kConsistentRead, Keyword::kCapacity, Keyword::kStartKey, Keyword::kFilter,
             Keyword::kIndexName, Keyword::kLimit, Keyword::kSelect);
constexpr uint32_t kQueryKeywords = kRangeKeywords | mask_of(Keyword::kForward);
constexpr uint32_t kScanKeywords = kRangeKeywords | keywords(Keyword::kSegment, Keyword::kTotalSegments);

constexpr int64_t kMaxSegments = 1'000'000;
constexpr size_t kShortestIndexName = 3;

// The parameters with constraints.
struct RangeParameters {
  std::string_view table;
  std::optional<std::string_view> index;
  std::optional<int64_t> limit;
  std::optional<int64_t> segment;
  std::optional<int64_t> total;
};

bool is_in_bounds(const RangeParameters& given) {
  const auto within = [](const std::optional<int64_t>& value, int64_t min, int64_t max) {
    return !value || (*value >= min && *value <= max);
  };
  const bool index_fits = !given.index || (is_name(*given.index) && given.index->size() >= kShortestIndexName &&
                                           given.index->size() <= static_cast<size_t>(kLongestTableName));
  return is_item_table(given.table) && index_fits && within(given.limit, 1, INT64_MAX) &&
         within(given.segment, 0, kMaxSegments - 1) && within(given.total, 1, kMaxSegments);
}

Result<RangeParameters> take_parameters(std::string_view table, const Keywords& given, const Shape& shape) {
  RangeParameters range{table, {}, {}, {}, {}};
  PARTITA_TRY(range.index, given.text(Keyword::kIndexName));
  PARTITA_TRY(range.limit, given.integer(Keyword::kLimit));
  PARTITA_TRY(range.segment, given.integer(Keyword::kSegment));
  PARTITA_TRY(range.total, given.integer(Keyword::kTotalSegments));
  if (is_in_bounds(range)) return range;
  if (!is_utf8(table)) return malformed_request("the name of a table is not UTF-8");
  JsonWriter body;
  body.begin_object();
  body.member("TableName", table);
  if (range.index) body.member("IndexName", *range.index);
  if (range.limit) body.member("Limit", *range.limit);
  if (range.segment) body.member("Segment", *range.segment);
  if (range.total) body.member("TotalSegments", *range.total);
  body.end_object();
  PARTITA_TRY_VOID(check_parameters(body, shape));
  return range;
}

// Bytes that are no key of the table are a key that no page began with. An empty one is absent.
Result<void> take_start(const Keywords& given, Decoding& decoding, const RangeParameters& range,
                        api::RangeRequest& request) {
  PARTITA_TRY(const auto bytes, given.bytes(Keyword::kStartKey));
  if (!bytes || bytes->empty()) return {};
  auto start =
      range.index ? read_compound_key(*bytes, &decoding.memory) : take_key(*bytes, decoding.tables.find(range.table));
  if (!start.ok()) {
    if (model::fault_of(start.error()) != model::Fault::kKeySchemaMismatch) return std::move(start).error();
    return model::refuse(model::Fault::kStartKeyInvalid);
  }
  request.start = std::move(start).value();
  return {};
}

Result<void> take_filter(const Keywords& given, Decoding& decoding, api::RangeRequest& request) {
  PARTITA_TRY(const auto bytes, given.bytes(Keyword::kFilter));
  if (!bytes) return {};
  PARTITA_TRY(request.filter, read_condition(*bytes, expr::ExpressionKind::kFilter, &decoding.memory));
  return {};
}

std::string_view select_word(api::Select select) {
  switch (select) {
    case api::Select::kSpecific:
      return kSelectWords[0];
    case api::Select::kCount:
      return kSelectWords[1];
    case api::Select::kAllAttributes:
      return kSelectWords[2];
    case api::Select::kAllProjected:
      return kSelectWords[3];
    case api::Select::kDefault:
      return "";
  }
  return "";
}

Result<void> take_range(const Keywords& given, const RangeParameters& range, const Shape& shape, Decoding& decoding,
                        api::RangeRequest& request) {
  PARTITA_TRY(request.projection, given.projection(decoding.memory));
  PARTITA_TRY(request.select, given.select());
  if (decoding.always_selects && request.select == api::Select::kAllAttributes) request.select = api::Select::kDefault;
  auto fits = api::check_select(request.select, select_word(request.select),
                                request.projection ? "ProjectionExpression" : "", range.index.has_value());
  if (!fits.ok()) {
    // AWS puts the prefix of faults against the model before Query's texts alone.
    if (&shape == &shapes::kQuery) return constraint_violated(message_of(fits.error()));
    return fits;
  }
  request.table = range.table;
  if (range.index) request.index = *range.index;
  PARTITA_TRY(request.consistent, given.flag(Keyword::kConsistentRead, false));
  PARTITA_TRY(request.capacity, given.capacity());
  if (range.limit) request.limit = static_cast<uint64_t>(*range.limit);
  return {};
}

Result<void> query_request(CborReader& in, Decoding& decoding, api::RangeRequest& request) {
  PARTITA_TRY(const std::string_view table, take_table(in));
  PARTITA_TRY(const auto keys, take_optional_bytes(in));
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kQueryKeywords));
  PARTITA_TRY(const RangeParameters range, take_parameters(table, given, shapes::kQuery));
  PARTITA_TRY_VOID(take_start(given, decoding, range, request));
  if (!keys) return model::refuse(model::Fault::kQueryWithoutKeyCondition);
  PARTITA_TRY(request.keys, read_condition(*keys, expr::ExpressionKind::kKeyCondition, &decoding.memory));
  PARTITA_TRY_VOID(take_filter(given, decoding, request));
  PARTITA_TRY_VOID(take_range(given, range, shapes::kQuery, decoding, request));
  PARTITA_TRY_VOID(expr::check_key_condition(*request.keys));
  PARTITA_TRY(request.forward, given.flag(Keyword::kForward, true));
  return {};
}

Result<void> scan_request(CborReader& in, Decoding& decoding, api::RangeRequest& request) {
  PARTITA_TRY(const std::string_view table, take_table(in));
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kScanKeywords));
  PARTITA_TRY(const RangeParameters range, take_parameters(table, given, shapes::kScan));
  PARTITA_TRY_VOID(take_start(given, decoding, range, request));
  PARTITA_TRY(request.segment, api::make_segment(range.segment, range.total));
  PARTITA_TRY_VOID(take_filter(given, decoding, request));
  PARTITA_TRY_VOID(take_range(given, range, shapes::kScan, decoding, request));
  return {};
}

}  // namespace

Result<api::RangeRequest> decode_query(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kQuery, query_request, in, decoding);
}

Result<api::RangeRequest> decode_scan(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kScan, scan_request, in, decoding);
}

}  // namespace partita::wire::dax
