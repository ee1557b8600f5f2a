// GetMetricData.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "cloudwatch/calls.h"
#include "cloudwatch/expression.h"
#include "cloudwatch/label.h"
#include "cloudwatch/metric_name.h"
#include "model/fault.h"

namespace partita::cloudwatch {

namespace {

using metrics::kMsPerMinute;
using model::Fault;
using wire::Document;

constexpr size_t kMostQueries = 500;
constexpr int64_t kMostReturned = 100'800;  // datapoints in one reply
constexpr size_t kMostExpression = 2'048;
// Minutes that are read, and values that expressions compute, so that no request takes a thread for long: ours.
constexpr int64_t kMostWork = 10'000'000;

struct DataQuery {
  std::string id;
  std::optional<std::string> label;
  bool returned = true;
  int64_t period_minutes = 0;
  // Of a metric.
  MetricName name;
  std::string stat;
  std::optional<std::string> unit;
  // Of an expression.
  std::optional<Expression> expression;
};

struct DataRequest {
  std::vector<DataQuery> queries;
  int64_t from_ms = 0;
  int64_t to_ms = 0;
  bool ascending = false;
  int64_t most = kMostReturned;
  int64_t skipped = 0;  // datapoints of earlier pages
};

struct Computed {
  Values values;
  int64_t period_s = 0;
};

bool is_id(std::string_view id) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return id[0] >= 'a' && id[0] <= 'z' && std::ranges::all_of(id, fits);
}

Result<void> decode_stat(const Parameters& stat, DataQuery& query) {
  PARTITA_TRY(const auto metric, stat.structure("Metric"));
  if (!metric) return model::refuse(Fault::kMonitorMissing, {"MetricDataQueries.MetricStat.Metric"});
  PARTITA_TRY(query.name, metric_name_in(*metric));
  PARTITA_TRY(query.period_minutes, period_in(stat));
  PARTITA_TRY(query.stat, stat.needed_text("Stat", 1, kMostName));
  PARTITA_TRY_VOID(statistic_in("Stat", query.stat));
  PARTITA_TRY(query.unit, stat.text("Unit", 1, kMostName));
  return {};
}

Result<DataQuery> decode_query(const Parameters& in) {
  DataQuery query;
  PARTITA_TRY(query.id, in.needed_text("Id", 1, kMostName));
  if (!is_id(query.id)) return invalid("Id", "must begin with a lower-case letter, and have letters, digits and _");
  PARTITA_TRY_VOID(in.refuse({"AccountId"}));
  PARTITA_TRY(query.label, in.text("Label", 0, kMostExpression));
  if (query.label) PARTITA_TRY_VOID(label_of(*query.label, {}));
  PARTITA_TRY(const auto returned, in.flag("ReturnData"));
  query.returned = returned.value_or(true);
  PARTITA_TRY(const auto stat, in.structure("MetricStat"));
  PARTITA_TRY(const auto expression, in.text("Expression", 1, kMostExpression));
  if (stat.has_value() == expression.has_value()) {
    return model::refuse(Fault::kMonitorCombination,
                         {"The query " + query.id + " must have either MetricStat or Expression."});
  }
  if (stat) {
    PARTITA_TRY_VOID(decode_stat(*stat, query));
  } else {
    PARTITA_TRY(query.expression, Expression::parse(*expression));
  }
  return query;
}

Result<void> check_ids(const std::vector<DataQuery>& queries) {
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto same = [&](const DataQuery& other) { return other.id == queries[i].id; };
    if (std::any_of(queries.begin(), queries.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return model::refuse(Fault::kMonitorCombination, {"The id " + queries[i].id + " is used more than once."});
    }
  }
  return {};
}

Result<DataRequest> decode_data(const Parameters& in) {
  constexpr std::array<std::string_view, 2> kOrders = {"TimestampDescending", "TimestampAscending"};
  DataRequest request;
  PARTITA_TRY(const auto structures, in.structures("MetricDataQueries", kMostQueries));
  if (structures.empty()) return model::refuse(Fault::kMonitorMissing, {"MetricDataQueries"});
  for (const Parameters& one : structures) {
    PARTITA_TRY(DataQuery query, decode_query(one));
    request.queries.push_back(std::move(query));
  }
  PARTITA_TRY_VOID(check_ids(request.queries));
  PARTITA_TRY(request.from_ms, in.needed_time("StartTime"));
  PARTITA_TRY(request.to_ms, in.needed_time("EndTime"));
  if (request.from_ms >= request.to_ms) return model::refuse(Fault::kMonitorRange);
  PARTITA_TRY(const auto order, in.word("ScanBy", kOrders));
  request.ascending = order == kOrders[1];
  PARTITA_TRY(const auto most, in.whole("MaxDatapoints", 1, kMostReturned));
  request.most = most.value_or(kMostReturned);
  PARTITA_TRY(const auto position, position_in(in));
  if (!position) return request;
  const auto [end, error] = std::from_chars(position->data(), position->data() + position->size(), request.skipped);
  if (error != std::errc() || end != position->data() + position->size() || request.skipped < 0) {
    return model::refuse(Fault::kMonitorNextToken);
  }
  return request;
}

// The part of the request's range that can have values.
struct DataRange {
  DataRange(const DataRequest& request, int64_t now_ms)
      : from_ms(std::max(request.from_ms, now_ms - metrics::kKeptMinutes * kMsPerMinute)),
        to_ms(std::min(request.to_ms, now_ms)),
        asked_ms(request.from_ms - request.from_ms % kMsPerMinute) {}

