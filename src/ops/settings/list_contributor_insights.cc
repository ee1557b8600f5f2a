#include "ops/json_codec.h"
#include "ops/settings/insights_reply.h"
#include "table/control/insights.h"

namespace partita::ops {

namespace {

struct ListContributorInsights {
  using Execution = ControlExecutionOf<ListContributorInsights>;
  using Reply = api::ListInsightsReply;
  using Request = api::ListInsightsRequest;

  static Result<Request> decode(const wire::Members& in) {
    constexpr int64_t kMostResults = 100;  // ListContributorInsightsLimit in DynamoDB's service model
    const int64_t limit = in.integer(wire::Field::kMaxResults).value_or(kMostResults);
    return Request{std::string(in.text(wire::Field::kTableName)), std::string(in.text(wire::Field::kNextToken)),
                   static_cast<size_t>(limit < 1 ? kMostResults : limit)};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<api::ListInsightsReply>> run(const Context& context, const Request& request) {
    return table::list_insights(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const api::ListInsightsReply& page) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("ContributorInsightsSummaries");
    for (const auto& state : page.states) {
      json.begin_object();
      write_insights_summary(json, state);
      json.end_object();
    }
    json.end_array();
    if (!page.last.empty()) {
      json.member("NextToken", page.last);
    }
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec list_contributor_insights =
    json_codec<ListContributorInsights>(wire::shapes::kListContributorInsights);

}  // namespace partita::ops
