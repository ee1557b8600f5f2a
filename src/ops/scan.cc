#include "model/fault.h"
#include "ops/handlers.h"
#include "ops/range_call.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;

Result<table::Segment> decode_segment(JsonValue body) {
  const auto index = integer(body, "Segment");
  const auto total = integer(body, "TotalSegments");
  if (index && !total) return refuse(Fault::kSegmentWithoutTotal);
  if (total && !index) return refuse(Fault::kTotalWithoutSegment);
  table::Segment segment;
  if (!index) return segment;
  if (*index >= *total) return refuse(Fault::kSegmentTooLarge, {std::to_string(*index), std::to_string(*total)});
  segment.index = static_cast<uint32_t>(*index);
  segment.total = static_cast<uint32_t>(*total);
  return segment;
}

Result<table::RangeRead> decode(JsonValue body) {
  table::RangeRead read;
  PARTITA_TRY_VOID(check_forms(
      body, {{"ProjectionExpression", "FilterExpression"}, {"AttributesToGet", "ScanFilter", "ConditionalOperator"}}));
  PARTITA_TRY(read.projection, attributes_to_get(body));
  PARTITA_TRY_VOID(decode_legacy_filter(body, "ScanFilter", read));
  PARTITA_TRY_VOID(decode_start(body, read));
  PARTITA_TRY(read.segment, decode_segment(body));
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  PARTITA_TRY_VOID(decode_filter(body, given, read));
  PARTITA_TRY_VOID(decode_range(body, RangeKind::kScan, given, read));
  PARTITA_TRY_VOID(given.check_all_used());
  return read;
}

}  // namespace

Task<Result<std::string>> scan(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(table::RangeRead read, decode(body));
  PARTITA_CO_TRY(read.table, ready_table(body, context));
  PARTITA_CO_TRY_VOID(choose_index(body, read));
  PARTITA_CO_TRY_VOID(check_paths(read));
  co_return co_await run_range(context, body, read);
}

}  // namespace partita::ops
