#include "clusters/events.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "clusters/store.h"
#include "model/fault.h"

namespace partita::clusters {

namespace {

using model::Fault;
using model::refuse;

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kDayMs = 24 * 60 * kMinuteMs;

struct Times {
  int64_t from_ms;
  int64_t to_ms;
};

// Milliseconds of a sent time; times beyond any clock are those at its ends.
Result<int64_t> ms_of(double seconds, std::string_view member) {
  constexpr double kMost = 1e12;
  if (!std::isfinite(seconds) || std::abs(seconds) > kMost) {
    return refuse(Fault::kClusterValue, {std::string(member), "must be a time in seconds since 1970"});
  }
  return static_cast<int64_t>(std::llround(seconds * 1'000));
}

Result<Times> times_of(const api::EventsRequest& request, int64_t now_ms) {
  if (request.start_s && request.end_s && request.minutes) {
    return refuse(Fault::kClusterCombination, {"Use two of StartTime, EndTime and Duration, not all."});
  }
  constexpr int64_t kMostMinutes = kEventsKeptMs / kMinuteMs;
  const int64_t minutes = request.minutes.value_or(kDayMs / kMinuteMs);
  if (minutes < 1 || minutes > kMostMinutes) {
    return refuse(Fault::kClusterValue, {"Duration", "must be between 1 and 20160 minutes"});
  }
  Times times{0, now_ms};
  if (request.end_s) {
    PARTITA_TRY(times.to_ms, ms_of(*request.end_s, "EndTime"));
  }
  if (request.start_s) {
    PARTITA_TRY(times.from_ms, ms_of(*request.start_s, "StartTime"));
    if (request.minutes) times.to_ms = times.from_ms + minutes * kMinuteMs;
  } else {
    times.from_ms = times.to_ms - minutes * kMinuteMs;
  }
  if (times.from_ms <= times.to_ms || !request.end_s) return times;
  return refuse(Fault::kClusterCombination, {"StartTime must not be later than EndTime."});
}

// The place of an event, newest first.
struct EventPlace {
  int64_t at_ms = 0;
  uint64_t number = 0;
};

std::string place_text(const Event& event) { return std::to_string(event.at_ms) + "." + std::to_string(event.number); }

// What cannot be read is before all events.
EventPlace place_from(std::string_view text) {
  EventPlace place{std::numeric_limits<int64_t>::min(), 0};
  const char* const end = text.data() + text.size();
  const auto time = std::from_chars(text.data(), end, place.at_ms);
  if (time.ec == std::errc() && time.ptr != end) std::from_chars(time.ptr + 1, end, place.number);
  return place;
}

}  // namespace

Task<Result<PageOf<Event>>> list_events(table::TableContext& context, const api::EventsRequest& request) {
  PARTITA_CO_TRY(const Times times, times_of(request, context.clock().now_ms()));
  PARTITA_CO_TRY(std::vector<Event> events, co_await read_events(context));
  std::erase_if(events, [&](const Event& event) {
    const bool wanted = event.at_ms >= times.from_ms && event.at_ms <= times.to_ms &&
                        (!request.source || event.source == *request.source) &&
                        (!request.name || event.name == *request.name);
    return !wanted;
  });
  co_return page_of(
      std::move(events), request.page, "events:", [](const Event& one) { return place_text(one); },
      [](const Event& one, std::string_view text) {
        const EventPlace last = place_from(text);
        return one.at_ms < last.at_ms || (one.at_ms == last.at_ms && one.number < last.number);
      });
}

}  // namespace partita::clusters
