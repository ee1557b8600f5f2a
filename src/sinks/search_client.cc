#include "sinks/search_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "sinks/search_bulk.h"
#include "sinks/secret_file.h"
#include "wire/json_reader.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kApiKey = "ApiKey ";

Error invalid_search(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }
Error unavailable_search(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

// Major and minor, as 2.19 in {2, 19}.
using SearchVersion = std::pair<int, int>;

std::optional<SearchVersion> version_of(std::string_view number) {
  SearchVersion version;
  const char* const end = number.data() + number.size();
  const auto major = std::from_chars(number.data(), end, version.first);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  if (std::from_chars(major.ptr + 1, end, version.second).ec != std::errc()) return std::nullopt;
  return version;
}

// The first that has what a sink uses: requests that demand an alias, and a field for whole items.
SearchVersion oldest_of(SearchEngine engine) {
  return engine == SearchEngine::kOpenSearch ? SearchVersion{2, 7} : SearchVersion{7, 10};
}

Result<SearchEngine> recognise(std::string_view body) {
  const auto document = wire::JsonDocument::parse(body);
  const wire::JsonValue version = document.ok() ? document->root().get("version") : wire::JsonValue();
  const std::string number = wire::text_of(version.get("number"));
  const auto found = version_of(number);
  if (!found) return invalid_search("The server at this URL is neither OpenSearch nor Elasticsearch.");
  const bool is_opensearch = wire::text_of(version.get("distribution")) == "opensearch";
  const SearchEngine engine = is_opensearch ? SearchEngine::kOpenSearch : SearchEngine::kElasticsearch;
  // OpenSearch may be told to call itself Elasticsearch 7.10.2, for old clients.
  const bool is_disguised = is_opensearch && found->first == 7;
  if (is_disguised || *found >= oldest_of(engine)) return engine;
  const auto [major, minor] = oldest_of(engine);
  const std::string name(search_engine_name(engine));
  return invalid_search("This is " + name + " " + number + "; a sink needs " + name + " " + std::to_string(major) +
                        "." + std::to_string(minor) + " or later.");
}

// Whether the body of a 404 is the engine's. Proxies answer so too while the engine is well.
bool is_absence(std::string_view body) {
  const auto document = wire::JsonDocument::parse(body);
  if (!document.ok()) return false;
  const wire::JsonValue root = document->root();
  const wire::JsonValue found = root.get("found");  // of a document
  if (found.is(wire::JsonValue::Kind::kBoolean)) return !found.as_boolean() && root.get("_index").present();
  if (wire::integer_of(root.get("status")) != 404) return false;
  const wire::JsonValue error = root.get("error");  // a text only of an alias
  return error.get("type").present() || wire::text_of(error).starts_with("alias");
}

}  // namespace

std::string_view search_engine_name(SearchEngine engine) {
  return engine == SearchEngine::kOpenSearch ? "OpenSearch" : "Elasticsearch";
}

Result<SearchPlace> SearchPlace::parse(std::string_view url) {
  SearchPlace place;
  const size_t plus = std::min(url.find('+'), url.size());
  place.scheme = url.starts_with("elasticsearch+") ? SearchEngine::kElasticsearch : SearchEngine::kOpenSearch;
  auto parsed = net::Url::parse(url.substr(std::min(plus + 1, url.size())));
  const bool has_query = url.find_first_of("?#") != std::string_view::npos;
  if (!parsed.ok() || has_query) {
    return invalid_search(
        "The URL of a search engine is opensearch+https://HOST[:PORT][/PATH], with elasticsearch for "
        "opensearch, or http for https; it has no user and no query.");
  }
  place.url = *std::move(parsed);
  while (place.url.path.ends_with('/')) place.url.path.pop_back();
  return place;
}

