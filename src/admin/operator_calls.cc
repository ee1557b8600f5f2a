#include "admin/operator_calls.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "admin/admin.h"
#include "admin/console_calls.h"
#include "admin/operator_request.h"
#include "admin/sink_calls.h"
#include "base/blocking_scope.h"
#include "model/fault.h"
#include "ops/footprint.h"
#include "table/maintenance/namespaces.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::admin {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonDocument;
using wire::JsonValue;
using wire::JsonWriter;

constexpr int64_t kMostListed = 1'000;

Error no_name_of(std::string_view member, std::string_view name) {
  return wrong(std::string(member) + " is no namespace's name: '" + std::string(name) +
               "'. It takes 1 to 64 letters, digits, '_', '-' and '.'.");
}

Result<std::string> list_namespaces(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string after, asked.text("ExclusiveStartName"));
  PARTITA_TRY(const size_t limit, asked.number("Limit", kMostListed, kMostListed));
  if (!after.empty() && !table::is_namespace_name(after)) return no_name_of("ExclusiveStartName", after);
  PARTITA_TRY(std::vector<std::string> names, about.namespaces.list(after, limit + 1));
  const bool more = names.size() > limit;
  if (more) names.pop_back();
  JsonWriter json;
  json.begin_object();
  json.key("Namespaces");
  json.begin_array();
  for (const std::string& name : names) json.string(name);
  json.end_array();
  if (more) {
    json.key("LastEvaluatedName");
    json.string(names.back());
  }
  json.end_object();
  return std::move(json).take();
}

Result<std::string> delete_namespace(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string name, asked.text("Name"));
  if (!table::is_namespace_name(name)) return no_name_of("Name", name);
  PARTITA_TRY_VOID(about.namespaces.drop(name));
  return std::string("{}");
}

void write(JsonWriter& json, const table::SnapshotInfo& info) {
  json.begin_object();
  json.key("Name");
  json.string(info.name);
  json.key("CreationDateTime");
  json.number(static_cast<double>(info.created_ms) / 1e3);
  json.key("Rows");
  json.number(static_cast<int64_t>(info.rows));
  json.key("SizeBytes");
  json.number(static_cast<int64_t>(info.bytes));
  json.end_object();
}

Result<std::string> create_snapshot(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string name, asked.text("Name"));
  PARTITA_TRY(const table::SnapshotInfo made,
              with_host(about, [&](namespaces::DatabaseHost& host) { return host.create_snapshot(name); }));
  JsonWriter json;
  json.begin_object();
  json.key("Snapshot");
  write(json, made);
  json.end_object();
  return std::move(json).take();
}

Result<std::string> roll_back(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string name, asked.required_text("Name"));
  PARTITA_TRY(const uint64_t rows,
              with_host(about, [&](namespaces::DatabaseHost& host) { return host.roll_back(name); }));
  JsonWriter json;
  json.begin_object();
  json.key("RowsWritten");
  json.number(static_cast<int64_t>(rows));
  json.end_object();
  return std::move(json).take();
}

Result<std::string> delete_snapshot(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string name, asked.required_text("Name"));
  PARTITA_TRY_VOID(with_host(about, [&](namespaces::DatabaseHost& host) { return host.delete_snapshot(name); }));
  return std::string("{}");
}

