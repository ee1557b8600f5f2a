#include "ops/handlers.h"
#include "ops/insights_reply.h"
#include "ops/pipeline.h"
#include "ops/table_request.h"
#include "table/insights.h"

namespace partita::ops {

namespace {

struct UpdateContributorInsights {
  using Request = table::InsightsRequest;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = in.text(wire::Field::kTableName);
    request.index = decode_text(in, wire::Field::kIndexName);
    request.enable = in.text(wire::Field::kContributorInsightsAction) == "ENABLE";
    request.throttled_only = in.text(wire::Field::kContributorInsightsMode) == "THROTTLED_KEYS";
    return request;
  }

  static Task<Result<table::InsightsState>> run(const Context& context, const Request& request) {
    return table::update_insights(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const table::InsightsState& state) {
    wire::JsonWriter json;
    json.begin_object();
    write_insights_summary(json, state);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> update_contributor_insights(const Context& context, wire::JsonDocument document) {
  return serve_control<UpdateContributorInsights>(context, std::move(document));
}

}  // namespace partita::ops