Result<std::string> read_authorization(const std::string& file) {
  PARTITA_TRY(const std::string text, read_secret_file(file, "The credentials in"));
  const std::string_view line = first_line(text);
  const bool is_text = std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (is_text && line.starts_with(kApiKey) && line.size() > kApiKey.size()) return std::string(line);
  if (!is_text || !line.contains(':')) {
    return unavailable_search("The first line of " + file + " is neither user:password nor ApiKey and a key.");
  }
  std::string value = "Basic ";
  append_base64(value, line);
  return value;
}

SearchClient::SearchClient(SearchPlace place, net::HttpClient http, std::stop_token hurry)
    : place_(std::move(place)), http_(std::move(http)), hurry_(std::move(hurry)) {}

Result<SearchClient> SearchClient::create(SearchPlace place, std::stop_token hurry) {
  PARTITA_TRY(net::HttpClient http, net::HttpClient::create());
  return SearchClient(std::move(place), std::move(http), std::move(hurry));
}

Result<net::HttpReply> SearchClient::send(std::string_view method, std::string_view path, std::string_view body) {
  net::HttpRequest request{.method = method,
                           .url = place_.url,
                           .body = body,
                           .timeout_ms = kTimeoutMs,
                           .connect_ms = kConnectMs,
                           .hurry = hurry_,
                           .most_body = kMostReply};
  request.url.path += path;
  request.authority_file = place_.authority_file;
  if (!body.empty()) {
    const bool is_bulk = path.contains("/_bulk");
    request.headers.emplace_back("Content-Type", is_bulk ? "application/x-ndjson" : "application/json");
  }
  if (!place_.credentials_file.empty()) {
    PARTITA_TRY(std::string authorization, read_authorization(place_.credentials_file));
    request.headers.emplace_back("Authorization", std::move(authorization));
  }
  PARTITA_TRY(net::HttpReply reply, http_.send(request));
  if (reply.status != 401) return reply;
  return unavailable_search(place_.credentials_file.empty()
                                ? "The search engine asks for credentials, and the sink has no file of them."
                                : "The search engine refuses the credentials in " + place_.credentials_file + ".");
}

Result<net::HttpReply> SearchClient::call(std::string_view method, std::string_view path, std::string_view body,
                                          std::optional<int> expected) {
  PARTITA_TRY(net::HttpReply reply, send(method, path, body));
  const bool is_expected = reply.status == expected && (reply.status != 404 || is_absence(reply.body));
  if (reply.status < 300 || is_expected) return reply;
  return search_error(std::string(method) + " " + std::string(path.substr(0, path.find('?'))), reply);
}

Result<SearchEngine> SearchClient::engine() {
  if (engine_) return *engine_;
  PARTITA_TRY(const net::HttpReply reply, call("GET", "/", {}, 403));
  SearchEngine found = place_.scheme;
  if (reply.status != 403) {
    PARTITA_TRY(found, recognise(reply.body));
  }
  if (found != place_.scheme) {
    return invalid_search("The server is " + std::string(search_engine_name(found)) + ", and the sink's URL says " +
                          std::string(search_engine_name(place_.scheme)) + ".");
  }
  return *(engine_ = found);
}

Error search_error(std::string_view what, const net::HttpReply& reply) {
  constexpr std::array kPassing{403, 404, 408, 429};  // 404: an index that was deleted is made anew
  const auto document = wire::JsonDocument::parse(reply.body);
  // A proxy refuses for reasons of its own, which pass.
  const bool is_engines = document.ok() && document->root().get("error").get("type").present();
  const bool is_client = reply.status >= 400 && reply.status < 500;
  const bool is_lasting = is_engines && is_client && std::ranges::find(kPassing, reply.status) == kPassing.end();
  return Error(is_lasting ? ErrorKind::kInvalid : ErrorKind::kUnavailable,
               "The search engine answered " + std::to_string(reply.status) + " to " + std::string(what) + ": " +
                   search_error_text(reply.body));
}

}  // namespace partita::sinks
