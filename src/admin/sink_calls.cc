#include "admin/sink_calls.h"

#include <utility>
#include <vector>

#include "sinks/sink_hosts.h"
#include "sinks/sink_lag.h"
#include "sinks/sink_schemes.h"
#include "sinks/sink_store.h"
#include "sinks/verify_sink.h"
#include "table/open/database.h"
#include "wire/json_writer.h"

namespace partita::admin {

namespace {

using sinks::SinkLag;
using sinks::SinkStatus;
using wire::JsonWriter;

// Sentences of sinks are those of a refused request.
Error as_refusal(Error error) {
  const bool plain = error.kind() == ErrorKind::kInvalid && error.reason() == 0;
  return plain ? wrong(std::string(error.sentence())) : std::move(error);
}

// Does it to the database of the call, while it is in use.
template <class Work>
auto with_tables(const Subject& about, Work work) -> decltype(wait_for(work(std::declval<table::TableContext&>()))) {
  using Done = decltype(wait_for(work(std::declval<table::TableContext&>())));
  if (!about.space.empty()) return wrong("Sinks are for tables of the default namespace.");
  ops::Service& service = about.namespaces.root().service();
  const auto guarded = [&]() -> Task<Done> {
    DrainLock::SharedGuard guard(service.drain_lock());
    co_await guard;
    if (service.database() == nullptr) co_return Error(ErrorKind::kUnavailable, "a rollback did not end.");
    co_return co_await work(*service.database());
  };
  Done done = wait_for(guarded());
  if (!done.ok()) return as_refusal(std::move(done).error());
  return done;
}

struct SinkName {
  std::string table;
  std::string sink;
};

Result<SinkName> named_sink(const Asked& asked) {
  SinkName name;
  PARTITA_TRY(name.table, asked.required_text("TableName"));
  PARTITA_TRY(name.sink, asked.required_text("SinkName"));
  return name;
}

constexpr double kMsPerSecond = 1e3;

// A sink as it is shown.
struct ShownSink {
  SinkStatus status;
  SinkLag lag;
};

Task<Result<std::vector<ShownSink>>> shown_sinks(table::TableContext& context, std::string table) {
  PARTITA_CO_TRY(std::vector<SinkStatus> all, co_await sinks::list_sinks(context, std::move(table)));
  std::vector<ShownSink> shown;
  for (SinkStatus& one : all) {
    PARTITA_CO_TRY(const SinkLag lag, co_await sinks::lag_of(context, one));
    shown.push_back({std::move(one), lag});
  }
  co_return shown;
}

Task<Result<ShownSink>> shown_sink(table::TableContext& context, SinkName name) {
  ShownSink shown;
  PARTITA_CO_TRY(shown.status, co_await sinks::describe_sink(context, std::move(name.table), std::move(name.sink)));
  PARTITA_CO_TRY(shown.lag, co_await sinks::lag_of(context, shown.status));
  co_return shown;
}

void write_progress(JsonWriter& json, const SinkStatus& status, const SinkLag& lag) {
  json.member("State", sinks::name_of(status.state()));
  if (const std::string sentence = status.sentence(); !sentence.empty()) json.member("Message", sentence);
  if (status.progress.filling) json.member("ItemsFilled", status.filled);
  json.member("LagSeconds", static_cast<double>(lag.ms) / kMsPerSecond);
  json.member("LagEntries", lag.entries);
  if (lag.has_more) json.member("LagEntriesAtLeast", true);
  json.member("Sent", status.progress.sent);
  if (!status.sink.changes) json.member("Conflicts", status.progress.conflicts);
  json.member("Rejected", status.progress.rejected);
  if (status.sink.changes) json.member("Dropped", status.progress.dropped);
}

void write(JsonWriter& json, const ShownSink& shown) {
  const SinkStatus& status = shown.status;
  const table::Sink& sink = status.sink;
  const auto say = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) json.member(name, text);
  };
  json.begin_object();
  json.member("TableName", sink.table);
  json.member("SinkName", sink.name);
  json.member("Url", sink.url);
  say("IndexName", sink.index);
  write_progress(json, status, shown.lag);
  json.member("DeadLetterTableName", sink.dead_letters);
  if (!sink.changes) json.member("Document", std::string_view(sink.flat ? "flat" : "template"));
  if (sink.changes) {
    json.begin_object("Options");
    for (const auto& [key, value] : sink.options) json.member(key, value);
    json.end_object();
  }
  say("Owner", sink.owner);
  if (!sink.fields.empty()) {
    json.begin_array("Fields");
    for (const std::string& field : sink.fields) json.string(field);
    json.end_array();
  }
  say("FilterExpression", sink.filter);
  if (!sink.filter_names.empty()) {
    json.begin_object("ExpressionAttributeNames");
    for (const auto& [key, name] : sink.filter_names) json.member(key, name);
    json.end_object();
  }
  if (!sink.filter_values.empty()) {
    json.key("ExpressionAttributeValues");
    json.write_item(sink.filter_values);
  }
  say("CredentialsFile", sink.credentials_file);
  say("AuthorityFile", sink.authority_file);
  json.member("MaxBacklogBytes", sink.max_backlog_bytes);
  json.member("CreationDateTime", static_cast<double>(sink.created_ms) / kMsPerSecond);
  json.end_object();
}

