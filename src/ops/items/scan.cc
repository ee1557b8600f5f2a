#include "ops/items/range_call.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::Members;

struct Scan : RangeCall {
  static Result<Request> decode(const Members& in) {
    Request request;
    PARTITA_TRY_VOID(check_forms(in, {{Field::kProjectionExpression, Field::kFilterExpression},
                                      {Field::kAttributesToGet, Field::kScanFilter, Field::kConditionalOperator}}));
    PARTITA_TRY(request.projection, attributes_to_get(in));
    PARTITA_TRY_VOID(decode_legacy_filter(in, Field::kScanFilter, request));
    PARTITA_TRY_VOID(decode_start(in, request));
    PARTITA_TRY(request.segment, api::make_segment(in.integer(Field::kSegment), in.integer(Field::kTotalSegments)));
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
