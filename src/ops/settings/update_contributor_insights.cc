#include "ops/json_codec.h"
#include "ops/settings/insights_reply.h"
#include "ops/tables/table_request.h"
#include "table/control/insights.h"

namespace partita::ops {

namespace {

struct UpdateContributorInsights {
  using Execution = ControlExecutionOf<UpdateContributorInsights>;
  using Reply = api::InsightsState;
  using Request = api::UpdateInsightsRequest;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = in.text(wire::Field::kTableName);
    request.index = decode_text(in, wire::Field::kIndexName);
    request.enable = in.text(wire::Field::kContributorInsightsAction) == "ENABLE";
    request.throttled_only = in.text(wire::Field::kContributorInsightsMode) == "THROTTLED_KEYS";
    return request;
  }

  static Subject subject(Request& request) { return {.table = &request.name, .index = &request.index}; }

  static Task<Result<api::InsightsState>> run(const Context& context, const Request& request) {
    return table::update_insights(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const api::InsightsState& state) {
    wire::JsonWriter json;
    json.begin_object();
    write_insights_summary(json, state);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec update_contributor_insights =
    json_codec<UpdateContributorInsights>(wire::shapes::kUpdateContributorInsights);

}  // namespace partita::ops
