#include "sinks/hook_destination.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "auth/sha256.h"
#include "base/blocking_scope.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/thread.h"
#include "net/url.h"
#include "sinks/hook_failure.h"
#include "sinks/runtime_api.h"
#include "table/streams/streams.h"
#include "wire/stream_record.h"

namespace partita::sinks {

namespace {

constexpr int64_t kHookWorkMs = 250;  // of calls, before what they did is reported
constexpr int64_t kTellMs = 10'000;   // of a call of OnFailure
constexpr size_t kHookBytes = size_t{7} << 20;
constexpr size_t kLargestEntry = size_t{1} << 20;  // about
constexpr std::string_view kEventHead = R"({"Records":[)";
constexpr std::string_view kEventTail = "]}";

std::string_view hook_event_name(table::StreamEvent event) {
  switch (event) {
    case table::StreamEvent::kInsert:
      return "INSERT";
    case table::StreamEvent::kModify:
      return "MODIFY";
    case table::StreamEvent::kRemove:
      return "REMOVE";
  }
  PARTITA_CHECK(false);
}

size_t hook_bytes(const Change& change) {
  const table::ItemRecord& record = change.record;
  return change.key.size() + record.keys.size() + record.old_image.size() + record.new_image.size();
}

}  // namespace

HookDestination::HookDestination(ChangeSettings settings, HookOptions options, std::unique_ptr<HookCaller> caller,
                                 const Clock& clock, std::unique_ptr<HookCaller> on_failure)
    : settings_(std::move(settings)),
      options_(std::move(options)),
      caller_(std::move(caller)),
      on_failure_(std::move(on_failure)),
      clock_(clock),
      source_arn_(settings_.arn + "/stream/" + settings_.sink) {}

Result<void> HookDestination::prepare() {
  PARTITA_TRY_VOID(caller_->prepare());
  if (on_failure_) PARTITA_TRY_VOID(on_failure_->prepare());
  return {};
}

ChangeDestination::Limits HookDestination::limits() const {
  const size_t changes = 2 * options_.batch_size * options_.lanes;
  return {.changes = std::clamp<size_t>(changes, 1'000, 20'000), .bytes = kHookBytes};
}

// Whether changes behind these may be kept back by the limits.
bool HookDestination::is_full(std::span<const Change> changes) const {
  if (changes.size() >= limits().changes) return true;
  size_t bytes = 0;
  for (const Change& each : changes) bytes += hook_bytes(each);
  return bytes >= kHookBytes - kLargestEntry;
}

Result<std::string> HookDestination::record(size_t number, const Change& change) const {
  const table::ItemRecord& record = change.record;
  wire::JsonWriter json(512 + 2 * hook_bytes(change));
  wire::StreamRecordWriter writer(json, settings_.id + "/" + std::to_string(number), settings_.region,
                                  "NEW_AND_OLD_IMAGES");
  writer.write_for_lambda(source_arn_);
  const std::string sequence_number = table::sequence_number(change.position);
  PARTITA_TRY_VOID(writer.write({.event = hook_event_name(record.event),
                                 .by_service = record.by_service,
                                 .at_ms = record.at_ms,
                                 .sequence_number = sequence_number,
                                 .keys = record.keys,
                                 .new_image = record.new_image,
                                 .old_image = record.old_image}));
  return std::move(json).take();
}

HookCall HookDestination::call_of(size_t number, std::span<const Change> changes, const std::vector<size_t>& indexes,
                                  std::string records, const std::optional<HookWindow>& window) const {
  HookCall call;
  auth::Sha256 hash;
  hash.add(settings_.id).add("/").add(std::to_string(number));
  for (const size_t index : indexes) {
    call.sequence_numbers.push_back(table::sequence_number(changes[index].position));
    hash.add("/").add(call.sequence_numbers.back());
  }
  call.id = "msg_";
  auth::append_hex(call.id, hash.finish());
  call.body = std::move(records);
  call.body += window ? window_tail(settings_, source_arn_, number, *window, WindowCall::kRecords) : kEventTail;
  call.wants_state = window.has_value();
  return call;
}

void HookDestination::load(Slice& slice, const std::string& state) const {
  if (std::exchange(slice.loaded, true)) return;
  slice.lanes.resize(options_.lanes);
  std::string_view text = state;
  slice.window = take_window(text);
  if (options_.tumbling_ms == 0) slice.window.reset();
  std::vector<StoredLane> stored = hook_lanes_from(text, options_.lanes);
  for (size_t i = 0; i < stored.size(); ++i) {
    slice.lanes[i].upto = stored[i].upto;
    slice.lanes[i].given_up = std::move(stored[i].given_up);
    slice.lanes[i].calls.restore(stored[i].parts);
  }
}

const GivenUp* HookDestination::Lane::find(const storage::Position& position) const {
  const auto after = std::ranges::upper_bound(given_up, position, {}, &GivenUp::first);
  if (after == given_up.begin()) return nullptr;
  const GivenUp& one = *std::prev(after);
  return position <= one.last ? &one : nullptr;
}

Result<void> HookDestination::look_at(size_t number, Slice& slice, std::span<const Change> changes) const {
  if (changes.empty()) slice.seen.clear();
  while (!slice.seen.empty() && slice.seen.front().position < changes.front().position) slice.seen.pop_front();
  if (!slice.seen.empty() && slice.seen.front().position != changes.front().position) slice.seen.clear();
  for (size_t i = slice.seen.size(); i < changes.size(); ++i) {
    const Change& change = changes[i];
    Seen seen{.position = change.position};
    if (options_.lanes > 1) seen.lane = hash64(change.key) % options_.lanes;
    const std::optional<storage::Position>& upto = slice.lanes[seen.lane].upto;
    if (upto && change.position <= *upto) {
      const GivenUp* const given_up = slice.lanes[seen.lane].find(change.position);
      seen.fate = given_up == nullptr ? Fate::kDone : Fate::kRejected;
      if (given_up != nullptr) seen.reason = given_up->reason;
    } else if (!options_.filter.empty()) {
      const auto json = record(number, change);
      const auto is_sent = json.ok() ? options_.filter.matches(*json) : Result<bool>(json.error());
      if (!is_sent.ok() && is_sent.error().kind() == ErrorKind::kUnavailable) return is_sent.error();
      if (!is_sent.ok()) {
        seen.fate = Fate::kRejected;
        seen.reason = is_sent.error().sentence();
      } else if (!*is_sent) {
        seen.fate = Fate::kDone;
      }
    }
    slice.seen.push_back(std::move(seen));
  }
  return {};
}

// Of each lane, the changes of its next call, were it made now. Those that are too old are rejected.
std::vector<std::vector<size_t>> HookDestination::waiting(Slice& slice, std::span<const Change> changes) const {
  std::vector<std::vector<size_t>> found(slice.lanes.size());
  std::vector<bool> complete(slice.lanes.size());
  const int64_t now_ms = clock_.now_ms();
  for (size_t i = 0; i < changes.size(); ++i) {
    Seen& seen = slice.seen[i];
    Lane& lane = slice.lanes[seen.lane];
    if (seen.fate != Fate::kWaits || complete[seen.lane]) continue;
    if (options_.most_age_ms >= 0 && now_ms - changes[i].record.at_ms > options_.most_age_ms) {
      complete[seen.lane] = !found[seen.lane].empty();
      if (complete[seen.lane]) continue;
      seen.fate = Fate::kRejected;
      seen.reason = "It is older than MaximumRecordAgeInSeconds.";
      if (!lane.trouble.empty()) seen.reason += " " + lane.trouble;
      seen.is_untold = seen.is_too_old = true;
      seen.calls = lane.calls.failures();
      lane.calls.pass(1);
      continue;
    }
    std::vector<size_t>& taken = found[seen.lane];
    complete[seen.lane] = options_.tumbling_ms > 0 &&
                          changes[i].record.at_ms >= window_end_ms(slice, changes[taken.empty() ? i : taken.front()]);
    if (complete[seen.lane]) continue;
    taken.push_back(i);
    complete[seen.lane] = taken.size() >= lane.calls.batch_size(options_);
  }
  return found;
}

std::vector<HookDestination::Batch> HookDestination::gather(size_t number, Slice& slice,
                                                            std::span<const Change> changes) const {
  std::vector<Batch> batches;
  const int64_t now_ns = clock_.monotonic_ns();
  const bool full = is_full(changes);
  std::vector<std::vector<size_t>> found = waiting(slice, changes);
  for (size_t i = 0; i < found.size(); ++i) {
    Lane& lane = slice.lanes[i];
    if (found[i].empty()) {
      lane.window_ns.reset();
      lane.trouble.clear();
      continue;
    }
    if (!lane.window_ns) lane.window_ns = now_ns;
    const int64_t window_end_ns =
        std::min(*lane.window_ns + options_.window_ms * kNsPerMs, tumbles_at_ns(slice, changes, found[i]));
    const bool waits =
        found[i].size() < lane.calls.batch_size(options_) && !lane.calls.retries() && !full && now_ns < window_end_ns;
    lane.until_ns = std::max(lane.calls.retry_at_ns(), waits ? window_end_ns : 0);
    if (now_ns < lane.until_ns) continue;
    Batch batch;
    batch.lane = i;
    batch.indexes = std::move(found[i]);
    fill(number, slice, changes, batch);
    if (!batch.indexes.empty()) batches.push_back(std::move(batch));
  }
  return batches;
}

// Makes the event. Changes that do not fit into it stay behind; those that fit into none are rejected.
void HookDestination::fill(size_t number, Slice& slice, std::span<const Change> changes, Batch& batch) const {
  std::string records(kEventHead);
  std::vector<size_t> taken;
  size_t tail = kEventTail.size();
  if (options_.tumbling_ms > 0) {
    batch.window = slice.window ? *slice.window
                                : HookWindow::at(changes[batch.indexes.front()].record.at_ms, options_.tumbling_ms);
    tail = window_tail(settings_, source_arn_, number, *batch.window, WindowCall::kRecords).size();
  }
  for (const size_t index : batch.indexes) {
    const auto json = record(number, changes[index]);
    const bool fits_alone = json.ok() && kEventHead.size() + json->size() + tail <= kMostEventBytes;
    if (!fits_alone) {
      // It has to be the first of its lane, as changes are done in order.
      if (!taken.empty()) break;
      slice.seen[index].fate = Fate::kRejected;
      slice.seen[index].reason =
          json.ok() ? "The record is larger than an event may be, 6 MiB." : std::string(json.error().sentence());
      slice.lanes[batch.lane].calls.pass(1);
      continue;
    }
    if (records.size() + 1 + json->size() + tail > kMostEventBytes) break;
    if (!taken.empty()) records += ',';
    records += *json;
    taken.push_back(index);
  }
  batch.indexes = std::move(taken);
  batch.call = call_of(number, changes, batch.indexes, std::move(records), batch.window);
}

void HookDestination::call_all(size_t number, std::vector<Batch>& batches) {
  const auto line = [number](const Batch& batch) { return number * HookOptions::kMostLanes + batch.lane; };
  std::vector<Thread> threads;
  std::vector<Batch*> own;
  for (Batch& batch : batches) {
    if (&batch == &batches.front() || !lane_threads_.take()) {
      own.push_back(&batch);
      continue;
    }
    auto thread = Thread::start("hook lane", [this, &batch, at = line(batch)](const std::stop_token&) {
      const BlockingScope blocking;
      call_hook(*caller_, at, batch.call, batch.answer);
    });
    if (thread.ok()) {
      threads.push_back(std::move(*thread));
    } else {
      lane_threads_.give_back();
      own.push_back(&batch);
    }
  }
  for (Batch* const batch : own) {
    if (batch != own.front() && caller_->hurries()) {
      batch->answer = {.kind = HookAnswer::Kind::kMissed, .reason = "The sink is interrupted."};
    } else {
      call_hook(*caller_, line(*batch), batch->call, batch->answer);
    }
  }
  for (Thread& thread : threads) {
    thread.join();
    lane_threads_.give_back();
  }
}

void HookDestination::take(Slice& slice, Batch& batch) const {
  Lane& lane = slice.lanes[batch.lane];
  const int64_t now_ns = clock_.monotonic_ns();
  if (batch.answer.kind == HookAnswer::Kind::kMissed) {
    lane.calls.miss(now_ns);
    lane.until_ns = lane.calls.retry_at_ns();
    lane.trouble = reason_of(batch.answer);
    return;
  }
  lane.window_ns.reset();
  HookLane::Failed failed{.done = batch.indexes.size()};
  if (batch.answer.kind == HookAnswer::Kind::kDone) {
    lane.calls.succeed(batch.indexes.size());
    lane.trouble.clear();
  } else {
    failed = lane.calls.fail(batch.indexes.size(), batch.answer.first, options_, now_ns);
    lane.trouble = batch.answer.reason;
  }
  lane.until_ns = lane.calls.retry_at_ns();
  for (size_t i = 0; i < failed.done + failed.discarded; ++i) {
    Seen& seen = slice.seen[batch.indexes[i]];
    seen.fate = i < failed.done ? Fate::kDone : Fate::kRejected;
    if (i < failed.done) continue;
    seen.reason = "No retries are left. " + batch.answer.reason;
    seen.is_untold = true;
    seen.calls = failed.calls;
  }
}

std::vector<size_t> HookDestination::take_untold(size_t number, Slice& slice, std::span<const Change> changes,
                                                 size_t from, HookCall& event) const {
  const Seen& first = slice.seen[from];
  std::vector<size_t> taken;
  std::string records(kEventHead);
  for (size_t i = from; i < changes.size() && taken.size() < options_.batch_size; ++i) {
    Seen& seen = slice.seen[i];
    if (seen.lane != first.lane || !seen.is_untold) continue;
    if (seen.is_too_old != first.is_too_old || seen.calls != first.calls) break;
    const auto json = record(number, changes[i]);
    if (!json.ok() || records.size() + 1 + json->size() + kEventTail.size() > kMostEventBytes) {
      if (!taken.empty()) break;
      seen.is_untold = false;  // no event has room for it
      return taken;
    }
    if (!taken.empty()) records += ',';
    records += *json;
    taken.push_back(i);
  }
  for (const size_t index : taken) slice.seen[index].is_untold = false;
  event = call_of(number, changes, taken, std::move(records), std::nullopt);
  return taken;
}

void HookDestination::tell(size_t number, Slice& slice, std::span<const Change> changes) const {
  if (!on_failure_) return;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!slice.seen[i].is_untold) continue;
    HookCall event;
    const std::vector<size_t> told = take_untold(number, slice, changes, i, event);
    if (told.empty() || on_failure_->hurries() || clock_.monotonic_ns() < slice.tells_from_ns) continue;
    const HookFailure failure{.is_too_old = slice.seen[i].is_too_old,
                              .calls = slice.seen[i].calls,
                              .slice = number,
                              .first_ms = changes[told.front()].record.at_ms,
                              .last_ms = changes[told.back()].record.at_ms};
    HookAnswer answer;
    call_hook(*on_failure_, number * HookOptions::kMostLanes,
              failure_call(settings_, source_arn_, failure, event, clock_.now_ms()), answer);
    const bool is_told = answer.kind == HookAnswer::Kind::kDone;
    const std::string why = is_told ? "" : " OnFailure: " + reason_of(answer);
    for (const size_t index : told) {
      if (is_told) slice.seen[index].fate = Fate::kDone;
      slice.seen[index].reason += why;
    }
    if (!is_told) slice.tells_from_ns = clock_.monotonic_ns() + kTellPauseMs * kNsPerMs;
  }
}