// The schemes that URLs of sinks may have.
void write_schemes(JsonWriter& json) {
  json.begin_array("Schemes");
  for (const sinks::SinkScheme& one : sinks::sink_schemes()) {
    json.begin_object();
    json.member("Scheme", one.name);
    json.member("TakesChanges", one.changes);
    json.member("UsesServersMachine", one.reach == sinks::Reach::kMachine);
    json.end_object();
  }
  json.end_array();
}

std::string described(const ShownSink& shown) {
  JsonWriter json;
  json.begin_object();
  json.key("Sink");
  write(json, shown);
  json.end_object();
  return std::move(json).take();
}

Result<bool> is_flat(const Asked& asked) {
  PARTITA_TRY(const std::string document, asked.text("Document"));
  if (!document.empty() && document != "template" && document != "flat") {
    return wrong("Document is \"template\" or \"flat\".");
  }
  return document == "flat";
}

Result<sinks::SinkRequest> request_in(const Subject& about, const Asked& asked) {
  sinks::SinkRequest request;
  PARTITA_TRY(request.table, asked.required_text("TableName"));
  PARTITA_TRY(request.url, asked.required_text("Url"));
  PARTITA_TRY(const auto options, asked.named_texts("Options"));
  request.options.insert(options.begin(), options.end());
  if (!about.by_administrator) {
    auto allowed = sinks::check_sink_hosts(request.url, about.facts.sink_hosts);
    constexpr const char* kOnFailure = "OnFailure";
    if (const auto other = request.options.find(kOnFailure); allowed.ok() && other != request.options.end()) {
      allowed = sinks::check_sink_hosts(other->second, about.facts.sink_hosts, kOnFailure);
    }
    if (!allowed.ok()) return as_refusal(std::move(allowed).error());
  }
  PARTITA_TRY(request.name, asked.text("SinkName"));
  PARTITA_TRY(request.index, asked.text("IndexName"));
  PARTITA_TRY(request.credentials_file, asked.text("CredentialsFile"));
  PARTITA_TRY(request.authority_file, asked.text("AuthorityFile"));
  PARTITA_TRY(request.fields, asked.texts("Fields"));
  PARTITA_TRY(request.flat, is_flat(asked));
  PARTITA_TRY(request.filter, asked.text("FilterExpression"));
  PARTITA_TRY(request.filter_names, asked.named_texts("ExpressionAttributeNames"));
  PARTITA_TRY(request.filter_values, asked.item("ExpressionAttributeValues"));
  PARTITA_TRY(request.dead_letters, asked.text("DeadLetterTableName"));
  request.by_administrator = about.by_administrator;
  PARTITA_TRY(const size_t backlog, asked.number("MaxBacklogBytes", INT64_MAX, sinks::kDefaultBacklogBytes));
  request.max_backlog_bytes = static_cast<int64_t>(backlog);
  const bool files = !request.credentials_file.empty() || !request.authority_file.empty();
  if (files && !about.by_administrator) {
    return wrong(
        "CredentialsFile and AuthorityFile are taken over the administration socket alone: use `partita sink "
        "create` on the server's machine.");
  }
  return request;
}

}  // namespace

