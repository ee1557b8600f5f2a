#include "sinks/kinesis_client.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "auth/sign_request.h"
#include "auth/text_util.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "wire/json_reader.h"
#include "wire/legible.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kServersOwn = "kinesis:///";
constexpr std::string_view kVersion = "Kinesis_20131202.";

// The name in {"__type":"com.example#ResourceNotFoundException"}, without its end; empty if there is none.
std::string kinesis_error_name(const net::HttpReply& reply) {
  constexpr std::string_view kEnd = "Exception";
  const auto document = wire::JsonDocument::parse(reply.body);
  const std::string type = document.ok() ? wire::text_of(document->root().get("__type")) : std::string();
  std::string name = type.substr(std::min(type.find('#') + 1, type.size()));
  if (name.ends_with(kEnd)) name.resize(name.size() - kEnd.size());
  return name;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_kinesis_stream_name(std::string_view name) {
  constexpr size_t kMost = 128;
  return !name.empty() && name.size() <= kMost && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

std::optional<KinesisStreamName> kinesis_stream_in(std::string_view arn) {
  constexpr std::string_view kResource = "stream/";
  std::array<std::string_view, 5> parts;  // arn, partition, service, region, account
  for (std::string_view& part : parts) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    part = arn.substr(0, colon);
    arn.remove_prefix(colon + 1);
  }
  const bool is_account =
      !parts[4].empty() && std::ranges::all_of(parts[4], [](char c) { return c >= '0' && c <= '9'; });
  if (parts[0] != "arn" || parts[2] != "kinesis" || !auth::is_region(parts[3]) || !is_account) return std::nullopt;
  if (!arn.starts_with(kResource) || !is_kinesis_stream_name(arn.substr(kResource.size()))) return std::nullopt;
  return KinesisStreamName{std::string(parts[3]), std::string(arn.substr(kResource.size()))};
}

Result<KinesisPlace> KinesisPlace::parse(std::string_view url) {
  const Error wrong(ErrorKind::kInvalid,
                    "The URL of a Kinesis stream is kinesis+https://HOST[:PORT]/STREAM, the same with http, or "
                    "kinesis:///STREAM for the endpoint of `partita serve --kinesis-endpoint`.");
  KinesisPlace place;
  if (url.starts_with(kServersOwn)) {
    place.stream = url.substr(kServersOwn.size());
  } else {
    auto server = net::Url::parse(url.substr(std::min(url.find('+') + 1, url.size())));
    if (!server.ok() || !url.contains('+')) return wrong;
    place.stream = server->path.substr(1);
    server->path = "/";
    place.server = std::move(*server);
  }
  if (!is_kinesis_stream_name(place.stream)) return wrong;
  return place;
}

KinesisOutcome kinesis_outcome(const net::HttpReply& reply) {
  constexpr int kTooLarge = 413;
  if (reply.status < 300) return KinesisOutcome::kDone;
  if (reply.status == kTooLarge) return KinesisOutcome::kTooMuch;
  // A redirect is that of a proxy, and is not followed.
  if (reply.status < 400 || reply.status >= 500 || reply.status == 408 || reply.status == 429)
    return KinesisOutcome::kLater;
  const std::string name = kinesis_error_name(reply);
  if (is_one_of(name, {"ProvisionedThroughputExceeded", "LimitExceeded", "Throttling", "KMSThrottling",
                       "RequestExpired", "InternalFailure", "ServiceUnavailable"})) {
    return KinesisOutcome::kLater;
  }
  if (is_one_of(name, {"Validation", "InvalidArgument", "Serialization"})) return KinesisOutcome::kTooMuch;
  return KinesisOutcome::kRefused;
}

std::string kinesis_sentence(std::string_view operation, const net::HttpReply& reply) {
  constexpr size_t kMostRefusalText = 400;
  std::string why = kinesis_error_name(reply);
  const auto document = wire::JsonDocument::parse(reply.body);
  std::string text;
  if (document.ok()) text = wire::text_of(document->root().get("message"));
  if (document.ok() && text.empty()) text = wire::text_of(document->root().get("Message"));
  if (why.empty() && text.empty()) text = reply.body;
  if (!text.empty()) why += (why.empty() ? "" : ": ") + text;
  return "Kinesis answered " + std::to_string(reply.status) + " to " + std::string(operation) + ": " +
         std::string(utf8_prefix(wire::legible(why), kMostRefusalText));
}

KinesisClient::KinesisClient(KinesisPlace place, net::HttpClient http, std::stop_token hurry)
    : place_(std::move(place)), http_(std::move(http)), hurry_(std::move(hurry)) {}

Result<KinesisClient> KinesisClient::create(const KinesisPlace& place, std::stop_token hurry) {
  PARTITA_TRY(net::HttpClient http, net::HttpClient::create());
  return KinesisClient(place, std::move(http), std::move(hurry));
}

Result<net::HttpReply> KinesisClient::call(std::string_view operation, std::string_view body) {
  if (!place_.server) {
    return Error(ErrorKind::kUnavailable,
                 "This server has no endpoint of Kinesis: start it with `partita serve --kinesis-endpoint URL`.");
  }
  auth::AccessKey key{"local", "local", ""};
  if (!place_.credentials_file.empty()) {
    PARTITA_TRY(key, auth::read_signing_key(place_.credentials_file));
  }
  net::HttpRequest request{.url = *place_.server,
                           .headers = {{"Content-Type", "application/x-amz-json-1.1"},
                                       {"X-Amz-Target", std::string(kVersion) + std::string(operation)}},
                           .body = body,
                           .timeout_ms = kTimeoutMs,
                           .connect_ms = kConnectMs,
                           .hurry = hurry_,
                           .authority_file = place_.authority_file,
                           .most_body = kMostReply};
  const std::string host = place_.server->authority();
  const auth::RequestToSign what{.target = place_.server->path,
                                 .host = host,
                                 .headers = &request.headers,
                                 .body = body,
                                 .region = place_.region,
                                 .service = "kinesis"};
  for (auto& header : auth::sign_request(what, key, system_clock().now_ms())) {
    request.headers.push_back(std::move(header));
  }
  return http_.send(request);
}

}  // namespace partita::sinks
