// DescribeInsightRules and GetInsightRuleReport: the rules of DynamoDB's Contributor Insights.
#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "cloudwatch/calls.h"
#include "cloudwatch/metric_name.h"
#include "model/fault.h"

namespace partita::cloudwatch {

namespace {

using metrics::Contributor;
using metrics::InsightPeriod;
using metrics::InsightReport;
using metrics::kMsPerMinute;
using model::Fault;
using table::InsightRule;
using wire::Document;

constexpr std::string_view kSchema = R"({"Name":"ServiceLogRule","Version":1})";
constexpr int64_t kMostRules = 500;
// AWS's names are shorter, but those of the longest tables and indexes are longer than its documents allow.
constexpr size_t kMostRuleName = 1'024;

// The attributes of a rule's keys. AWS documents neither these labels nor those of keys with several attributes.
std::vector<std::string> labels_of(const InsightRule& rule) {
  std::vector<std::string> labels;
  const auto add = [&](const std::vector<model::KeyElement>& elements, const std::string& label) {
    for (size_t i = 1; i <= elements.size(); ++i) {
      labels.push_back(elements.size() == 1 ? label : label + std::to_string(i));
    }
  };
  add(rule.keys.partition, "PartitionKey");
  if (is_of_items(rule.kind)) add(rule.keys.sort, "SortKey");
  return labels;
}

Document::List list_of(std::vector<std::string> texts) {
  Document::List list;
  for (std::string& text : texts) list.emplace_back(std::move(text));
  return list;
}

std::string definition_of(const InsightRule& rule) {
  const Document definition = Document::Map{
      {"Schema", Document::Map{{"Name", "ServiceLogRule"}, {"Version", int64_t{1}}}},
      {"AggregateOn", "Sum"},
      {"Contribution",
       Document::Map{{"Filters", Document::List{}},
                     {"Keys", list_of(labels_of(rule))},
                     {"ValueOf", is_of_throttles(rule.kind) ? "ThrottleCount" : "ConsumedThroughputUnits"}}}};
  return write_json(definition);
}

std::string text_of(const model::AttributeValue& value) {
  if (value.is(model::Type::kN)) return value.as_number().to_string();
  if (value.is(model::Type::kS)) return value.as_string();
  std::string text;
  append_base64(text, value.as_binary());
  return text;
}

// One for each label. A key that was stored for other attributes has none.
std::vector<std::string> key_texts(const InsightRule& rule, std::string_view key) {
  std::vector<std::string> texts;
  for (const auto* const elements : {&rule.keys.partition, &rule.keys.sort}) {
    if (elements == &rule.keys.sort && !is_of_items(rule.kind)) break;
    const auto values = model::take_key_values(*elements, key);
    if (!values) return {};
    for (const model::AttributeValue& value : *values) texts.push_back(text_of(value));
  }
  return texts;
}

// --- GetInsightRuleReport

struct ReportMetric {
  std::string_view name;
  double (*of)(const InsightPeriod& period);
};
constexpr std::array kReportMetrics = {
    ReportMetric{"UniqueContributors", [](const InsightPeriod& period) { return period.contributors; }},
    ReportMetric{"MaxContributorValue", [](const InsightPeriod& period) { return period.greatest; }},
    ReportMetric{"SampleCount", [](const InsightPeriod& period) { return period.events; }},
    ReportMetric{"Sum", [](const InsightPeriod& period) { return period.sum; }},
    ReportMetric{"Minimum", [](const InsightPeriod& period) { return period.least; }},
    ReportMetric{"Maximum", [](const InsightPeriod& period) { return period.most; }},
    ReportMetric{"Average",
                 [](const InsightPeriod& period) {
                   return period.contributors == 0 ? 0 : period.kept_sum / period.contributors;
                 }},
};

// "CloudWatch contributor insights for DynamoDB: How it works": more than 25 contributors are an error.
constexpr int64_t kMostReported = 25;
constexpr int64_t kReported = 10;  // by default

struct ReportRequest {
  const InsightRule* rule = nullptr;
  int64_t from = 0;  // minutes since 1970
  int64_t to = 0;
  int64_t period_minutes = 1;
  size_t most = 0;
  std::vector<const ReportMetric*> metrics;
  bool by_maximum = false;
};

Result<void> take_metrics(const Parameters& in, ReportRequest& request) {
  PARTITA_TRY(const std::vector<std::string> names, in.distinct_texts("Metrics", kReportMetrics.size()));
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kReportMetrics, name, &ReportMetric::name);
    if (found == kReportMetrics.end()) {
      std::string all;
      for (const ReportMetric& metric : kReportMetrics) all.append(all.empty() ? "" : ", ").append(metric.name);
      return invalid("Metrics", "must be some of " + all);
    }
    request.metrics.push_back(found);
  }
  return {};
}

