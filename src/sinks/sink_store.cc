#include "sinks/sink_store.h"

#include <algorithm>

#include "auth/account.h"
#include "auth/seal.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "sinks/item_filter.h"
#include "storage/range_cursor.h"
#include "table/control/tables.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"
#include "wire/name_rules.h"

namespace partita::sinks {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;
using table::Sink;
using table::TableContext;

Error refused_sink(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

Error no_sink(const std::string& table, const std::string& name) {
  return refused_sink("The table " + table + " has no sink named '" + name + "'.");
}

Error not_of_changes(std::string_view what) {
  return refused_sink(std::string(what) + " is for search engines. This sink takes every change.");
}

Error no_items_again() {
  return refused_sink(
      "This sink takes every change, and changes that were delivered are not kept, so it cannot be filled.");
}

std::string default_name(std::string_view url) {
  return std::string(url.substr(0, std::min(url.find('+'), url.find(':'))));
}

std::string default_letters(const std::string& table) { return table + "-dead-letters"; }

Result<void> check_filter(const SinkRequest& request) {
  const bool placeholders = !request.filter_names.empty() || !request.filter_values.empty();
  if (request.filter.empty()) {
    return placeholders ? refused_sink("There are names or values of a filter, and no filter.") : Result<void>();
  }
  PARTITA_TRY_VOID(ItemFilter::parse(request.filter, request.filter_names, request.filter_values));
  return {};
}

Result<void> check_request(const SinkRequest& request) {
  if (!table::is_sink_name(request.name)) {
    return refused_sink("A sink's name takes 1 to 64 letters, digits, '_', '-' and '.'; '" + request.name +
                        "' is none.");
  }
  if (!wire::is_table_name(request.dead_letters)) {
    return refused_sink("The table of dead letters cannot be named '" + request.dead_letters + "'.");
  }
  if (request.dead_letters == request.table) return refused_sink("A table cannot hold its own dead letters.");
  if (!request.by_administrator && request.dead_letters != default_letters(request.table)) {
    return refused_sink("DeadLetterTableName is '" + default_letters(request.table) +
                        "', except over the administration socket: use `partita sink create` on the server's machine.");
  }
  if (request.max_backlog_bytes < kLeastBacklogBytes) return refused_sink("The backlog takes 1 MiB or more.");
  if (std::ranges::any_of(request.fields, &std::string::empty)) return refused_sink("A field has no name.");
  return check_filter(request);
}

// The job of a sink reads its row several times a second.
Result<void> check_size(const SinkRequest& request) {
  constexpr size_t kMostUrlBytes = 8'192;
  constexpr size_t kMostBytes = 131'072;
  if (request.url.size() > kMostUrlBytes) return refused_sink("Url has at most 8192 bytes.");
  size_t bytes = request.credentials_file.size() + request.authority_file.size() + request.filter.size() +
                 model::encode_item(request.filter_values).size();
  for (const auto& [name, value] : request.filter_names) bytes += name.size() + value.size();
  for (const std::string& field : request.fields) bytes += field.size();
  for (const auto& [name, value] : request.options) bytes += name.size() + value.size();
  if (bytes <= kMostBytes) return {};
  return refused_sink("Options, Fields, the filter and the names of files have at most 131072 bytes together.");
}

// What only sinks of the other family have.
Result<void> check_family(const SinkRequest& request, bool changes) {
  if (!changes) {
    if (request.options.empty()) return {};
    return refused_sink("The option '" + request.options.begin()->first +
                        "' is for sinks that take every change. Those of search engines have none.");
  }
  if (!request.index.empty()) return not_of_changes("IndexName (--index)");
  if (!request.fields.empty()) return not_of_changes("Fields (--fields)");
  if (request.flat) return not_of_changes("Document (--document)");
  return {};
}

Sink sink_of(SinkRequest request, bool changes, const table::TableInfo& table, int64_t now_ms) {
  Sink sink;
  constexpr size_t kIdLength = 12;
  sink.id = auth::secret_text(kIdLength, "abcdefghijklmnopqrstuvwxyz0123456789");
  sink.table_id = table.id;
  sink.number = table.next_sink;
  sink.table = table.name;
  sink.name = std::move(request.name);
  sink.created_ms = now_ms;
  sink.url = std::move(request.url);
  sink.changes = changes;
  sink.options = std::move(request.options);
  sink.owner = std::move(request.owner);
  sink.index = std::move(request.index);
  sink.credentials_file = std::move(request.credentials_file);
  sink.authority_file = std::move(request.authority_file);
  sink.fields = std::move(request.fields);
  sink.flat = request.flat;
  sink.filter = std::move(request.filter);
  sink.filter_names = std::move(request.filter_names);
  sink.filter_values = std::move(request.filter_values);
  sink.dead_letters = std::move(request.dead_letters);
  sink.max_backlog_bytes = request.max_backlog_bytes;
  return sink;
}

table::Job job_of(const Sink& sink) {
  table::Job job;
  job.kind = table::JobKind::kCarry;
  job.table_id = sink.table_id;
  job.index_id = sink.number;
  job.table = sink.table;
  Progress progress;
  progress.sink = sink.name;
  job.carried = encode(progress);
  return job;
}

Task<Result<std::vector<Sink>>> read_sinks(storage::Engine& engine, storage::Range rows) {
  std::vector<Sink> sinks;
  storage::RangeCursor cursor(engine, std::move(rows));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    PARTITA_CO_TRY(Sink sink, table::sink_from(cursor.row().value));
    sinks.push_back(std::move(sink));
  }
  co_return sinks;
}

Task<Result<table::Table>> table_named(TableContext& context, std::string name) {
  PARTITA_CO_TRY(table::Table table, co_await context.newest_table(name));
  if (table == nullptr) co_return model::refuse(model::Fault::kTableNotFound, {name});
  co_return table;
}

// `deleting`: also one that is being deleted. Refuses one of another owner, if there is an `owner`.
Task<Result<Sink>> find_sink(TableContext& context, std::string table_name, std::string name,
                             std::optional<std::string> owner, bool deleting = false) {
  PARTITA_CO_TRY(const table::Table table, co_await table_named(context, table_name));
  PARTITA_CO_TRY(const std::vector<Sink> sinks, co_await read_sinks(context.engine(), table::sink_rows(table->id)));
  const auto found =
      std::ranges::find_if(sinks, [&](const Sink& one) { return one.name == name && (deleting || !one.deleting); });
  if (found == sinks.end()) co_return no_sink(table_name, name);
  if (owner && found->owner != *owner) {
    co_return refused_sink("The sink '" + name + "' belongs to " +
                           (found->owner.empty() ? "nothing but its operator." : found->owner + ": use its calls."));
  }
  co_return *found;
}

// Changes the sink, and has its job see that.
Task<Result<void>> change_found(TableContext& context, Sink sink, std::function<void(Sink& sink)> change) {
  const auto changed = [&change](Sink& one) {
    change(one);
    return true;
  };
  std::function<bool(Sink&)> applied = changed;
  PARTITA_CO_TRY_VOID(co_await change_sink(context.engine(), sink.table_id, sink.number, std::move(applied)));
  context.wake_jobs();
  co_return Result<void>();
}

Task<Result<void>> change_named(TableContext& context, std::string table, std::string name, std::string owner,
                                std::function<void(Sink& sink)> change) {
  PARTITA_CO_TRY(Sink sink, co_await find_sink(context, std::move(table), std::move(name), std::move(owner)));
  co_return co_await change_found(context, std::move(sink), std::move(change));
}

// Each has threads of its own on the server that carries it.
Task<Result<void>> check_room_for_changes(TableContext& context) {
  storage::Range rows = table::system_rows(table::SystemRow::kSink);
  PARTITA_CO_TRY(const std::vector<Sink> sinks, co_await read_sinks(context.engine(), std::move(rows)));
  const auto others = static_cast<size_t>(std::ranges::count_if(sinks, &Sink::changes));
  if (others < kMostChangeSinks) co_return Result<void>();
  co_return refused_sink("This store has " + std::to_string(others) +
                         " sinks that take every change, and the limit is " + std::to_string(kMostChangeSinks) + ".");
}

// Whether dead letters of the table would come back to it, as those of sinks of the tables that take them: each time as
// a letter with a letter in it.
Task<Result<bool>> letters_return(TableContext& context, std::string table_name, std::string dead_letters) {
  constexpr size_t kMostTables = 100;
  std::vector<std::string> on_the_way{std::move(dead_letters)};
  for (size_t i = 0; i < on_the_way.size() && i < kMostTables; ++i) {
    PARTITA_CO_TRY(const table::Table table, co_await context.newest_table(on_the_way[i]));
    if (table == nullptr || table->sinks.empty()) continue;
    PARTITA_CO_TRY(const std::vector<Sink> sinks, co_await read_sinks(context.engine(), table::sink_rows(table->id)));
    for (const Sink& one : sinks) {
      if (one.dead_letters == table_name) co_return true;
      if (std::ranges::find(on_the_way, one.dead_letters) == on_the_way.end()) on_the_way.push_back(one.dead_letters);
    }
  }
  co_return false;
}

// One try: kConflict if another sink of the table was created meanwhile.
Task<Result<Sink>> try_create(TableContext& context, SinkRequest request, bool whole) {
  PARTITA_CO_TRY(const table::Table table, co_await table_named(context, request.table));
  PARTITA_CO_TRY(const std::vector<Sink> sinks, co_await read_sinks(context.engine(), table::sink_rows(table->id)));
  if (std::ranges::any_of(sinks, [&](const Sink& one) { return one.name == request.name; })) {
    co_return refused_sink("The table " + request.table + " has a sink named '" + request.name + "' already.");
  }
  if (table->sinks.size() >= kMostSinks) {
    co_return refused_sink("The table " + request.table + " has " + std::to_string(kMostSinks) +
                           " sinks, which is the limit.");
  }
  if (whole) PARTITA_CO_TRY_VOID(co_await check_room_for_changes(context));
  if (table->next_sink == UINT16_MAX) co_return refused_sink("The table has no number left for another sink.");
  const auto with = std::move(request.with);
  Sink sink = sink_of(std::move(request), whole, *table, context.clock().now_ms());
  begin_generation(sink, context.clock().now_ms(), {});
  sink.rolled_back_ms = context.options().rolled_back_ms;
  table::Catalog::AttachedWrite attached;
  attached.key = table::sink_row_key(sink.table_id, sink.number);
  attached.apply = [&](const Record* found, const table::TableInfo& now, Changes& changes) {
    if (found != nullptr || now.id != sink.table_id) return false;
    table::put_twice(attached.key, table::sink_row(sink), changes);
    const table::Job job = job_of(sink);
    changes.put(table::job_key(job), table::job_row(job));
    return true;
  };
  const table::Catalog::Change add = [&](table::TableInfo& info) -> Result<void> {
    if (info.id != sink.table_id || info.next_sink != sink.number) {
      return Error(ErrorKind::kConflict, "another sink of the table was created at the same time");
    }
    info.sinks.push_back(sink.number);
    if (sink.changes) info.change_sinks.push_back(sink.number);
    ++info.next_sink;
    table::note_sinks(info);
    return with ? with(info, sink) : Result<void>();
  };
  PARTITA_CO_TRY_VOID(co_await context.catalog().change(sink.table, add, &attached));
  co_return sink;
}

}  // namespace

