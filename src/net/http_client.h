// Requests to HTTP servers, by libcurl: HTTP/1.1 over TCP or TLS.
//
//   PARTITA_TRY(net::HttpClient client, net::HttpClient::create());
//   net::HttpRequest request{.url = url, .headers = {{"Content-Type", "application/json"}}, .body = body};
//   request.timeout_ms = 10'000;
//   PARTITA_TRY(net::HttpReply reply, client.send(request));
//
// Certificates are verified, with the system's authorities or those of the file that the environment variable
// SSL_CERT_FILE names. The usual variables (https_proxy, no_proxy and so on) may name a proxy; requests to this machine
// use none. Redirects are not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/url.h"

namespace partita::net {

struct HttpRequest {
  std::string_view method = "POST";
  Url url;
  std::vector<std::pair<std::string, std::string>> headers = {};  // those with an empty value are left out
  std::string_view body = {};                                     // outlives send()
  int64_t timeout_ms = 30'000;                                    // for everything, from the name's look-up on
  int64_t connect_ms = 30'000;                                    // the same, until it is connected
  // False: the reply is complete with its head. A body of more than kMostHead bytes ends the connection.
  bool reads_body = true;
  // Once it is requested, at most HttpClient::kHurryMs of the time are left.
  std::stop_token hurry = {};
  std::string authority_file = {};      // PEM: the authorities to trust instead; empty: those named above
  size_t most_body = size_t{64} << 20;  // of a reply; a larger one is an error
};

struct HttpReply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // in their order, names in lower case
  std::string body;
};

// For one thread at a time; send() blocks. Connections are kept for the next request to the same place.
class HttpClient {
 public:
  static constexpr int64_t kHurryMs = 1'000;
  static constexpr size_t kMostHead = size_t{64} << 10;  // of a reply: its headers

  // Error: kInvalid (reason 0), with one sentence: libcurl is missing.
  static Result<HttpClient> create();
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Error: kUnavailable, with one sentence; whether the server did what was asked is not known. A status of 400 or more
  // is no error.
  Result<HttpReply> send(const HttpRequest& request);
  // Whether the last request found a server: an error of it came later.
  bool connected() const;

 private:
  struct Transfer;
  explicit HttpClient(std::unique_ptr<Transfer> transfer);
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace partita::net