// The changes at the front that are done, and when there is more to do.
void HookDestination::report(Slice& slice, std::span<const Change> changes, ChangesSent& sent) const {
  while (sent.done < changes.size() && slice.seen[sent.done].fate != Fate::kWaits) {
    Seen& seen = slice.seen[sent.done];
    if (seen.fate == Fate::kRejected) sent.rejections.push_back({.index = sent.done, .reason = seen.reason});
    ++sent.done;
  }
  if (changes.empty() && slice.window) {
    const Lane& lane = slice.lanes.front();
    sent.trouble = lane.trouble;
    sent.wants_more = true;
    sent.wait_ms = std::max<int64_t>((lane.until_ns - clock_.monotonic_ns() + kNsPerMs - 1) / kNsPerMs, 1);
  }
  if (sent.done == changes.size()) return;
  std::vector<bool> blocked(slice.lanes.size());
  const int64_t now_ns = clock_.monotonic_ns();
  int64_t until_ns = INT64_MAX;
  for (size_t i = sent.done; i < changes.size(); ++i) {
    const Seen& seen = slice.seen[i];
    if (seen.fate != Fate::kWaits || blocked[seen.lane]) continue;
    blocked[seen.lane] = true;
    const Lane& lane = slice.lanes[seen.lane];
    if (sent.trouble.empty()) sent.trouble = lane.trouble;
    until_ns = std::min(until_ns, lane.until_ns);
  }
  sent.wants_more = true;
  sent.wait_ms = std::max<int64_t>((until_ns - now_ns + kNsPerMs - 1) / kNsPerMs, 1);
}