std::string_view name_of(SinkState state) {
  switch (state) {
    case SinkState::kFilling:
      return "FILLING";
    case SinkState::kCarrying:
      return "CARRYING";
    case SinkState::kPaused:
      return "PAUSED";
    case SinkState::kFailed:
      return "FAILED";
    case SinkState::kDeleting:
      return "DELETING";
  }
  PARTITA_CHECK(false);
}

SinkState SinkStatus::state() const {
  if (sink.deleting) return SinkState::kDeleting;
  if (!sink.failure.empty() || sink.dropped > 0) return SinkState::kFailed;
  if (sink.paused) return SinkState::kPaused;
  if (sink.changes) return SinkState::kCarrying;
  return progress.filling || progress.generation != sink.generation ? SinkState::kFilling : SinkState::kCarrying;
}

std::string SinkStatus::sentence() const {
  if (sink.dropped > 0) {
    const std::string bound = std::to_string(sink.max_backlog_bytes >> 20);
    return "More than " + bound + " MiB of changes were waiting, so " + std::to_string(sink.dropped) +
           (sink.dropped == 1 ? " change was" : " changes were") +
           " dropped. `partita sink resume` goes on with those that were made later." +
           (sink.failure.empty() ? "" : " " + sink.failure);
  }
  if (!sink.failure.empty()) return sink.failure;
  if (!progress.trouble.empty() && !sink.paused) return progress.trouble;
  if (state() == SinkState::kFilling && !sink.filled_because.empty()) {
    return "The whole table is sent anew: " + sink.filled_because;
  }
  return {};
}