Result<std::string> create_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const sinks::SinkRequest request, request_in(about, asked));
  PARTITA_TRY(const table::Sink sink, with_tables(about, [&](table::TableContext& context) {
                return sinks::create_sink(context, request, sinks::find_destination);
              }));
  ShownSink shown;
  shown.status.sink = sink;
  return described(shown);
}

Result<std::string> list_sinks(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const std::string table, asked.text("TableName"));
  PARTITA_TRY(const std::vector<ShownSink> all,
              with_tables(about, [&](table::TableContext& context) { return shown_sinks(context, table); }));
  JsonWriter json;
  json.begin_object();
  json.begin_array("Sinks");
  for (const ShownSink& one : all) write(json, one);
  json.end_array();
  write_schemes(json);
  json.end_object();
  return std::move(json).take();
}

Result<std::string> describe_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const SinkName name, named_sink(asked));
  PARTITA_TRY(const ShownSink shown,
              with_tables(about, [&](table::TableContext& context) { return shown_sink(context, name); }));
  return described(shown);
}

Result<std::string> pause_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const SinkName name, named_sink(asked));
  PARTITA_TRY_VOID(with_tables(
      about, [&](table::TableContext& context) { return sinks::pause_sink(context, name.table, name.sink); }));
  return std::string("{}");
}

Result<std::string> resume_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const SinkName name, named_sink(asked));
  PARTITA_TRY_VOID(with_tables(
      about, [&](table::TableContext& context) { return sinks::resume_sink(context, name.table, name.sink); }));
  return std::string("{}");
}

Result<std::string> retry_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const SinkName name, named_sink(asked));
  PARTITA_TRY(const bool fill, asked.flag("Fill"));
  PARTITA_TRY_VOID(with_tables(
      about, [&](table::TableContext& context) { return sinks::retry_sink(context, name.table, name.sink, fill); }));
  return std::string("{}");
}

Result<std::string> delete_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const SinkName name, named_sink(asked));
  PARTITA_TRY(const bool index, asked.flag("DeleteIndex"));
  PARTITA_TRY_VOID(with_tables(
      about, [&](table::TableContext& context) { return sinks::delete_sink(context, name.table, name.sink, index); }));
  return std::string("{}");
}

Result<std::string> verify_sink(const Subject& about, const Asked& asked) {
  PARTITA_TRY(const SinkName name, named_sink(asked));
  sinks::SinkVerifier verifier(name.table, name.sink, sinks::find_destination);
  while (true) {
    PARTITA_TRY(const bool more,
                with_tables(about, [&](table::TableContext& context) { return verifier.read(context); }));
    if (!more) break;
    // The other end may be slow: a rollback does not wait for it.
    // Its errors are of the other end, which is not this server's fault.
    if (auto compared = verifier.compare(); !compared.ok()) return wrong(std::string(compared.error().sentence()));
  }
  const sinks::SinkComparison& found = verifier.found();
  JsonWriter json;
  json.begin_object();
  json.member("Items", found.items);
  json.member("Documents", found.documents);
  json.member("Different", found.different);
  json.member("Rejected", found.rejected);
  json.begin_array("Ids");
  for (const std::string& id : found.ids) json.string(id);
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::admin
