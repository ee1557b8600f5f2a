#include "cli/sink_verbs.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "cli/admin_client.h"
#include "cli/options.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/legible.h"

namespace partita::cli {

namespace {

using wire::JsonValue;

constexpr std::array kPlainSinkFlags = {kServerFlag};

constexpr std::array kShownSinkFlags = {
    kServerFlag,
    Flag{"--json", "", "Print JSON, for programs.", set_on<PARTITA_OPTION(sink.json)>},
};

Result<void> set_option(Draft& draft, const Flag&, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return misuse("--set takes NAME=VALUE, not " + cli::quoted(text) + ".");
  }
  const std::string name(text.substr(0, equals));
  const bool fresh = draft.line.sink.options.emplace(name, text.substr(equals + 1)).second;
  return fresh ? Result<void>() : misuse("--set names " + cli::quoted(name) + " twice.");
}

constexpr std::array kCreateSinkFlags = {
    kServerFlag,
    Flag{
        "--to", "URL",
        "The other end. A search engine: opensearch+https://HOST[:PORT], elasticsearch+https://HOST[:PORT], or the same "
        "with http. For every change: a directory for files, file:///DIRECTORY; a bucket for them, s3://BUCKET[/PREFIX] "
        "or s3+https://HOST[:PORT]/BUCKET[/PREFIX]; a function, https://HOST[:PORT][/PATH]; a handler on "
        "the server's machine, runtime://127.0.0.1:PORT; a Kinesis stream, kinesis+https://HOST/STREAM; a topic of Kafka, "
        "kafka://HOST[:PORT]/TOPIC.",
        set_text<PARTITA_OPTION(sink.url)>},
    Flag{"--name", "NAME",
         "The name of the sink, for the other verbs (default: the kind of the URL, such as opensearch).",
         set_text<PARTITA_OPTION(sink.name)>},
    Flag{"--set", "NAME=VALUE", "An option of the kind of the URL. May be repeated. Not for search engines.",
         set_option},
    Flag{"--index", "INDEX", "The name under which the index is searched (default: made from TABLE).",
         set_text<PARTITA_OPTION(sink.index)>},
    Flag{
        "--credentials", "FILE",
        "A file of the server's machine with USER:PASSWORD, with \"ApiKey KEY\", with an access key as the AWS CLI keeps "
        "it (S3, Kinesis), with settings of Kafka or with the secret that signs calls of a function, which only its owner "
        "can read. It is read for each connection.",
        set_text<PARTITA_OPTION(sink.credentials_file)>},
    Flag{"--authority", "FILE",
         "A PEM file of the server's machine with the authorities to trust, instead of those of the system.",
         set_text<PARTITA_OPTION(sink.authority_file)>},
    Flag{"--fields", "NAME,NAME...", "Send only these top-level attributes (default: all).",
         set_text<PARTITA_OPTION(sink.fields)>},
    Flag{"--document", "MODE",
         "template (default): each attribute becomes a field. flat: the whole item is in one field, which accepts "
         "values of any types.",
         set_text<PARTITA_OPTION(sink.document)>},
    Flag{"--filter", "EXPRESSION", "Send only the items that this FilterExpression selects.",
         set_text<PARTITA_OPTION(sink.filter)>},
    Flag{"--filter-values", "JSON", "ExpressionAttributeValues of the filter, such as {\":v\":{\"N\":\"1\"}}.",
         set_text<PARTITA_OPTION(sink.filter_values)>},
    Flag{"--filter-names", "JSON", "ExpressionAttributeNames of the filter, such as {\"#n\":\"name\"}.",
         set_text<PARTITA_OPTION(sink.filter_names)>},
    Flag{"--dead-letters", "TABLE",
         "The table for what the other end rejects (default: TABLE-dead-letters). It is created if it does not exist.",
         set_text<PARTITA_OPTION(sink.dead_letters)>},
    Flag{
        "--max-backlog", "MIB",
        "How many MiB of changes may wait (default 1024). Beyond that they are dropped: the whole table is sent again, or "
        "a sink that takes every change fails and says so.",
        set_number<PARTITA_OPTION(sink.max_backlog_bytes), 1, uint64_t{1} << 20, uint64_t{1} << 20>},
};

constexpr std::array kRetrySinkFlags = {
    kServerFlag,
    Flag{"--fill", "", "Send the whole table again, to a new index.", set_on<PARTITA_OPTION(sink.fill)>},
};

constexpr std::array kDeleteSinkFlags = {
    kServerFlag,
    Flag{"--delete-index", "", "Also delete the index at the other end.", set_on<PARTITA_OPTION(sink.delete_index)>},
};

// TABLE, then NAME where the verb takes one.
Result<void> take_sink(Draft& draft, std::string_view word) {
  SinkOptions& options = draft.line.sink;
  std::string& place = options.table.empty() ? options.table : options.name;
  if (!place.empty()) return misuse("`partita " + std::string(draft.line.verb->name) + "` takes no third word.");
  place = word;
  return {};
}

Result<void> take_sink_table(Draft& draft, std::string_view word) {
  if (!draft.line.sink.table.empty()) {
    return misuse("`partita " + std::string(draft.line.verb->name) + "` takes one TABLE.");
  }
  draft.line.sink.table = word;
  return {};
}

Result<void> finish_any_sink(Draft& draft, const char* operation) {
  SinkOptions& options = draft.line.sink;
  options.operation = operation;
  PARTITA_TRY(options.server, server_named(draft.data.value_or(std::string(kDefaultData))));
  return {};
}

Result<void> check_json(std::string_view flag, const std::string& text) {
  if (text.empty()) return {};
  const auto document = wire::JsonDocument::parse(text);
  if (document.ok() && document->root().is(JsonValue::Kind::kObject)) return {};
  return misuse(std::string(flag) + " takes a JSON object, not " + cli::quoted(text) + ".");
}

// The server may run in another directory.
void make_absolute(std::string& file) {
  if (!file.empty()) file = std::filesystem::absolute(file).string();
}

Result<void> finish_create_sink(Draft& draft) {
  SinkOptions& options = draft.line.sink;
  if (options.table.empty() || options.url.empty()) {
    return misuse("`partita sink create` needs a TABLE and --to URL.");
  }
  PARTITA_TRY_VOID(check_json("--filter-values", options.filter_values));
  PARTITA_TRY_VOID(check_json("--filter-names", options.filter_names));
  make_absolute(options.credentials_file);
  make_absolute(options.authority_file);
  return finish_any_sink(draft, "CreateSink");
}

Result<void> finish_list_sinks(Draft& draft) { return finish_any_sink(draft, "ListSinks"); }

constexpr char kDeleteSink[] = "DeleteSink";
constexpr char kDescribeSink[] = "DescribeSink";
constexpr char kPauseSink[] = "PauseSink";
constexpr char kResumeSink[] = "ResumeSink";
constexpr char kRetrySink[] = "RetrySink";
constexpr char kVerifySink[] = "VerifySink";

template <const char* kOperation>
Result<void> finish_sink(Draft& draft) {
  if (draft.line.sink.name.empty()) {
    return misuse("`partita " + std::string(draft.line.verb->name) + "` needs a TABLE and the NAME of a sink.");
  }
  return finish_any_sink(draft, kOperation);
}

Result<int> run_sink(const CommandLine& line, const Build&) {
  PARTITA_TRY(const bool well, run_sink_verb(line.sink));
  return well ? 0 : 1;
}

constexpr std::array kSinkVerbs = {
    VerbRow{
        "sink create", "TABLE --to URL [OPTION...]",
        "Send a table elsewhere. To an index of OpenSearch or Elasticsearch, which is kept up to date: all items are "
        "sent first, then each change. To other ends: every change that is made from now on.",
        kCreateSinkFlags, run_sink, finish_create_sink, take_sink_table},
    VerbRow{"sink list", "[TABLE] [OPTION...]", "List the sinks of a running server, or those of one table.",
            kShownSinkFlags, run_sink, finish_list_sinks, take_sink_table},
    VerbRow{"sink show", "TABLE NAME [OPTION...]", "Show a sink: its settings, its state, and what it has sent.",
            kShownSinkFlags, run_sink, finish_sink<kDescribeSink>, take_sink},
    VerbRow{"sink pause", "TABLE NAME", "Send nothing until the sink is resumed. Changes wait in the store.",
            kPlainSinkFlags, run_sink, finish_sink<kPauseSink>, take_sink},
    VerbRow{"sink resume", "TABLE NAME", "Let a sink that was paused or has failed go on.", kPlainSinkFlags, run_sink,
            finish_sink<kResumeSink>, take_sink},
    VerbRow{"sink retry", "TABLE NAME [--fill]",
            "Send the items of the dead letters again, and remove the letters of those that are accepted. With --fill, "
            "send the whole table again.",
            kRetrySinkFlags, run_sink, finish_sink<kRetrySink>, take_sink},
    VerbRow{"sink verify", "TABLE NAME",
            "Compare the documents with the items. Exit code 1 when they differ; `partita sink retry --fill` repairs "
            "that. Rejected items, which are in the table of dead letters, are counted apart.",
            kPlainSinkFlags, run_sink, finish_sink<kVerifySink>, take_sink},
    VerbRow{"sink delete", "TABLE NAME [--delete-index]", "Delete a sink. Its index stays unless you say otherwise.",
            kDeleteSinkFlags, run_sink, finish_sink<kDeleteSink>, take_sink},
};

void write_fields(wire::JsonWriter& json, std::string_view fields) {
  json.begin_array("Fields");
  while (true) {
    const size_t comma = fields.find(',');
    json.string(fields.substr(0, comma));
    if (comma == std::string_view::npos) break;
    fields.remove_prefix(comma + 1);
  }
  json.end_array();
}

std::string sink_body(const SinkOptions& options) {
  wire::JsonWriter json;
  const auto say = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) json.member(name, text);
  };
  const auto say_raw = [&](std::string_view name, const std::string& text) {
    if (text.empty()) return;
    json.key(name);
    json.raw(text);
  };
  json.begin_object();
  say("TableName", options.table);
  say("SinkName", options.name);
  say("Url", options.url);
  if (!options.options.empty()) {
    json.begin_object("Options");
    for (const auto& [name, value] : options.options) json.member(name, value);
    json.end_object();
  }
  say("IndexName", options.index);
  say("CredentialsFile", options.credentials_file);
  say("AuthorityFile", options.authority_file);
  if (!options.fields.empty()) write_fields(json, options.fields);
  say("Document", options.document);
  say("FilterExpression", options.filter);
  say_raw("ExpressionAttributeValues", options.filter_values);
  say_raw("ExpressionAttributeNames", options.filter_names);
  say("DeadLetterTableName", options.dead_letters);
  if (options.max_backlog_bytes != 0) json.member("MaxBacklogBytes", options.max_backlog_bytes);
  if (options.fill) json.member("Fill", true);
  if (options.delete_index) json.member("DeleteIndex", true);
  json.end_object();
  return std::move(json).take();
}

