#include "admin/console_calls.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "admin/heat_json.h"
#include "base/task.h"
#include "model/fault.h"
#include "table/open/database.h"
#include "wire/json_writer.h"

namespace partita::admin {

namespace {

using model::Fault;
using wire::JsonWriter;

constexpr double kSecondsPerMs = 1e-3;
constexpr double kSecondsPerNs = 1e-9;

void write(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}
void write(JsonWriter& json, std::string_view name, double number) {
  json.key(name);
  json.number(number);
}
void write(JsonWriter& json, std::string_view name, uint64_t number) {
  json.key(name);
  json.number(static_cast<int64_t>(number));
}
void write_units(JsonWriter& json, std::string_view name, double half_units) { write(json, name, half_units / 2); }

// Works with the database while it is in use: not while it is rolled back. Blocks until then.
template <class Work>
Task<std::invoke_result_t<Work, table::Database&>> with_database(ops::Service& service, Work work) {
  DrainLock::SharedGuard guard(service.drain_lock());
  co_await guard;
  if (service.database() == nullptr) co_return Error(ErrorKind::kUnavailable, "a rollback did not end.");
  co_return work(*service.database());
}

std::string_view name_of(namespaces::NamespacesBy by) {
  switch (by) {
    case namespaces::NamespacesBy::kNothing:
      return "none";
    case namespaces::NamespacesBy::kKey:
      return "key";
    case namespaces::NamespacesBy::kHeader:
      return "header";
  }
  PARTITA_CHECK(false);
}

void write(JsonWriter& json, const MetricSample::Requests& requests) {
  write(json, "Requests", requests.count);
  write(json, "Errors", requests.errors);
  write(json, "Throttled", requests.throttled);
  if (requests.count == 0) return;
  write(json, "P50Ms", requests.p50_ms);
  write(json, "P99Ms", requests.p99_ms);
}

// Pairs of a bound in milliseconds, which the last bucket has not, and how many requests are in the bucket.
void write_latency(JsonWriter& json, const HistogramTotals& latency) {
  constexpr double kMsPerNs = 1e-6;
  json.key("Latency");
  json.begin_array();
  for (size_t i = 0; i < latency.counts.size(); ++i) {
    if (latency.counts[i] == 0) continue;
    json.begin_array();
    if (i + 1 == latency.counts.size()) {
      json.null();
    } else {
      json.number(std::ldexp(kMsPerNs, latency.first + static_cast<int>(i) * latency.step));
    }
    json.number(static_cast<int64_t>(latency.counts[i]));
    json.end_array();
  }
  json.end_array();
}

void write(JsonWriter& json, const MetricSample& sample, std::string_view space) {
  json.begin_object();
  write(json, "Time", static_cast<double>(sample.time_ms) * kSecondsPerMs);
  write(json, "Seconds", sample.seconds);
  write(json, sample.all);
  write_latency(json, sample.latency);
  json.key("Operations");
  json.begin_array();
  for (const MetricSample::Operation& operation : sample.operations) {
    json.begin_object();
    write(json, "Operation", operation.name);
    write(json, operation.requests);
    json.end_object();
  }
  json.end_array();
  json.key("Tables");
  json.begin_array();
  for (const MetricSample::Table& table : sample.tables) {
    if (table.space != space) continue;
    json.begin_object();
    write(json, "TableName", table.name);
    write(json, "Requests", table.requests.count);
    write(json, "Throttled", table.requests.throttled);
    write(json, "WouldThrottle", table.would_throttle);
    if (table.requests.count != 0) {
      write(json, "P50Ms", table.requests.p50_ms);
      write(json, "P99Ms", table.requests.p99_ms);
    }
    write_units(json, "ReadUnits", static_cast<double>(table.consumed.read));
    write_units(json, "WriteUnits", static_cast<double>(table.consumed.write));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_totals(JsonWriter& json, const ops::RequestTotals& totals) {
  MetricSample::Requests all;
  for (const ops::OperationTotals& operation : totals.operations) {
    all.count += operation.took.count();
    all.errors += operation.errors;
    all.throttled += operation.throttled;
  }
  json.key("Totals");
  json.begin_object();
  write(json, "Requests", all.count);
  write(json, "Errors", all.errors);
  write(json, "Throttled", all.throttled);
  json.end_object();
}

void write(JsonWriter& json, const throttle::HeavyKeys::Count& count) {
  const size_t end = count.key.find('\0');
  json.begin_object();
  json.key("Key");
  json.raw(std::string_view(count.key).substr(end + 1));
  if (end != 0) write(json, "IndexName", std::string_view(count.key).substr(0, end));
  write_units(json, "Units", static_cast<double>(count.weight));
  write_units(json, "ErrorUnits", static_cast<double>(count.error));
  json.end_object();
}

// The index of a job that is about one, while the table has it.
std::string_view index_name_of(const table::Job& job, const table::Table& table) {
  if (table == nullptr || table->id != job.table_id || job.index_id == 0) return {};
  const auto found = std::ranges::find(table->indexes, job.index_id, &table::IndexInfo::id);
  return found == table->indexes.end() ? std::string_view() : found->name;
}

void write(JsonWriter& json, const table::JobProgress& one, const table::Table& table) {
  json.begin_object();
  write(json, "Kind", one.kind);
  if (!one.job.table.empty()) write(json, "TableName", one.job.table);
  if (const auto index = index_name_of(one.job, table); !index.empty()) write(json, "IndexName", index);
  write(json, "Description", one.description);
  write(json, "Done", one.job.done);
  if (one.total) write(json, "Total", *one.total);
  if (one.rows_per_second) write(json, "RowsPerSecond", *one.rows_per_second);
  json.key("Here");
  json.boolean(one.mine);
  write(json, "UntouchedSeconds", static_cast<double>(one.untouched_ns) * kSecondsPerNs);
  json.end_object();
}

Task<Result<std::string>> jobs_of(ops::Service& service) {
  DrainLock::SharedGuard guard(service.drain_lock());
  co_await guard;
  table::Database* const database = service.database();
  if (database == nullptr) co_return Error(ErrorKind::kUnavailable, "a rollback did not end.");
  PARTITA_CO_TRY(const std::vector<table::JobProgress> jobs, co_await database->jobs().progress());
  JsonWriter json;
  json.begin_object();
  json.key("Jobs");
  json.begin_array();
  for (const table::JobProgress& one : jobs) write(json, one, database->catalog().find(one.job.table));
  json.end_array();
  json.end_object();
  co_return std::move(json).take();
}

std::string heat_of(ops::Service& service, const table::TableInfo& table) {
  const throttle::HeatReport heat = service.heat(table, nullptr);
  std::string text = heat_text(heat, table.name, table.keys);
  JsonWriter json;
  json.begin_object();
  write(json, "TableName", table.name);
  write_heat(json, heat, table.keys);
  json.begin_array("Indexes");
  for (const table::IndexInfo& index : table.indexes) {
    if (!index.is_global_secondary()) continue;
    const throttle::HeatReport of_index = service.heat(table, &index);
    text += heat_text(of_index, table.name + ", index " + index.name, index.keys);
    json.begin_object();
    write(json, "IndexName", index.name);
    write_heat(json, of_index, index.keys);
    json.end_object();
  }
  json.end_array();
  write(json, "Text", text);
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Result<std::string> describe_console(const Subject& about, const Asked&) {
  const ConsoleFacts& facts = about.facts;
  std::vector<std::string_view> features = {"DescribeHeat", "DescribeHotKeys", "DescribeMetrics", "ListJobs"};
  if (facts.clock_moves) features.emplace_back("MoveClock");
  if (facts.snapshots) features.emplace_back("Snapshots");
  JsonWriter json;
  json.begin_object();
  write(json, "Version", facts.version);
  write(json, "Mode", std::string_view(facts.verified ? "verified" : "open"));
  if (!facts.region.empty()) write(json, "Region", facts.region);
  write(json, "Namespaces", name_of(facts.namespaces_by));
  write(json, "Time", static_cast<double>(about.namespaces.root().clock().now_ms()) * kSecondsPerMs);
  json.key("Features");
  json.begin_array();
  for (const std::string_view feature : features) json.string(feature);
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

Result<std::string> describe_metrics(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const int64_t since_ms, asked.time_ms("Since"));
  PARTITA_TRY(const MetricRing::Samples samples, about.sampler.since(since_ms));
  const int64_t uptime_ns = system_clock().monotonic_ns() - about.facts.began_ns;
  JsonWriter json;
  json.begin_object();
  write(json, "Time", static_cast<double>(system_clock().now_ms()) * kSecondsPerMs);
  write(json, "UptimeSeconds", static_cast<double>(uptime_ns) * kSecondsPerNs);
  write_totals(json, about.sampler.totals());
  json.key("Samples");
  json.begin_array();
  for (const auto& sample : samples) write(json, *sample, about.space);
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

Result<std::string> describe_hot_keys(const Subject& about, const Asked& asked) {
  constexpr int64_t kMostListed = 100;
  constexpr size_t kListed = 20;
  PARTITA_TRY(const std::string name, asked.required_text("TableName"));
  PARTITA_TRY(const size_t most, asked.number("Limit", kMostListed, kListed));
  const auto ask = [&](namespaces::DatabaseHost& host) -> Result<throttle::HotKeys::Top> {
    ops::Service& service = host.service();
    return wait_for(with_database(service, [&](table::Database& database) -> Result<throttle::HotKeys::Top> {
      const table::Table table = database.catalog().find(name);
      if (table == nullptr) return model::refuse(Fault::kTableNotFound, {name});
      return service.hot_keys(*table, most);
    }));
  };
  PARTITA_TRY(const throttle::HotKeys::Top top, with_host(about, ask));
  JsonWriter json;
  json.begin_object();
  write(json, "TableName", name);
  write(json, "WindowSeconds", static_cast<double>(top.window_ns) * kSecondsPerNs);
  write_units(json, "Units", static_cast<double>(top.total));
  json.key("HotKeys");
  json.begin_array();
  for (const throttle::HeavyKeys::Count& count : top.keys) write(json, count);
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

Result<std::string> describe_heat(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string name, asked.required_text("TableName"));
  return with_host(about, [&](namespaces::DatabaseHost& host) -> Result<std::string> {
    ops::Service& service = host.service();
    return wait_for(with_database(service, [&](table::Database& database) -> Result<std::string> {
      const table::Table table = database.catalog().find(name);
      if (table == nullptr) return model::refuse(Fault::kTableNotFound, {name});
      return heat_of(service, *table);
    }));
  });
}

Result<std::string> list_jobs(const Subject& about, const Asked&) {
  return with_host(
      about, [](namespaces::DatabaseHost& host) -> Result<std::string> { return wait_for(jobs_of(host.service())); });
}

}  // namespace partita::admin
