// Requests to Kinesis, and to servers that speak its protocol: JSON 1.1, signed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_client.h"
#include "net/url.h"

namespace partita::sinks {

// A stream, and the server that has it. Its files are read for each request, so that new credentials take effect at
// once.
struct KinesisPlace {
  std::optional<net::Url> server;  // nothing: that of `partita serve --kinesis-endpoint`, which was not given
  std::string stream;              // its name
  std::string region;
  std::string credentials_file;  // as auth::read_signing_key(); empty: a key of no meaning, as emulators take
  std::string authority_file;

  // "kinesis+https://HOST[:PORT]/STREAM", the same with "kinesis+http", or "kinesis:///STREAM" for the server's own
  // endpoint. Error: kInvalid (reason 0), with one sentence.
  static Result<KinesisPlace> parse(std::string_view url);
};

// Whether Kinesis could have a stream of that name.
bool is_kinesis_stream_name(std::string_view name);
// The region and the name in an ARN of a stream; nullopt if it is none.
struct KinesisStreamName {
  std::string region;
  std::string name;
};
std::optional<KinesisStreamName> kinesis_stream_in(std::string_view arn);

// What a reply means for its request.
enum class KinesisOutcome : uint8_t {
  kDone,
  kLater,    // throttled, or the server is in trouble
  kTooMuch,  // the records are refused: a smaller request may be taken
  kRefused,  // the stream, the account or the request is refused
};
KinesisOutcome kinesis_outcome(const net::HttpReply& reply);
// "Kinesis answered 400 to PutRecords: ResourceNotFound: Stream x not found." Precondition: not kDone.
std::string kinesis_sentence(std::string_view operation, const net::HttpReply& reply);

// For one thread at a time; its calls block.
class KinesisClient {
 public:
  static constexpr int64_t kTimeoutMs = 60'000;          // of a request
  static constexpr int64_t kConnectMs = 5'000;           // of these, until it is connected
  static constexpr size_t kMostReply = size_t{1} << 20;  // bytes; one to PutRecords has less than 1 KiB a record

  // Error: kInvalid (reason 0), with one sentence: libcurl is missing.
  static Result<KinesisClient> create(const KinesisPlace& place, std::stop_token hurry);

  // Error: kUnavailable, with one sentence: no reply, no endpoint, or an unreadable file. Statuses are no error.
  Result<net::HttpReply> call(std::string_view operation, std::string_view body);

 private:
  KinesisClient(KinesisPlace place, net::HttpClient http, std::stop_token hurry);

  KinesisPlace place_;
  net::HttpClient http_;
  std::stop_token hurry_;
};

}  // namespace partita::sinks