void begin_generation(Sink& sink, int64_t now_ms, std::string because) {
  sink.generation = std::max(sink.generation + 1, static_cast<uint64_t>(now_ms));
  sink.filled_because = std::move(because);
}

DestinationSettings settings_of(const Sink& sink, const model::KeySchema& keys) {
  DestinationSettings settings;
  settings.url = sink.url;
  settings.index = sink.index;
  settings.table = sink.table;
  settings.sink = sink.name;
  settings.id = sink.id;
  settings.keys = keys;
  settings.credentials_file = sink.credentials_file;
  settings.authority_file = sink.authority_file;
  settings.fields = sink.fields;
  settings.mode = sink.flat ? DocumentMode::kFlat : DocumentMode::kTemplate;
  return settings;
}

bool can_hold_dead_letters(const table::TableInfo& table) {
  return table.keys == model::KeySchema{{{"sink", model::Type::kS}}, {{"id", model::Type::kS}}};
}

Task<Result<table::Table>> dead_letters_of(TableContext& context, std::string name) {
  PARTITA_CO_TRY(table::Table table, co_await context.newest_table(name));
  if (table == nullptr) {
    api::CreateTableRequest request;
    request.name = name;
    request.definitions = {{"sink", model::Type::kS}, {"id", model::Type::kS}};
    request.keys = {{"sink", api::KeyRole::kHash}, {"id", api::KeyRole::kRange}};
    request.billing_mode = api::BillingMode::kPayPerRequest;
    auto made = co_await table::create_table(context, request);
    const bool exists = !made.ok() && made.error().reason() == static_cast<uint16_t>(model::Fault::kTableExists);
    if (!made.ok() && !exists) co_return std::move(made).error();
    PARTITA_CO_TRY(table, co_await context.newest_table(name));
  }
  if (table == nullptr || !can_hold_dead_letters(*table)) {
    co_return refused_sink("The table " + name +
                           " cannot hold dead letters: its keys are not sink (S, HASH) and id (S, RANGE).");
  }
  co_return table;
}

