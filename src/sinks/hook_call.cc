#include "sinks/hook_call.h"

#include <algorithm>
#include <array>
#include <exception>
#include <map>

#include "auth/sha256.h"
#include "base/bytes.h"
#include "sinks/raw_json.h"
#include "wire/json_reader.h"

namespace partita::sinks {

namespace {

using Json = wire::JsonValue::Kind;

// What a proxy or a gateway says before a function, or a receiver that refuses the signature.
constexpr std::array kMissedStatuses{401, 403, 404, 407, 429, 502, 503};
constexpr size_t kMostExcerpt = 300;

HookAnswer failed_hook(std::string reason, size_t first = 0) {
  return {.kind = HookAnswer::Kind::kFailed, .first = first, .reason = std::move(reason)};
}

std::string hook_status(const net::HttpReply& reply) {
  std::string_view body = std::string_view(reply.body).substr(0, kMostExcerpt);
  if (!is_utf8(reply.body)) body = {};
  return "The hook answered " + std::to_string(reply.status) + (body.empty() ? "." : ": ") +
         std::string(utf8_prefix(body, kMostExcerpt));
}

// The lowest record that the answer names.
HookAnswer reported(std::string_view body, const std::vector<std::string>& sequence_numbers) {
  constexpr const char* kForm = R"(The hook's answer is not {"batchItemFailures":[{"itemIdentifier":"..."}]}.)";
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  const auto document = wire::JsonDocument::parse(body);
  if (!document.ok()) return failed_hook(kForm);
  const wire::JsonValue root = document->root();
  if (!root.present()) return {};
  const wire::JsonValue failures = root.get("batchItemFailures");
  if (!root.is(Json::kObject) || (failures.present() && !failures.is(Json::kArray))) return failed_hook(kForm);
  if (failures.size() == 0) return {};
  size_t first = sequence_numbers.size();
  std::map<std::string_view, size_t> indexes;
  for (size_t i = 0; i < sequence_numbers.size(); ++i) indexes.emplace(sequence_numbers[i], i);
  for (const wire::JsonValue& one : failures.elements()) {
    const wire::JsonValue id = one.get("itemIdentifier");
    const auto found = id.is(Json::kString) ? indexes.find(id.as_string()) : indexes.end();
    if (found == indexes.end()) return failed_hook("The hook's answer names a record that it was not given.");
    first = std::min(first, found->second);
  }
  return failed_hook("The hook's answer names this record, or one before it, in batchItemFailures.", first);
}

// The state of a window, as it is written in the answer.
HookAnswer answer_with_state(std::string_view body) {
  const auto document = wire::JsonDocument::parse(body);
  const auto state = raw_member(body, "state");
  if (document.ok() && document->root().get("state").is(Json::kObject) && state && state->starts_with('{')) {
    return {.state = std::string(*state)};
  }
  return failed_hook(document.ok() || !state
                         ? "The hook's answer has no object \"state\", which TumblingWindowInSeconds needs."
                         : "TumblingWindowInSeconds: the hook's answer is no JSON, or has integers above 64 bits.");
}

}  // namespace

void call_hook(HookCaller& caller, size_t line, const HookCall& call, HookAnswer& answer) noexcept {
  answer.kind = HookAnswer::Kind::kMissed;
  try {
    answer = caller.call(line, call);
  } catch (const std::exception&) {
    answer.reason.clear();
  }
}

std::string reason_of(HookAnswer& answer) {
  return answer.reason.empty() ? "There is no memory for it." : std::move(answer.reason);
}

HookAnswer hook_answer(const net::HttpReply& reply, bool reports_items,
                       const std::vector<std::string>& sequence_numbers, bool wants_state) {
  const bool is_error =
      std::ranges::any_of(reply.headers, [](const auto& header) { return header.first == "x-amz-function-error"; });
  if (reply.status >= 200 && reply.status < 300 && !is_error) {
    HookAnswer with_state = wants_state ? answer_with_state(reply.body) : HookAnswer();
    if (!reports_items || with_state.kind != HookAnswer::Kind::kDone) return with_state;
    HookAnswer answer = reported(reply.body, sequence_numbers);
    answer.state = std::move(with_state.state);
    return answer;
  }
  HookAnswer answer = failed_hook(hook_status(reply));
  if (std::ranges::find(kMissedStatuses, reply.status) != kMissedStatuses.end())
    answer.kind = HookAnswer::Kind::kMissed;
  return answer;
}

std::vector<std::pair<std::string, std::string>> hook_signature(std::string_view secret, const HookCall& call,
                                                                int64_t now_ms) {
  constexpr std::string_view kPrefix = "whsec_";
  std::string key(secret);
  if (secret.starts_with(kPrefix)) {
    if (auto decoded = decode_base64(secret.substr(kPrefix.size()))) key = *std::move(decoded);
  }
  const std::string time = std::to_string(now_ms / 1'000);
  const auth::Digest digest = auth::HmacKey(key).sign(call.id + "." + time + "." + call.body);
  std::string signature = "v1,";
  append_base64(signature, {reinterpret_cast<const char*>(digest.data()), digest.size()});
  return {{"webhook-id", call.id}, {"webhook-timestamp", time}, {"webhook-signature", signature}};
}

}  // namespace partita::sinks