// A lane is done up to the first of its changes that waits. What it has given up until there is noted, since its letter
// is written when the slice comes to it.
std::string HookDestination::text_of(const Slice& slice, size_t done) const {
  std::vector<StoredLane> stored(slice.lanes.size());
  std::vector<bool> ends(slice.lanes.size());
  std::vector<bool> holds(slice.lanes.size());  // not all that was given up is noted
  std::vector<bool> extends(slice.lanes.size());
  size_t given_up = 0;
  for (size_t i = done; i < slice.seen.size(); ++i) {
    const Seen& seen = slice.seen[i];
    StoredLane& lane = stored[seen.lane];
    if (ends[seen.lane]) continue;
    const bool adds =
        seen.fate == Fate::kRejected && !(extends[seen.lane] && lane.given_up.back().reason == seen.reason);
    holds[seen.lane] = adds && given_up == StoredLane::kMostGivenUp;
    ends[seen.lane] = seen.fate == Fate::kWaits || holds[seen.lane];
    if (ends[seen.lane]) continue;
    if (adds) {
      lane.given_up.push_back({.first = seen.position, .last = seen.position, .reason = seen.reason});
      ++given_up;
    }
    extends[seen.lane] = seen.fate == Fate::kRejected;
    if (extends[seen.lane]) lane.given_up.back().last = seen.position;
    lane.upto = seen.position;
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!holds[i]) stored[i].parts = slice.lanes[i].calls.parts();
    // After a restart, fewer changes may be there at first than the lane was ahead.
    const Lane& lane = slice.lanes[i];
    if (ends[i] || !lane.upto || slice.seen.empty() || *lane.upto <= slice.seen.back().position) continue;
    stored[i].upto = lane.upto;
    std::vector<GivenUp>& all = stored[i].given_up;
    for (const GivenUp& one : lane.given_up) {
      if (one.last <= slice.seen.back().position) continue;
      if (!all.empty() && one.first <= all.back().last) {
        all.back().last = one.last;
      } else {
        all.push_back(one);
      }
    }
  }
  return slice.window ? window_text(*slice.window) + hook_text(stored) : hook_text(stored);
}

