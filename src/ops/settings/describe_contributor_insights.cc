#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/settings/insights_reply.h"
#include "ops/tables/table_request.h"
#include "table/control/insights.h"
#include "wire/error_body.h"

namespace partita::ops {

namespace {

struct DescribeContributorInsights {
  using Execution = ControlExecutionOf<DescribeContributorInsights>;
  using Reply = api::InsightsState;
  using Request = api::DescribeInsightsRequest;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName)), decode_text(in, wire::Field::kIndexName)};
  }

  static Subject subject(Request& request) { return {.table = &request.name, .index = &request.index}; }

  static Task<Result<api::InsightsState>> run(const Context& context, const Request& request) {
    return table::describe_insights(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const api::InsightsState& state) {
    wire::JsonWriter json;
    json.begin_object();
    write_insights_summary(json, state);
    if (!state.rules.empty()) {
      json.begin_array("ContributorInsightsRuleList");
      for (const std::string& rule : state.rules) json.string(rule);
      json.end_array();
    }
    if (state.failed) wire::write_failure(json, model::Fault::kInsightRulesLimit);
    if (state.configured) write_time(json, "LastUpdateDateTime", state.changed_ms);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_contributor_insights =
    json_codec<DescribeContributorInsights>(wire::shapes::kDescribeContributorInsights);

}  // namespace partita::ops
