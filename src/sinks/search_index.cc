#include "sinks/search_index.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "auth/sha256.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

// An index's name has at most 255 bytes; this leaves room for an id, a number and "-write".
constexpr size_t kMostAliasBytes = 200;
// Deleted versions are kept for so long, so that a write that was delayed brings no deleted item back.
constexpr std::string_view kKeepDeletes = "1h";
// Items nest 32 deep, below the field of flat mode.
constexpr int kMostDepth = 40;
// Lucene's terms have at most 32,766 bytes, of which a character takes up to 4; the rest is for the attribute's name.
constexpr int kLongestTerm = 8'000;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool may_begin_name(char c) { return c != '-' && c != '_' && c != '.'; }

// From names of [A-Za-z0-9_.-].
std::string made_name(const std::string& table, const std::string& sink) {
  std::string name = table + "-" + sink;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (!may_begin_name(name.front())) name.insert(0, "t");
  if (name.size() <= kMostAliasBytes) return name;
  std::string hash;
  auth::append_hex(hash, auth::sha256(table + "/" + sink));
  return name.substr(0, kMostAliasBytes - 17) + "-" + hash.substr(0, 16);
}

// {"long": double} and {"double": double}: an engine that met 1 first would make the field an integer's.
void write_dynamic_templates(wire::JsonWriter& json) {
  json.begin_array("dynamic_templates");
  for (const std::string_view type : {"long", "double"}) {
    json.begin_object();
    json.begin_object("partita_" + std::string(type));
    json.member("match_mapping_type", type);
    json.begin_object("mapping");
    json.member("type", "double");
    json.end_object();
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

void write_flat_fields(wire::JsonWriter& json, SearchEngine engine) {
  json.begin_object("properties");
  json.begin_object(kFlatField);
  json.member("type", engine == SearchEngine::kOpenSearch ? "flat_object" : "flattened");
  if (engine == SearchEngine::kElasticsearch) {
    json.member("ignore_above", kLongestTerm);
    json.member("depth_limit", kMostDepth);
  }
  json.end_object();
  json.begin_object(kUnindexedField);
  json.member("type", "object");
  json.member("enabled", false);
  json.end_object();
  json.end_object();
}

void write_meta(wire::JsonWriter& json, const std::string& table, const std::string& sink, const std::string& id) {
  json.begin_object("_meta");
  json.begin_object("partita");
  json.member("table", table);
  json.member("sink", sink);
  json.member("id", id);
  json.end_object();
  json.end_object();
}

}  // namespace

Result<SearchIndexes> SearchIndexes::create(const DestinationSettings& settings) {
  SearchIndexes indexes;
  indexes.table_ = settings.table;
  indexes.sink_ = settings.sink;
  indexes.id_ = settings.id;
  indexes.mode_ = settings.mode;
  indexes.alias_ = settings.index.empty() ? made_name(settings.table, settings.sink) : settings.index;
  const std::string& alias = indexes.alias_;
  if (alias.size() > kMostAliasBytes || !may_begin_name(alias.front()) || !std::ranges::all_of(alias, is_name_char)) {
    return Error(
        ErrorKind::kInvalid,
        "The name of an index has 1 to 200 lower-case letters, digits, \"-\", \"_\" and \".\", and begins with "
        "a letter or a digit; this one does not: " +
            alias);
  }
  indexes.prefix_ = alias + "-" + settings.id + "-";
  return indexes;
}

std::string SearchIndexes::index(Generation generation) const { return prefix_ + std::to_string(generation); }

std::string SearchIndexes::index_body(Generation generation, SearchEngine engine) const {
  wire::JsonWriter json;
  json.begin_object();
  json.begin_object("aliases");
  json.begin_object(write_alias(generation));
  json.end_object();
  json.end_object();
  json.begin_object("settings");
  json.member("index.gc_deletes", kKeepDeletes);
  json.member("index.mapping.depth.limit", kMostDepth);
  if (mode_ == DocumentMode::kTemplate) json.member("index.mapping.ignore_malformed", true);
  json.end_object();
  json.begin_object("mappings");
  if (mode_ == DocumentMode::kTemplate) {
    write_dynamic_templates(json);
    json.member("date_detection", false);
  } else {
    json.member("dynamic", false);
    write_flat_fields(json, engine);
  }
  write_meta(json, table_, sink_, id_);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string SearchIndexes::marks_index_body() {
  return R"({"settings":{"index.hidden":true,"index.number_of_shards":1},"mappings":{"dynamic":false}})";
}

std::string SearchIndexes::mark_body(std::string_view mark) {
  wire::JsonWriter json;
  json.begin_object();
  json.member("mark", mark);
  json.end_object();
  return std::move(json).take();
}

std::optional<Generation> SearchIndexes::generation_of(std::string_view index) const {
  if (!index.starts_with(prefix_)) return std::nullopt;
  index.remove_prefix(prefix_.size());
  Generation generation = 0;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), generation);
  if (error != std::errc() || end != index.data() + index.size()) return std::nullopt;
  return generation;
}

bool SearchIndexes::is_own(std::string_view index) const {
  constexpr std::string_view kWrite = "-write";
  if (index == marks_index()) return true;
  if (index.ends_with(kWrite)) index.remove_suffix(kWrite.size());
  return generation_of(index).has_value();
}

Result<AliasHolders> read_alias_holders(std::string_view body) {
  const auto document = wire::JsonDocument::parse(body);
  if (!document.ok()) return Error(ErrorKind::kUnavailable, "The search engine's list of indexes cannot be read.");
  AliasHolders holders;
  for (const auto& [index, value] : document->root().members()) {
    const wire::JsonValue ours = value.get("mappings").get("_meta").get("partita");
    holders.insert_or_assign(std::string(index), wire::text_of(ours.get("id")));
  }
  return holders;
}

Result<std::vector<std::string>> read_member_names(std::string_view body) {
  const auto document = wire::JsonDocument::parse(body);
  if (!document.ok()) return Error(ErrorKind::kUnavailable, "The search engine's list of indexes cannot be read.");
  std::vector<std::string> names;
  for (const auto& [name, value] : document->root().members()) names.emplace_back(name);
  return names;
}

std::string alias_switch_body(std::string_view alias, std::string_view to, const std::vector<std::string>& from,
                              const std::vector<std::string>& deleted) {
  wire::JsonWriter json;
  const auto action = [&json](std::string_view name, std::string_view index, std::string_view of_alias) {
    json.begin_object();
    json.begin_object(name);
    json.member("index", index);
    if (!of_alias.empty()) json.member("alias", of_alias);
    json.end_object();
    json.end_object();
  };
  json.begin_object();
  json.begin_array("actions");
  action("add", to, alias);
  for (const std::string& each : from) action("remove", each, alias);
  for (const std::string& each : deleted) action("remove_index", each, {});
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::sinks