Result<ChangesSent> HookDestination::send(size_t slice, std::span<const Change> changes, std::string& state) {
  Slice& own = slices_[slice];
  load(own, state);
  PARTITA_TRY_VOID(look_at(slice, own, changes));
  const int64_t until_ns = clock_.monotonic_ns() + kHookWorkMs * kNsPerMs;
  while (!caller_->hurries()) {
    if (window_is_over(own, changes)) {
      if (!end_window(slice, own)) break;
      if (clock_.monotonic_ns() >= until_ns) break;
      continue;
    }
    std::vector<Batch> batches = gather(slice, own, changes);
    call_all(slice, batches);
    for (Batch& batch : batches) {
      take_state(slice, own, batch);
      take(own, batch);
    }
    tell(slice, own, changes);
    if (batches.empty()) break;
    if (clock_.monotonic_ns() >= until_ns) break;
  }
  ChangesSent sent;
  report(own, changes, sent);
  state = text_of(own, sent.done);
  return sent;
}

std::optional<int64_t> HookDestination::due_ms(std::string_view state) const {
  const auto end_ms = options_.tumbling_ms > 0 ? window_end_in(state) : std::nullopt;
  return end_ms ? std::optional(*end_ms + HookWindow::kLateMs) : std::nullopt;
}

Result<ChangesSent> HookDestination::resend(size_t slice, std::span<const Change> changes) {
  ChangesSent sent;
  const int64_t until_ns = clock_.monotonic_ns() + kHookWorkMs * kNsPerMs;
  for (; sent.done < changes.size(); ++sent.done) {
    if (sent.done > 0 && (clock_.monotonic_ns() >= until_ns || caller_->hurries())) break;
    const auto json = record(slice, changes[sent.done]);
    if (!json.ok()) {
      sent.rejections.push_back({.index = sent.done, .reason = std::string(json.error().sentence())});
      continue;
    }
    HookAnswer answer = call_alone(slice, changes[sent.done], std::string(kEventHead) + *json);
    if (answer.kind == HookAnswer::Kind::kMissed) {
      sent.trouble = reason_of(answer);
      break;
    }
    if (answer.kind == HookAnswer::Kind::kFailed) {
      sent.rejections.push_back({.index = sent.done, .reason = std::move(answer.reason)});
    }
  }
  return sent;
}

