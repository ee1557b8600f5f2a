#include "sinks/hook_failure.h"

#include <algorithm>

#include "wire/document.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kMessagePrefix = "msg_";

}  // namespace

std::string hook_shard_id(const ChangeSettings& settings, size_t slice) {
  const std::string number = std::to_string(slice);
  return "shardId-" + std::string(20 - std::min<size_t>(number.size(), 20), '0') + number + "-" + settings.id;
}

// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
std::string hook_function_arn(const ChangeSettings& settings) {
  std::string_view rest = settings.arn;
  for (int i = 0; i < 4; ++i) rest.remove_prefix(std::min(rest.find(':') + 1, rest.size()));
  return "arn:aws:lambda:" + settings.region + ":" + std::string(rest.substr(0, rest.find(':'))) +
         ":function:" + settings.sink;
}

HookCall failure_call(const ChangeSettings& settings, std::string_view source_arn, const HookFailure& failure,
                      const HookCall& event, int64_t now_ms) {
  wire::JsonWriter json(1'024 + event.body.size() + event.body.size() / 4);
  json.begin_object();
  json.begin_object("requestContext");
  json.member("requestId", event.id);
  json.member("functionArn", hook_function_arn(settings));
  json.member("condition", failure.is_too_old ? "RecordAgeExceeded" : "RetryAttemptsExhausted");
  json.member("approximateInvokeCount", failure.calls);
  json.end_object();
  if (failure.calls > 0) {
    json.begin_object("responseContext");
    json.member("statusCode", 200);  // that of Lambda's Invoke
    json.member("executedVersion", "$LATEST");
    json.member("functionError", "Unhandled");
    json.end_object();
  }
  json.member("version", "1.0");
  json.member("timestamp", std::string(utc_text(now_ms).data()) + "Z");
  json.begin_object("DDBStreamBatchInfo");
  json.member("shardId", hook_shard_id(settings, failure.slice));
  json.member("startSequenceNumber", event.sequence_numbers.front());
  json.member("endSequenceNumber", event.sequence_numbers.back());
  // Records tell the time in seconds.
  json.member("approximateArrivalOfFirstRecord", wire::iso_time(failure.first_ms / 1'000 * 1'000));
  json.member("approximateArrivalOfLastRecord", wire::iso_time(failure.last_ms / 1'000 * 1'000));
  json.member("batchSize", event.sequence_numbers.size());
  json.member("streamArn", source_arn);
  json.end_object();
  json.member("payload", event.body);
  json.end_object();
  HookCall call;
  call.id = "failed_" + event.id.substr(kMessagePrefix.size());
  call.body = std::move(json).take();
  call.sequence_numbers = event.sequence_numbers;
  return call;
}

}  // namespace partita::sinks