  // The first of the periods, which begin with the request's range.
  int64_t first_of(int64_t period_ms) const {
    if (from_ms <= asked_ms) return asked_ms;
    return asked_ms + (from_ms - asked_ms + period_ms - 1) / period_ms * period_ms;
  }
  int64_t count_of(int64_t period_ms) const { return std::max<int64_t>(to_ms - from_ms, 0) / period_ms + 1; }

  int64_t from_ms;
  int64_t to_ms;
  int64_t asked_ms;
};

// What a request may still compute.
class DataWork {
 public:
  Result<void> spend(int64_t work) {
    left_ -= std::min(left_, work);
    if (left_ > 0) return {};
    return model::refuse(
        Fault::kMonitorCombination,
        {"The request computes too many datapoints. Use longer periods, a shorter time range, or fewer "
         "queries and operators."});
  }

 private:
  int64_t left_ = kMostWork;
};

Task<Result<Computed>> compute_metric(const CallContext& context, const DataRequest& request, const DataQuery& query) {
  Computed computed;
  computed.period_s = query.period_minutes * kSecondsPerMinute;
  const auto metric = kept_metric(query.name, query.unit);
  if (!metric) co_return computed;
  auto read = co_await periods_of(context.engine, *metric, request.from_ms, request.to_ms, query.period_minutes);
  PARTITA_CO_TRY(const auto periods, std::move(read));
  const auto statistic = *metrics::statistic_named(query.stat);
  for (const auto& [at_ms, statistics] : periods) {
    computed.values.emplace_back(at_ms, metrics::value_of(statistics, statistic));
  }
  co_return computed;
}

// Of expressions, those first whose operands are known.
class DataRun {
 public:
  DataRun(const DataRequest& request, int64_t now_ms) : request_(request), range_(request, now_ms) {}

  // To be called before anything is computed. Fault: kMonitorCombination.
  Result<void> plan_metrics() {
    for (const DataQuery& query : request_.queries) {
      if (query.expression) continue;
      PARTITA_TRY_VOID(work_.spend(range_.count_of(kMsPerMinute)));
    }
    return {};
  }

  void put(const std::string& id, Computed computed) { computed_[id] = std::move(computed); }
  const Computed& get(const std::string& id) const { return computed_.at(id); }

  Result<void> compute_expressions() {
    for (const DataQuery& query : request_.queries) {
      if (query.expression) waiting_.emplace(query.id, &query);
    }
    for (const DataQuery& query : request_.queries) {
      if (query.expression) PARTITA_TRY_VOID(compute_with_operands(query));
    }
    return {};
  }