namespace {

// OnFailure's; nullptr if the option is absent.
Result<std::unique_ptr<HookCaller>> make_on_failure(const ChangeSettings& settings, const HookOptions& options,
                                                    std::stop_token hurry) {
  if (options.on_failure.empty()) return std::unique_ptr<HookCaller>();
  ChangeSettings told = settings;
  told.url = options.on_failure;
  HookOptions calls;
  calls.timeout_ms = kTellMs;
  auto caller = make_http_hook(told, calls, system_clock(), std::move(hurry));
  if (caller.ok()) return std::move(*caller);
  return Error(ErrorKind::kInvalid, "The option OnFailure: " + std::string(caller.error().sentence()));
}

}  // namespace

Result<std::unique_ptr<ChangeDestination>> make_hook_destination(const ChangeSettings& settings,
                                                                 std::stop_token hurry) {
  PARTITA_TRY(HookOptions options, HookOptions::from(settings.options));
  PARTITA_TRY(auto caller, make_http_hook(settings, options, system_clock(), hurry));
  PARTITA_TRY(auto on_failure, make_on_failure(settings, options, std::move(hurry)));
  return std::unique_ptr<ChangeDestination>(std::make_unique<HookDestination>(
      settings, std::move(options), std::move(caller), system_clock(), std::move(on_failure)));
}

