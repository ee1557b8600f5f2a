#include "sinks/hook_window.h"

#include <algorithm>
#include <charconv>

#include "auth/sha256.h"
#include "base/bytes.h"
#include "base/log.h"
#include "sinks/hook_destination.h"
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

// Late changes belong to the open window.
int64_t HookDestination::window_end_ms(const Slice& slice, const Change& first) const {
  return slice.window ? slice.window->end_ms : HookWindow::at(first.record.at_ms, options_.tumbling_ms).end_ms;
}

int64_t HookDestination::tumbles_at_ns(const Slice& slice, std::span<const Change> changes,
                                       const std::vector<size_t>& indexes) const {
  if (options_.tumbling_ms == 0) return INT64_MAX;
  // There is one lane: a change behind these that waits is of a later window, or there is no room for it.
  for (size_t i = indexes.back() + 1; i < changes.size(); ++i) {
    if (slice.seen[i].fate == Fate::kWaits) return INT64_MIN;
  }
  const int64_t left_ms = window_end_ms(slice, changes[indexes.front()]) + HookWindow::kLateMs - clock_.now_ms();
  return clock_.monotonic_ns() + std::min(left_ms, options_.window_ms) * kNsPerMs;
}

bool HookDestination::window_is_over(const Slice& slice, std::span<const Change> changes) const {
  if (!slice.window) return false;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (slice.seen[i].fate == Fate::kWaits) return changes[i].record.at_ms >= slice.window->end_ms;
  }
  return changes.empty();
}

bool HookDestination::end_window(size_t number, Slice& slice) const {
  Lane& lane = slice.lanes.front();
  lane.until_ns = lane.calls.retry_at_ns();
  if (clock_.monotonic_ns() < lane.until_ns) return false;
  HookWindow& window = *slice.window;
  HookAnswer answer;
  call_hook(*caller_, number * HookOptions::kMostLanes,
            window_call(settings_, source_arn_, number, window, WindowCall::kFinal), answer);
  if (answer.kind != HookAnswer::Kind::kDone) {
    if (answer.kind == HookAnswer::Kind::kFailed) ++window.failures;
    const bool is_tired = options_.most_retries >= 0 && window.failures > options_.most_retries;
    const bool is_too_old = options_.most_age_ms >= 0 && clock_.now_ms() - window.end_ms > options_.most_age_ms;
    lane.trouble = reason_of(answer);
    if (!is_tired && !is_too_old) {
      lane.calls.miss(clock_.monotonic_ns());
      lane.until_ns = lane.calls.retry_at_ns();
      return false;
    }
    // No dead letter has room for it, as it has no record.
    log(LogLevel::kWarn,
        {"The sink '" + settings_.sink + "' of the table '" + settings_.table +
         "' gives up the last call of the window that began at " + wire::iso_time(window.start_ms) + ": " +
         (is_tired ? "no retries are left. " : "it is older than MaximumRecordAgeInSeconds. ") + lane.trouble});
  }
  slice.window.reset();
  lane.calls.succeed(0);
  lane.until_ns = 0;
  lane.trouble.clear();
  return true;
}

void HookDestination::take_state(size_t number, Slice& slice, Batch& batch) const {
  using Kind = HookAnswer::Kind;
  HookAnswer& answer = batch.answer;
  const size_t done = answer.kind == Kind::kDone     ? batch.indexes.size()
                      : answer.kind == Kind::kFailed ? answer.first
                                                     : 0;
  if (!batch.window || done == 0) return;
  HookWindow window = *std::move(batch.window);
  window.state = std::move(answer.state);
  window.last = batch.call.sequence_numbers[done - 1];
  window.failures = 0;
  if (window.state.size() > HookWindow::kMostState) {
    // Nothing keeps this state: if the call fails, so do the records.
    HookAnswer ended;
    call_hook(*caller_, number * HookOptions::kMostLanes,
              window_call(settings_, source_arn_, number, window, WindowCall::kEarly), ended);
    if (ended.kind != Kind::kDone) {
      answer = {.kind = ended.kind, .reason = "The window's early end: " + reason_of(ended)};
      return;
    }
    window.state = "{}";
  }
  slice.window = std::move(window);
}

HookAnswer HookDestination::call_alone(size_t number, const Change& change, std::string records) const {
  Batch batch;
  if (options_.tumbling_ms > 0) batch.window = HookWindow::at(change.record.at_ms, options_.tumbling_ms);
  const HookCall call = call_of(number, {&change, 1}, {0}, std::move(records), batch.window);
  HookAnswer answer;
  call_hook(*caller_, number * HookOptions::kMostLanes, call, answer);
  if (!batch.window || answer.kind != HookAnswer::Kind::kDone) return answer;
  batch.window->state = std::move(answer.state);
  batch.window->last = call.sequence_numbers.front();
  call_hook(*caller_, number * HookOptions::kMostLanes,
            window_call(settings_, source_arn_, number, *batch.window, WindowCall::kFinal), answer);
  return answer;
}

}  // namespace partita::sinks