ChangeSettings change_settings_of(const Sink& sink, const table::TableInfo& table, const std::string& region) {
  ChangeSettings settings;
  settings.url = sink.url;
  settings.table = sink.table;
  settings.sink = sink.name;
  settings.id = sink.id;
  settings.region = region;
  settings.arn = "arn:aws:dynamodb:" + region + ":" + std::string(auth::kAccountId) + ":table/" + sink.table;
  settings.keys = table.keys;
  settings.credentials_file = sink.credentials_file;
  settings.authority_file = sink.authority_file;
  settings.options.insert(sink.options.begin(), sink.options.end());
  return settings;
}

Task<Result<Sink>> create_sink(TableContext& context, SinkRequest request, FindDestination find,
                               FindChangeDestination find_changes) {
  if (request.name.empty()) request.name = default_name(request.url);
  if (request.dead_letters.empty()) request.dead_letters = default_letters(request.table);
  const std::optional<ChangeDestinationKind> kind = find_changes(request.url);
  DestinationFactory factory;
  if (!kind) {
    PARTITA_CO_TRY(factory, find(request.url));
  }
  if (kind && kind->reach == Reach::kMachine && !request.by_administrator) {
    co_return refused_sink("Such a sink uses files or ports of the server's machine: use `partita sink create` there.");
  }
  PARTITA_CO_TRY_VOID(check_size(request));
  PARTITA_CO_TRY_VOID(check_family(request, kind.has_value()));
  PARTITA_CO_TRY_VOID(check_request(request));
  PARTITA_CO_TRY(const table::Table table, co_await table_named(context, request.table));
  {
    const Sink wanted = sink_of(request, kind.has_value(), *table, 0);
    if (kind) PARTITA_CO_TRY_VOID(kind->make(change_settings_of(wanted, *table, std::string(kUsualRegion)), {}));
    if (!kind) PARTITA_CO_TRY_VOID(factory(settings_of(wanted, table->keys), {}));
  }
  PARTITA_CO_TRY(const bool returns, co_await letters_return(context, request.table, request.dead_letters));
  if (returns) {
    co_return refused_sink("The table " + request.dead_letters + " has a sink whose dead letters come back to " +
                           request.table + ": name another table for dead letters.");
  }
  if (request.owner.empty()) PARTITA_CO_TRY_VOID(co_await dead_letters_of(context, request.dead_letters));
  constexpr int kTries = 10;
  for (int tries = 1;; ++tries) {
    auto made = co_await try_create(context, request, kind.has_value());
    if (made.ok()) context.wake_jobs();
    if (made.ok() || made.error().kind() != ErrorKind::kConflict || tries == kTries) co_return made;
  }
}