Result<ReportRequest> decode_report(const CallContext& context, const Parameters& in) {
  constexpr std::array<std::string_view, 4> kOrders = {"Sum", "Maximum", "SUM", "MAXIMUM"};
  ReportRequest request;
  PARTITA_TRY(const std::string name, in.needed_text("RuleName", 1, kMostRuleName));
  PARTITA_TRY(const int64_t from_ms, in.needed_time("StartTime"));
  PARTITA_TRY(const int64_t to_ms, in.needed_time("EndTime"));
  PARTITA_TRY(request.period_minutes, period_in(in));
  PARTITA_TRY(const auto most, in.whole("MaxContributorCount", 1, kMostReported));
  PARTITA_TRY_VOID(take_metrics(in, request));
  PARTITA_TRY(const auto order, in.word("OrderBy", kOrders));
  PARTITA_TRY_VOID(check_points(from_ms, to_ms, request.period_minutes));
  const auto rule = std::ranges::find(context.rules, name, &InsightRule::name);
  if (rule == context.rules.end()) return model::refuse(Fault::kMonitorNoRule, {name});
  request.rule = &*rule;
  request.from = from_ms / kMsPerMinute;
  request.to = (to_ms + kMsPerMinute - 1) / kMsPerMinute;
  request.most = static_cast<size_t>(most.value_or(kReported));
  request.by_maximum = order == "Maximum" || order == "MAXIMUM";
  return request;
}

Document time_of(int64_t minute) { return Document::Time{minute * kMsPerMinute}; }

Document document_of(const Contributor& contributor, std::vector<std::string> keys) {
  Document::List points;
  for (const auto& [minute, value] : contributor.periods) {
    points.emplace_back(Document::Map{{"Timestamp", time_of(minute)}, {"ApproximateValue", value}});
  }
  return Document::Map{{"Keys", list_of(std::move(keys))},
                       {"ApproximateAggregateValue", contributor.sum},
                       {"Datapoints", std::move(points)}};
}

Document encode_report(const ReportRequest& request, InsightReport report) {
  std::ranges::sort(report.contributors, [&](const Contributor& one, const Contributor& other) {
    const double first = request.by_maximum ? one.most : one.sum;
    const double second = request.by_maximum ? other.most : other.sum;
    return first != second ? first > second : one.key < other.key;
  });
  Document::List contributors;
  for (const Contributor& contributor : report.contributors) {
    if (contributors.size() == request.most) break;
    std::vector<std::string> keys = key_texts(*request.rule, contributor.key);
    if (!keys.empty()) contributors.push_back(document_of(contributor, std::move(keys)));
  }
  Document reply = Document::Map{{"KeyLabels", list_of(labels_of(*request.rule))},
                                 {"AggregationStatistic", "Sum"},
                                 {"AggregateValue", report.sum},
                                 {"ApproximateUniqueCount", static_cast<int64_t>(report.contributors.size())},
                                 {"Contributors", std::move(contributors)}};
  if (request.metrics.empty()) return reply;
  Document::List points;
  for (const auto& [minute, period] : report.periods) {
    Document point = Document::Map{{"Timestamp", time_of(minute)}};
    for (const ReportMetric* const metric : request.metrics) point.set(std::string(metric->name), metric->of(period));
    points.push_back(std::move(point));
  }
  reply.set("MetricDatapoints", std::move(points));
  return reply;
}

}  // namespace

Task<Result<Document>> describe_insight_rules(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const auto most, in.whole("MaxResults", 1, kMostRules));
  PARTITA_CO_TRY(const auto after, position_in(in));
  Document::List listed;
  std::string_view last;
  bool more = false;
  for (const InsightRule& rule : context.rules) {
    if (after && rule.name <= *after) continue;
    more = listed.size() == static_cast<size_t>(most.value_or(kMostRules));
    if (more) break;
    last = rule.name;
    listed.emplace_back(Document::Map{{"Name", rule.name},
                                      {"State", "ENABLED"},
                                      {"Schema", kSchema},
                                      {"Definition", definition_of(rule)},
                                      {"ManagedRule", true}});
  }
  Document reply = Document::Map{{"InsightRules", std::move(listed)}};
  if (more) reply.set("NextToken", token_of(last));
  co_return reply;
}

Task<Result<Document>> get_insight_rule_report(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const ReportRequest request, decode_report(context, in));
  const metrics::InsightSubject of{request.rule->table_id, request.rule->index_id, request.rule->kind};
  // What an earlier rule of the table has counted is not of this one.
  const int64_t since = request.rule->began_ms / kMsPerMinute;
  const metrics::InsightSpan span{request.from, request.to, request.period_minutes, since};
  auto read = co_await metrics::read_insights(context.engine, of, span);
  PARTITA_CO_TRY(InsightReport report, std::move(read));
  co_return encode_report(request, std::move(report));
}

}  // namespace partita::cloudwatch
