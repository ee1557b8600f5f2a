#include "sinks/s3_store.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "auth/sign_request.h"
#include "auth/text_util.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "net/http_client.h"
#include "wire/legible.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kPut = "PutObject";
constexpr std::string_view kGet = "GetObject";
constexpr std::string_view kTrial = "once";      // the object that prepare() writes
constexpr std::string_view kNobodys = "absent";  // an object that nobody writes
constexpr std::string_view kTrialText =
    "Partita tests with this object that the server replaces none if a request says If-None-Match.\n";
constexpr int64_t kS3ConnectMs = 5'000;
constexpr int64_t kS3TimeoutMs = 60'000;  // and of a body each millisecond, so many bytes:
constexpr int64_t kSlowestBytesPerMs = 1'000;

// What a reply means for its request.
enum class S3Outcome : uint8_t {
  kDone,
  kThere,   // there is such an object already
  kAbsent,  // there is none
  kLater,   // throttled, or the server is in trouble
  kUnable,  // the server does not know If-None-Match
  kRefused,
};

// What <Error><Code>NoSuchKey</Code>... says in that element; empty: nothing. Not decoded: codes and regions have no
// entities, and messages are for people.
std::string_view element_of(std::string_view document, std::string_view name) {
  const std::string opening = "<" + std::string(name) + ">";
  const size_t begin = document.find(opening);
  if (begin == std::string_view::npos) return {};
  document.remove_prefix(begin + opening.size());
  const size_t end = document.find('<');
  return end == std::string_view::npos ? std::string_view() : document.substr(0, end);
}

S3Outcome s3_outcome(const net::HttpReply& reply) {
  constexpr std::string_view kPassing[] = {"SlowDown",         "RequestTimeout", "RequestTimeTooSkewed", "ExpiredToken",
                                           "OperationAborted", "Throttling",     "TemporaryRedirect"};
  if (reply.status < 300) return S3Outcome::kDone;
  if (reply.status == 412) return S3Outcome::kThere;
  const std::string_view code = element_of(reply.body, "Code");
  if (reply.status == 404 && code == "NoSuchKey") return S3Outcome::kAbsent;
  if (reply.status == 501) return S3Outcome::kUnable;
  const bool passes = reply.status >= 500 || reply.status == 307 || reply.status == 408 || reply.status == 409 ||
                      reply.status == 425 || reply.status == 429;
  return passes || std::ranges::find(kPassing, code) != std::end(kPassing) ? S3Outcome::kLater : S3Outcome::kRefused;
}

// The region that a refusal names; empty: none.
std::string region_of(const net::HttpReply& reply) {
  for (const auto& [name, value] : reply.headers) {
    if (name == "x-amz-bucket-region" && auth::is_region(value)) return value;
  }
  const std::string_view named = element_of(reply.body, "Region");
  return auth::is_region(named) ? std::string(named) : std::string();
}

std::string_view content_type_of(std::string_view name) {
  if (name.ends_with(".zst")) return "application/zstd";
  if (name.ends_with(".jsonl")) return "application/x-ndjson";
  return name.ends_with(".json") ? "application/json" : "text/plain";
}

// A bucket that could be used before may be so again.
Error passing(const Error& error) { return Error(ErrorKind::kUnavailable, std::string(error.sentence())); }

class S3Store final : public FileStore {
 public:
  S3Store(S3Place place, std::stop_token hurry) : place_(std::move(place)), hurry_(std::move(hurry)) {}

  Result<void> prepare() override;
  Result<bool> create(std::string_view name, std::string_view bytes) override;
  Result<std::optional<std::string>> read(std::string_view name) override;
  std::string target() const override { return place_.text(); }

 private:
  // Without a body it reads.
  Result<net::HttpReply> call(std::string_view name, std::optional<std::string_view> body);
  // An error of kUnavailable or kInvalid, by what a reply says that is not wanted.
  Error refusal(std::string_view operation, const net::HttpReply& reply) const;

  const S3Place place_;
  const std::stop_token hurry_;
  Mutex mutex_;
  std::vector<net::HttpClient> idle_ PARTITA_GUARDED_BY(mutex_);
};