Result<std::string> list_snapshots(const Subject& about, const Asked&) {
  PARTITA_TRY(const auto infos, with_host(about, [](namespaces::DatabaseHost& host) { return host.snapshots(); }));
  JsonWriter json;
  json.begin_object();
  json.key("Snapshots");
  json.begin_array();
  for (const table::SnapshotInfo& info : infos) write(json, info);
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

std::string told(const MovableClock& clock) {
  JsonWriter json;
  json.begin_object();
  json.key("OffsetSeconds");
  json.number(clock.by_ms() / 1'000);
  json.key("Time");
  json.number(static_cast<double>(clock.now_ms()) / 1e3);
  json.end_object();
  return std::move(json).take();
}

Result<std::string> describe_clock(const Subject& about, const Asked&) {
  return with_host(about, [](namespaces::DatabaseHost& host) -> Result<std::string> { return told(host.clock()); });
}

Result<std::string> move_clock(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const auto by, asked.seconds("Seconds"));
  PARTITA_TRY(const auto to, asked.seconds("OffsetSeconds"));
  if (by.has_value() == to.has_value()) {
    return wrong(
        "MoveClock takes one of Seconds, counted from where the clock is, and OffsetSeconds, from the machine's "
        "time.");
  }
  return with_host(about, [&](namespaces::DatabaseHost& host) -> Result<std::string> {
    const auto from = to ? namespaces::DatabaseHost::From::kMachine : namespaces::DatabaseHost::From::kDatabase;
    PARTITA_TRY_VOID(host.move_clock(to.value_or(by.value_or(0)) * 1'000, from));
    return told(host.clock());
  });
}

struct Row {
  std::string_view name;
  std::string_view action;  // empty: it is answered to everybody, signed or not
  std::array<std::string_view, 15> members;
  Result<std::string> (*answer)(const Subject&, const Asked&);
  bool of_table = false;  // the action is one on the table that TableName names
};

constexpr std::array kRows = {
    Row{"CreateSink",
        "partita:CreateSink",
        {"AuthorityFile", "CredentialsFile", "DeadLetterTableName", "Document", "ExpressionAttributeNames",
         "ExpressionAttributeValues", "Fields", "FilterExpression", "IndexName", "MaxBacklogBytes", "Namespace",
         "Options", "SinkName", "TableName", "Url"},
        create_sink,
        true},
    Row{"CreateSnapshot", "partita:CreateSnapshot", {"Name", "Namespace"}, create_snapshot},
    Row{"DeleteNamespace", "partita:DeleteNamespace", {"Name"}, delete_namespace},
    Row{"DeleteSink", "partita:DeleteSink", {"DeleteIndex", "Namespace", "SinkName", "TableName"}, delete_sink, true},
    Row{"DeleteSnapshot", "partita:DeleteSnapshot", {"Name", "Namespace"}, delete_snapshot},
    Row{"DescribeClock", "partita:DescribeClock", {"Namespace"}, describe_clock},
    Row{kDescribeConsole, "", {}, describe_console},
    Row{kDescribeHeat, "partita:DescribeHeat", {"Namespace", "TableName"}, describe_heat, true},
    Row{kDescribeHotKeys, "partita:DescribeHotKeys", {"Limit", "Namespace", "TableName"}, describe_hot_keys, true},
    Row{"DescribeMetrics", "partita:DescribeMetrics", {"Namespace", "Since"}, describe_metrics},
    Row{"DescribeSink", "partita:DescribeSink", {"Namespace", "SinkName", "TableName"}, describe_sink, true},
    Row{kListJobs, "partita:ListJobs", {"Namespace"}, list_jobs},
    Row{"ListNamespaces", "partita:ListNamespaces", {"ExclusiveStartName", "Limit"}, list_namespaces},
    Row{kListSinks, "partita:ListSinks", {"Namespace", "TableName"}, list_sinks, true},
    Row{"ListSnapshots", "partita:ListSnapshots", {"Namespace"}, list_snapshots},
    Row{"MoveClock", "partita:MoveClock", {"Namespace", "OffsetSeconds", "Seconds"}, move_clock},
    Row{"PauseSink", "partita:PauseSink", {"Namespace", "SinkName", "TableName"}, pause_sink, true},
    Row{"ResumeSink", "partita:ResumeSink", {"Namespace", "SinkName", "TableName"}, resume_sink, true},
    Row{"RetrySink", "partita:RetrySink", {"Fill", "Namespace", "SinkName", "TableName"}, retry_sink, true},
    Row{"RollbackToSnapshot", "partita:RollbackToSnapshot", {"Name", "Namespace"}, roll_back},
    Row{"VerifySink", "partita:VerifySink", {"Namespace", "SinkName", "TableName"}, verify_sink, true},
};

// Blocks.
Result<std::string> answer_blocking(Subject about, const Row& row, const ops::Call& call, JsonValue body) {
  const BlockingScope blocking;
  namespaces::Namespaces& namespaces = about.namespaces;
  const Asked asked(body);
  PARTITA_TRY_VOID(asked.check(row.members));
  PARTITA_TRY(about.space, namespaces.checked_name(call));
  if (body.get("Namespace").present()) {
    PARTITA_TRY(about.space, asked.text("Namespace"));
    if (!about.space.empty() && !table::is_namespace_name(about.space)) return no_name_of("Namespace", about.space);
    if (!about.space.empty() && !namespaces.enabled()) return wrong("The server was started without --namespaces.");
    // Calls in a namespace begin it. Who names one from outside and mistypes it shall be told so.
    if (!about.space.empty()) PARTITA_TRY_VOID(namespaces.check_exists(about.space));
  }
  return row.answer(about, asked);
}

void note_names(JsonValue body, ops::RequestFootprint& footprint) {
  const auto note = [&](std::string_view member) {
    const JsonValue value = body.get(member);
    if (value.is(JsonValue::Kind::kString)) footprint.name(std::string(value.as_string()));
  };
  note("Namespace");
  note("Name");
  note("TableName");
  const JsonValue space = body.get("Namespace");
  if (space.is(JsonValue::Kind::kString)) footprint.space.emplace(space.as_string());
}

bool is_rate_exceeded(const Error& error) { return error.reason() == static_cast<uint16_t>(Fault::kRateExceeded); }

// The table that a permission has to be for; empty: "*".
std::string_view table_in(const Row& row, JsonValue body) {
  const JsonValue name = row.of_table ? body.get("TableName") : JsonValue();
  return name.is(JsonValue::Kind::kString) ? name.as_string() : std::string_view();
}

}  // namespace

std::vector<std::string_view> operator_actions() {
  std::vector<std::string_view> actions;
  for (const Row& row : kRows) {
    if (!row.action.empty()) actions.push_back(row.action);
  }
  return actions;
}

Task<ops::Reply> OperatorCalls::call(const ops::Call& call) {
  if (!ops::speaks_json(call)) co_return ops::not_json();
  const auto document = JsonDocument::parse(call.body);
  if (!document.ok() && !call.body.empty()) co_return ops::refusal(document.error());
  if (document.ok() && call.footprint != nullptr) note_names(document->root(), *call.footprint);
  const std::string_view name = call.target.substr(kAdminPrefix.size());
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  if (row == kRows.end() || (row->action.empty() && !facts_.console)) {
    co_return ops::refusal(refuse(Fault::kUnknownOperation, {std::string(call.target)}));
  }
  const auto caller = namespaces_.root().service().caller_of(call);
  if (!caller.ok() && (!row->action.empty() || is_rate_exceeded(caller.error()))) {
    co_return ops::refusal(caller.error());
  }
  if (!document.ok()) co_return ops::refusal(document.error());
  if (!row->action.empty()) {
    ops::Service& root = namespaces_.root().service();
    DrainLock::SharedGuard guard(root.drain_lock());
    co_await guard;
    const auto permitted = root.permit(call, **caller, row->action, table_in(*row, document->root()));
    if (!permitted.ok()) co_return ops::refusal(permitted.error());
  }
  Executor* const home = Executor::current();
  co_await workers_.enter();
  const bool by_administrator = call.source != nullptr && call.source->administrates();
  auto answered = answer_blocking({namespaces_, facts_, sampler_, by_administrator, {}}, *row, call, document->root());
  co_await SwitchTo{home};
  if (!answered.ok()) co_return ops::refusal(answered.error());
  ops::Reply reply;
  reply.body = std::move(answered).value();
  co_return reply;
}

}  // namespace partita::admin