Task<Result<std::vector<SinkStatus>>> list_sinks(TableContext& context, std::string table_name) {
  storage::Range rows = table::system_rows(table::SystemRow::kSink);
  if (!table_name.empty()) {
    PARTITA_CO_TRY(const table::Table table, co_await table_named(context, table_name));
    rows = table::sink_rows(table->id);
  }
  PARTITA_CO_TRY(std::vector<Sink> sinks, co_await read_sinks(context.engine(), std::move(rows)));
  std::vector<SinkStatus> all;
  for (Sink& sink : sinks) {
    const std::vector<Key> keys{table::job_key(table::JobKind::kCarry, sink.table_id, sink.number)};
    PARTITA_CO_TRY(const auto records, co_await context.engine().read(keys));
    SinkStatus status;
    status.sink = std::move(sink);
    if (records[0]) {
      PARTITA_CO_TRY(const table::Job job, table::job_from(keys[0].bytes, records[0]->value));
      PARTITA_CO_TRY(status.progress, progress_from(job.carried));
      if (status.progress.filling) status.filled = job.done;
    }
    all.push_back(std::move(status));
  }
  std::ranges::sort(all, [](const SinkStatus& one, const SinkStatus& other) {
    return std::tie(one.sink.table, one.sink.name) < std::tie(other.sink.table, other.sink.name);
  });
  co_return all;
}

Task<Result<SinkStatus>> describe_sink(TableContext& context, std::string table_name, std::string name) {
  PARTITA_CO_TRY(std::vector<SinkStatus> all, co_await list_sinks(context, table_name));
  const auto found = std::ranges::find_if(all, [&](const SinkStatus& one) { return one.sink.name == name; });
  if (found == all.end()) co_return no_sink(table_name, name);
  co_return std::move(*found);
}