Result<std::unique_ptr<ChangeDestination>> make_runtime_destination(const ChangeSettings& settings,
                                                                    std::stop_token hurry) {
  constexpr std::string_view kScheme = "runtime://";
  PARTITA_TRY(HookOptions options, HookOptions::from(settings.options));
  const bool has_files = !settings.credentials_file.empty() || !settings.authority_file.empty();
  if (has_files && options.on_failure.empty()) {
    return Error(ErrorKind::kInvalid, "A runtime takes no credentials and no authorities, but for OnFailure.");
  }
  const std::string place = settings.url.substr(std::min(kScheme.size(), settings.url.size()));
  const auto parsed = net::Url::parse("http://" + place);
  uint16_t port = 0;
  const bool is_place = parsed.ok() && place.find_first_of("/?#") == std::string::npos;
  const std::string_view digits = is_place ? std::string_view(place).substr(place.rfind(':') + 1) : "";
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_here = parsed.ok() && (parsed->host == "localhost" || parsed->host.starts_with("127.") ||
                                       parsed->host == "[::1]" || parsed->host == "::1");
  if (!is_place || !is_here || error != std::errc() || end != digits.data() + digits.size() || port == 0) {
    return Error(ErrorKind::kInvalid,
                 "The URL of a runtime is runtime://HOST:PORT, with localhost, 127.0.0.1 or [::1].");
  }
  PARTITA_TRY(auto on_failure, make_on_failure(settings, options, hurry));
  auto caller = std::make_unique<RuntimeApi>(parsed->host, port, settings, options, system_clock(), std::move(hurry));
  return std::unique_ptr<ChangeDestination>(std::make_unique<HookDestination>(
      settings, std::move(options), std::move(caller), system_clock(), std::move(on_failure)));
}

}  // namespace partita::sinks