Result<net::HttpReply> S3Store::call(std::string_view name, std::optional<std::string_view> body) {
  auth::AccessKey key{"local", "local", ""};
  if (!place_.credentials_file.empty()) {
    PARTITA_TRY(key, auth::read_signing_key(place_.credentials_file));
  }
  net::HttpRequest request{.method = body ? "PUT" : "GET",
                           .url = place_.url_of(name),
                           .body = body.value_or(""),
                           .timeout_ms = kS3TimeoutMs,
                           .connect_ms = kS3ConnectMs,
                           .hurry = hurry_,
                           .authority_file = place_.authority_file};
  if (body) {
    request.headers = {{"Content-Type", std::string(content_type_of(name))}, {"If-None-Match", "*"}};
    request.timeout_ms += static_cast<int64_t>(body->size()) / kSlowestBytesPerMs;
  }
  const std::string host = request.url.authority();
  const auth::RequestToSign what{.method = request.method,
                                 .target = request.url.path,
                                 .host = host,
                                 .headers = &request.headers,
                                 .body = request.body,
                                 .region = place_.region,
                                 .service = "s3"};
  for (auto& header : auth::sign_request(what, key, system_clock().now_ms())) {
    request.headers.push_back(std::move(header));
  }
  std::optional<net::HttpClient> client;
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      client = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!client) {
    PARTITA_TRY(client, net::HttpClient::create());
  }
  auto reply = client->send(request);
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(*client));
  return reply;
}

Error S3Store::refusal(std::string_view operation, const net::HttpReply& reply) const {
  constexpr size_t kMostRefusalText = 400;
  std::string why(element_of(reply.body, "Code"));
  const std::string_view message = element_of(reply.body, "Message");
  if (!message.empty()) why += (why.empty() ? "" : ": ") + std::string(message);
  if (why.empty()) why = reply.body.empty() ? "nothing that says why." : reply.body;
  std::string sentence = "S3 answered " + std::to_string(reply.status) + " to " + std::string(operation) + " in " +
                         place_.text() + ": " + std::string(utf8_prefix(wire::legible(why), kMostRefusalText));
  if (!sentence.ends_with('.')) sentence += '.';
  const S3Outcome outcome = s3_outcome(reply);
  const std::string region = region_of(reply);
  if (outcome == S3Outcome::kRefused && !region.empty() && region != place_.region) {
    sentence += " The bucket is in the region " + region + ": create the sink with --set region=" + region + ".";
  } else if (reply.status == 403 && operation == kGet) {
    sentence += " The key needs s3:GetObject, and s3:ListBucket to see that an object is absent.";
  }
  return Error(outcome == S3Outcome::kLater ? ErrorKind::kUnavailable : ErrorKind::kInvalid, std::move(sentence));
}

Result<void> S3Store::prepare() {
  constexpr int kTries = 2;  // the first one may have been the first of all
  for (int tries = 0;; ++tries) {
    PARTITA_TRY(const net::HttpReply reply, call(kTrial, kTrialText));
    const S3Outcome outcome = s3_outcome(reply);
    if (outcome == S3Outcome::kThere) break;
    if (outcome == S3Outcome::kUnable || (outcome == S3Outcome::kDone && tries + 1 == kTries)) {
      return Error(ErrorKind::kInvalid, "The server of " + place_.text() +
                                            " does not honour If-None-Match in PutObject, so it might replace files of "
                                            "changes.");
    }
    if (outcome != S3Outcome::kDone) return refusal(kPut, reply);
  }
  PARTITA_TRY(const net::HttpReply reply, call(kNobodys, std::nullopt));
  if (s3_outcome(reply) != S3Outcome::kAbsent) return refusal(kGet, reply);
  return {};
}

Result<bool> S3Store::create(std::string_view name, std::string_view bytes) {
  PARTITA_TRY(const net::HttpReply reply, call(name, bytes));
  const S3Outcome outcome = s3_outcome(reply);
  if (outcome == S3Outcome::kDone || outcome == S3Outcome::kThere) return outcome == S3Outcome::kDone;
  return passing(refusal(kPut, reply));
}

Result<std::optional<std::string>> S3Store::read(std::string_view name) {
  PARTITA_TRY(net::HttpReply reply, call(name, std::nullopt));
  const S3Outcome outcome = s3_outcome(reply);
  if (outcome == S3Outcome::kAbsent) return std::optional<std::string>();
  if (outcome == S3Outcome::kDone) return std::optional(std::move(reply.body));
  return passing(refusal(kGet, reply));
}

}  // namespace

std::unique_ptr<FileStore> make_s3_store(S3Place place, std::stop_token hurry) {
  return std::make_unique<S3Store>(std::move(place), std::move(hurry));
}

}  // namespace partita::sinks