std::string shown_text(const JsonValue& value) { return wire::without_controls(text_of(value)); }

std::string shown_value(const JsonValue& value) {
  if (value.is(JsonValue::Kind::kString)) return shown_text(value);
  wire::JsonWriter json;
  wire::write_json(json, value);
  return std::move(json).take();
}

void print_sink(const JsonValue& sink) {
  for (const auto& [name, value] : sink.members()) {
    std::printf("%s\t%s\n", std::string(name).c_str(), shown_value(value).c_str());
  }
}

void print_line(const JsonValue& sink) {
  const std::string message = shown_text(sink.get("Message"));
  std::printf("%s\t%s\t%s\t%s%s%s\n", text_of(sink.get("TableName")).c_str(), text_of(sink.get("SinkName")).c_str(),
              text_of(sink.get("State")).c_str(), shown_text(sink.get("Url")).c_str(), message.empty() ? "" : "\t",
              message.c_str());
}

bool print_comparison(const JsonValue& answer) {
  const int64_t items = integer_of(answer.get("Items"));
  const int64_t documents = integer_of(answer.get("Documents"));
  const int64_t different = integer_of(answer.get("Different"));
  const int64_t rejected = integer_of(answer.get("Rejected"));
  std::printf("%lld items to be there, %lld documents, %lld different, %lld rejected\n", static_cast<long long>(items),
              static_cast<long long>(documents), static_cast<long long>(different), static_cast<long long>(rejected));
  for (const JsonValue id : answer.get("Ids").elements()) std::printf("%s\n", shown_text(id).c_str());
  // A rejected item has no document, or an old one.
  return different == 0 && documents <= items && items - documents <= rejected;
}

}  // namespace

std::span<const VerbRow> sink_verbs() { return kSinkVerbs; }

Result<bool> run_sink_verb(const SinkOptions& options) {
  PARTITA_TRY(AdminClient client, AdminClient::connect(options.server));
  if (options.operation == kVerifySink) client.wait(AdminClient::Wait::kLong);
  PARTITA_TRY(const std::string reply, client.ask_text(options.operation, sink_body(options)));
  PARTITA_TRY(const wire::JsonDocument said, wire::JsonDocument::parse(reply));
  if (options.json) {
    std::printf("%s\n", reply.c_str());
    return true;
  }
  if (options.operation == kVerifySink) return print_comparison(said.root());
  for (const JsonValue one : said.root().get("Sinks").elements()) print_line(one);
  print_sink(said.root().get("Sink"));
  return true;
}

}  // namespace partita::cli
