#include "model/fault.h"
#include "ops/items/range_call.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::Members;

Result<api::Segment> decode_segment(const Members& in) {
  const auto index = in.integer(Field::kSegment);
  const auto total = in.integer(Field::kTotalSegments);
  if (index && !total) return refuse(Fault::kSegmentWithoutTotal);
  if (total && !index) return refuse(Fault::kTotalWithoutSegment);
  api::Segment segment;
  if (!index) return segment;
  if (*index >= *total) return refuse(Fault::kSegmentTooLarge, {std::to_string(*index), std::to_string(*total)});
  segment.index = static_cast<uint32_t>(*index);
  segment.total = static_cast<uint32_t>(*total);
  return segment;
}

struct Scan : RangeCall {
  static Result<Request> decode(const Members& in) {
    Request request;
    PARTITA_TRY_VOID(check_forms(in, {{Field::kProjectionExpression, Field::kFilterExpression},
                                      {Field::kAttributesToGet, Field::kScanFilter, Field::kConditionalOperator}}));
    PARTITA_TRY(request.projection, attributes_to_get(in));
    PARTITA_TRY_VOID(decode_legacy_filter(in, Field::kScanFilter, request));
    PARTITA_TRY_VOID(decode_start(in, request));
    PARTITA_TRY(request.segment, decode_segment(in));
    PARTITA_TRY(expr::Placeholders given, placeholders(in));
    PARTITA_TRY_VOID(decode_filter(in, given, request));
    PARTITA_TRY_VOID(decode_range(in, RangeKind::kScan, given, request));
    PARTITA_TRY_VOID(given.check_all_used());
    return request;
  }
};

}  // namespace

constinit const JsonCodec scan = json_codec<Scan>(wire::shapes::kScan);

}  // namespace partita::ops