 private:
  // No deeper than there are queries.
  Result<void> compute_with_operands(const DataQuery& query) {
    if (computed_.contains(query.id)) return {};
    const auto unknown = [&] {
      return model::refuse(Fault::kMonitorExpression, {query.id, "It names an id that no query has, or needs itself."});
    };
    if (waiting_.erase(query.id) == 0) return unknown();
    for (const std::string& id : query.expression->ids()) {
      if (computed_.contains(id)) continue;
      const auto operand = waiting_.find(id);
      if (operand == waiting_.end()) return unknown();
      PARTITA_TRY_VOID(compute_with_operands(*operand->second));
    }
    return compute(query);
  }

  Result<void> compute(const DataQuery& query) {
    Computed computed;
    for (const std::string& id : query.expression->ids()) {
      const int64_t period_s = get(id).period_s;
      if (computed.period_s != 0 && computed.period_s != period_s) {
        return model::refuse(Fault::kMonitorExpression, {query.id, "Its operands have different periods."});
      }
      computed.period_s = period_s;
    }
    const auto find = [&](const std::string& id) { return MathInput{&get(id).values, get(id).period_s}; };
    const int64_t period_ms = std::max<int64_t>(computed.period_s * kMsPerMinute / kSecondsPerMinute, kMsPerMinute);
    PARTITA_TRY_VOID(work_.spend(range_.count_of(period_ms) * static_cast<int64_t>(query.expression->size())));
    PARTITA_TRY(computed.values, query.expression->evaluate(find, range_.first_of(period_ms), range_.to_ms));
    put(query.id, std::move(computed));
    return {};
  }

  const DataRequest& request_;
  const DataRange range_;
  DataWork work_;
  std::map<std::string, Computed> computed_;
  std::map<std::string, const DataQuery*> waiting_;  // expressions
};

std::string label_of_query(const CallContext& context, const DataQuery& query, const Computed& computed) {
  const std::string& usual = query.expression ? query.id : query.name.metric;
  if (!query.label) return usual;
  const LabelFacts facts{usual,           query.expression ? nullptr : &query.name,
                         query.stat,      computed.period_s,
                         context.region,  context.account,
                         &computed.values};
  const auto made = label_of(*query.label, facts);
  return made.ok() ? *made : *query.label;  // it was checked when it was decoded
}

// Cuts one page out of all datapoints, which are counted in the order of the queries.
Document encode_data(const CallContext& context, const DataRequest& request, const DataRun& run) {
  Document::List results;
  int64_t skip = request.skipped;
  int64_t room = request.most;
  bool more = false;
  for (const DataQuery& query : request.queries) {
    if (!query.returned) continue;
    const Computed& computed = run.get(query.id);
    const Values& values = computed.values;
    const auto count = static_cast<int64_t>(values.size());
    const int64_t begin = std::min(skip, count);
    const int64_t end = std::min(begin + room, count);
    skip -= begin;
    room -= end - begin;
    more = more || end < count;
    Document::List times;
    Document::List numbers;
    for (int64_t i = begin; i < end; ++i) {
      const auto& [at_ms, value] = values[static_cast<size_t>(request.ascending ? i : count - 1 - i)];
      times.emplace_back(Document::Time{at_ms});
      numbers.emplace_back(value);
    }
    results.emplace_back(Document::Map{{"Id", query.id},
                                       {"Label", label_of_query(context, query, computed)},
                                       {"Timestamps", std::move(times)},
                                       {"Values", std::move(numbers)},
                                       {"StatusCode", end < count ? "PartialData" : "Complete"}});
  }
  Document reply = Document::Map{{"MetricDataResults", std::move(results)}, {"Messages", Document::List{}}};
  if (more) reply.set("NextToken", token_of(std::to_string(request.skipped + request.most)));
  return reply;
}

}  // namespace

Task<Result<Document>> get_metric_data(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const DataRequest request, decode_data(in));
  DataRun run(request, context.clock.now_ms());
  PARTITA_CO_TRY_VOID(run.plan_metrics());
  for (const DataQuery& query : request.queries) {
    if (query.expression) continue;
    auto computed = co_await compute_metric(context, request, query);
    PARTITA_CO_TRY(Computed values, std::move(computed));
    run.put(query.id, std::move(values));
  }
  PARTITA_CO_TRY_VOID(run.compute_expressions());
  co_return encode_data(context, request, run);
}

}  // namespace partita::cloudwatch
