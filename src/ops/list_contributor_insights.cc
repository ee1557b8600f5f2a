#include "ops/handlers.h"
#include "ops/insights_reply.h"
#include "ops/pipeline.h"
#include "table/insights.h"

namespace partita::ops {

namespace {

struct ListContributorInsights {
  using Request = table::InsightsListing;

  static Result<Request> decode(const wire::Members& in) {
    constexpr int64_t kMostResults = 100;  // ListContributorInsightsLimit in DynamoDB's service model
    const int64_t limit = in.integer(wire::Field::kMaxResults).value_or(kMostResults);
    return Request{std::string(in.text(wire::Field::kTableName)), std::string(in.text(wire::Field::kNextToken)),
                   static_cast<size_t>(limit < 1 ? kMostResults : limit)};
  }

  static Task<Result<table::InsightsPage>> run(const Context& context, const Request& request) {
    return table::list_insights(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const table::InsightsPage& page) {
    wire::JsonWriter json;
    json.begin_object();
    json.key("ContributorInsightsSummaries");
    json.begin_array();
    for (const auto& state : page.states) {
      json.begin_object();
      write_insights_summary(json, state);
      json.end_object();
    }
    json.end_array();
    if (!page.last.empty()) {
      json.key("NextToken");
      json.string(page.last);
    }
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> list_contributor_insights(const Context& context, wire::JsonDocument document) {
  return serve_control<ListContributorInsights>(context, std::move(document));
}

}  // namespace partita::ops
