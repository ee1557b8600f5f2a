#include "sinks/hook_window.h"

#include <algorithm>
#include <charconv>

#include "auth/sha256.h"
#include "base/bytes.h"
#include "sinks/hook_failure.h"
#include "wire/document.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kWindowMark = "w=";
constexpr int64_t kLatestMs = int64_t{1} << 60;

// Takes the digits up to the mark, and the mark.
std::optional<int64_t> take_window_number(std::string_view& text, char mark) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto size = static_cast<size_t>(end - text.data());
  if (error != std::errc() || number < 0 || number > kLatestMs || size == text.size() || *end != mark) {
    return std::nullopt;
  }
  text.remove_prefix(size + 1);
  return number;
}

bool is_state(const std::string& text) {
  const auto document = wire::JsonDocument::parse(text);
  return document.ok() && document->root().is(wire::JsonValue::Kind::kObject);
}

}  // namespace

HookWindow HookWindow::at(int64_t at_ms, int64_t width_ms) {
  const int64_t time = std::clamp<int64_t>(at_ms, 0, kLatestMs);
  const int64_t start = time - time % width_ms;
  return {.start_ms = start, .end_ms = start + width_ms};
}

std::string window_tail(const ChangeSettings& settings, std::string_view source_arn, size_t slice,
                        const HookWindow& window, WindowCall kind) {
  wire::JsonWriter json(512 + window.state.size());
  json.begin_object();
  json.begin_object("window");
  json.member("start", wire::iso_time(window.start_ms));
  json.member("end", wire::iso_time(window.end_ms));
  json.end_object();
  json.member("shardId", hook_shard_id(settings, slice));
  json.member("eventSourceARN", source_arn);
  json.member("isFinalInvokeForWindow", kind != WindowCall::kRecords);
  json.member("isWindowTerminatedEarly", kind == WindowCall::kEarly);
  json.end_object();
  const std::string members = std::move(json).take();
  return R"(],"state":)" + window.state + "," + members.substr(1);
}

HookCall window_call(const ChangeSettings& settings, std::string_view source_arn, size_t slice,
                     const HookWindow& window, WindowCall kind) {
  HookCall call;
  auth::Sha256 hash;
  hash.add(settings.id).add("/").add(std::to_string(slice)).add("/window/").add(std::to_string(window.start_ms));
  hash.add("/").add(window.last).add(kind == WindowCall::kEarly ? "/early" : "/final");
  call.id = "msg_";
  auth::append_hex(call.id, hash.finish());
  call.body = R"({"Records":[)" + window_tail(settings, source_arn, slice, window, kind);
  return call;
}

// w=START-END:LAST:FAILURES:STATE;
std::string window_text(const HookWindow& window) {
  std::string text(kWindowMark);
  text += std::to_string(window.start_ms) + "-" + std::to_string(window.end_ms) + ":" + window.last + ":" +
          std::to_string(window.failures) + ":";
  append_base64(text, window.state);
  return text + ";";
}

std::optional<HookWindow> take_window(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.starts_with(kWindowMark)) return std::nullopt;
  rest.remove_prefix(kWindowMark.size());
  HookWindow window;
  const auto start = take_window_number(rest, '-');
  const auto end = start ? take_window_number(rest, ':') : std::nullopt;
  if (!end || *end <= *start) return std::nullopt;
  window.start_ms = *start;
  window.end_ms = *end;
  window.last = rest.substr(0, rest.find(':'));
  rest.remove_prefix(std::min(window.last.size() + 1, rest.size()));
  const auto failures = take_window_number(rest, ':');
  const size_t size = rest.find(';');
  if (!failures || size == std::string_view::npos) return std::nullopt;
  window.failures = *failures;
  auto state = decode_base64(rest.substr(0, size));
  if (!state || state->size() > HookWindow::kMostState || !is_state(*state)) return std::nullopt;
  window.state = *std::move(state);
  rest.remove_prefix(size + 1);
  text = rest;
  return window;
}

std::optional<int64_t> window_end_in(std::string_view text) {
  if (!text.starts_with(kWindowMark)) return std::nullopt;
  text.remove_prefix(kWindowMark.size());
  if (!take_window_number(text, '-')) return std::nullopt;
  return take_window_number(text, ':');
}

}  // namespace partita::sinks
