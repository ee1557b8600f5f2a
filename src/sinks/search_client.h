// Requests to OpenSearch and Elasticsearch.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_client.h"
#include "net/url.h"

namespace partita::sinks {

enum class SearchEngine : uint8_t { kOpenSearch, kElasticsearch };

// The name that people know.
std::string_view search_engine_name(SearchEngine engine);

// Where a search engine is. Its files are read for each request, so that new credentials take effect at once.
struct SearchPlace {
  net::Url url;  // its path ends without "/"
  SearchEngine scheme = SearchEngine::kOpenSearch;
  std::string credentials_file;  // "user:password" or "ApiKey TEXT"; empty: none
  std::string authority_file;

  // "opensearch+https://HOST[:PORT][/PATH]". Error: kInvalid (reason 0), with one sentence.
  static Result<SearchPlace> parse(std::string_view url);
};

// The value of the Authorization header by the first line of a credentials file. Error: kUnavailable, with one sentence
// that names the file: it cannot be read, others than its owner can read it, or it has no credentials.
Result<std::string> read_authorization(const std::string& file);

// For one thread at a time; its calls block.
class SearchClient {
 public:
  static constexpr int64_t kTimeoutMs = 60'000;  // of a request. Much less than the engine keeps deleted versions

  static constexpr int64_t kConnectMs = 5'000;  // of these, until it is connected
  // Of a reply. That to _bulk has some hundred bytes for an item that is refused, that to _mget about 1 MiB.
  static constexpr size_t kMostReply = size_t{16} << 20;

  // Error: kInvalid (reason 0), with one sentence: libcurl is missing.
  static Result<SearchClient> create(SearchPlace place, std::stop_token hurry);

  // `path` begins with "/", and has the query. `body` is JSON, or lines of it for _bulk. Errors: kUnavailable, with one
  // sentence: no reply, an unreadable file, or credentials that the engine refuses. Other statuses are no error.
  Result<net::HttpReply> send(std::string_view method, std::string_view path, std::string_view body = {});
  // The same, but any status of 300 or more is an error, see search_error();
  // `expected`, if there is one, is no error: a 404 only if the engine itself says so.
  Result<net::HttpReply> call(std::string_view method, std::string_view path, std::string_view body = {},
                              std::optional<int> expected = {});

  // Which engine answers there; asked once. Errors: as above; kInvalid (reason 0) if it is neither, too old, or not the
  // one that the URL's scheme names. An engine that keeps this from the account is taken for that of the scheme.
  Result<SearchEngine> engine();

  // Whether calls are to end soon: no use to begin one more of many.
  bool hurries() const { return hurry_.stop_requested(); }

  const SearchPlace& place() const { return place_; }

 private:
  SearchClient(SearchPlace place, net::HttpClient http, std::stop_token hurry);

  SearchPlace place_;
  net::HttpClient http_;
  std::stop_token hurry_;
  std::optional<SearchEngine> engine_;
};

// The error of a reply with that status: kInvalid if the engine itself says that it refuses such a request; otherwise,
// as for any reply of a proxy, kUnavailable.
Error search_error(std::string_view what, const net::HttpReply& reply);

}  // namespace partita::sinks
