// How HookDestination opens, continues and ends its tumbling windows.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sinks/hook_destination.h"
#include "wire/document.h"

namespace partita::sinks {

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