Task<Result<void>> pause_sink(TableContext& context, std::string table_name, std::string name, std::string owner) {
  std::function<void(Sink&)> change = [](Sink& sink) { sink.paused = true; };
  co_return co_await change_named(context, std::move(table_name), std::move(name), std::move(owner), std::move(change));
}

Task<Result<void>> resume_sink(TableContext& context, std::string table_name, std::string name, std::string owner) {
  std::function<void(Sink&)> change = [](Sink& sink) {
    sink.paused = false;
    sink.failure.clear();
    sink.dropped = 0;
  };
  co_return co_await change_named(context, std::move(table_name), std::move(name), std::move(owner), std::move(change));
}

Task<Result<void>> retry_sink(TableContext& context, std::string table_name, std::string name, bool fill) {
  std::optional<std::string> any;
  PARTITA_CO_TRY(Sink sink, co_await find_sink(context, std::move(table_name), std::move(name), std::move(any)));
  if (fill && sink.changes) co_return no_items_again();
  const int64_t now_ms = context.clock().now_ms();
  std::function<void(Sink&)> change = [fill, now_ms](Sink& one) {
    one.failure.clear();
    one.dropped = 0;
    if (fill) begin_generation(one, now_ms, "an operator asked for it.");
    if (!fill) ++one.retries;
  };
  co_return co_await change_found(context, std::move(sink), std::move(change));
}

Task<Result<void>> delete_sink(TableContext& context, std::string table_name, std::string name, bool index,
                               std::string owner, std::function<Result<void>(table::TableInfo& table)> with) {
  PARTITA_CO_TRY(const Sink sink, co_await find_sink(context, table_name, std::move(name), std::move(owner), true));
  if (sink.changes && index) co_return not_of_changes("DeleteIndex (--delete-index)");
  if (sink.deleting) {
    std::function<bool(Sink&)> keep_index = [index](Sink& one) {
      one.deletes_index = one.deletes_index && index;
      return true;
    };
    PARTITA_CO_TRY_VOID(co_await change_sink(context.engine(), sink.table_id, sink.number, std::move(keep_index)));
    context.wake_jobs();
    co_return Result<void>();
  }
  table::Catalog::AttachedWrite attached;
  attached.key = table::sink_row_key(sink.table_id, sink.number);
  attached.apply = [&](const Record* found, const table::TableInfo&, Changes& changes) {
    auto stored = found == nullptr ? Result<Sink>(sink) : table::sink_from(found->value);
    if (found == nullptr || !stored.ok()) return found == nullptr;
    stored->deleting = true;
    stored->deletes_index = index;
    table::put_twice(attached.key, table::sink_row(*stored), changes);
    return true;
  };
  const table::Catalog::Change remove = [&](table::TableInfo& info) -> Result<void> {
    if (info.id != sink.table_id) return no_sink(sink.table, sink.name);
    std::erase(info.sinks, sink.number);
    std::erase(info.change_sinks, sink.number);
    table::note_sinks(info);
    return with ? with(info) : Result<void>();
  };
  PARTITA_CO_TRY_VOID(co_await context.catalog().change(table_name, remove, &attached));
  context.wake_jobs();
  co_return Result<void>();
}

Task<Result<void>> change_sink(storage::Engine& engine, uint32_t table_id, uint16_t number,
                               std::function<bool(Sink& sink)> change) {
  const Key key = table::sink_row_key(table_id, number);
  Result<void> damage;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    damage = {};
    if (found[0] == nullptr) return Decision::kRefuse;
    auto sink = table::sink_from(found[0]->value);
    if (!sink.ok()) {
      damage = std::move(sink).error();
      return Decision::kRefuse;
    }
    if (!change(*sink)) return Decision::kRefuse;
    table::put_twice(key, table::sink_row(*sink), changes);
    return Decision::kCommit;
  };
  std::vector<Key> keys{key};
  std::vector<storage::Compare> none;
  PARTITA_CO_TRY_VOID(co_await engine.transact(std::move(keys), std::move(none), decide));
  co_return damage;
}

}  // namespace partita::sinks
