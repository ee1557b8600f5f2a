#include "table/scaling/schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>

#include "model/fault.h"

namespace partita::table {

namespace {

namespace chrono = std::chrono;

constexpr int64_t kMinuteOfMs = 60'000;
constexpr int64_t kDayOfMs = 24 * 60 * kMinuteOfMs;

constexpr std::array<std::string_view, 12> kMonthNames = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kDayNames = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

// Digits alone.
std::optional<int64_t> digits_in(std::string_view text) {
  constexpr size_t kMostDigits = 9;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

// The text before `separator`, which is removed with it; all of the text if there is none.
std::string_view cut(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return before;
}

// The inside of "NAME(...)".
std::optional<std::string_view> inside_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(name.size());
  if (!text.starts_with('(')) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// A field of cron: its least value, its greatest, and the names of its values.
struct FieldRange {
  int64_t first;
  int64_t last;
  std::span<const std::string_view> names = {};

  std::optional<int64_t> value(std::string_view text) const {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) return first + static_cast<int64_t>(i);
    }
    const auto number = digits_in(text);
    return number && *number >= first && *number <= last ? number : std::nullopt;
  }
};

// "*", "5", "MON-FRI", "0/15" or "10-20/2": calls mark() with each value.
template <class Mark>
bool mark_part(std::string_view part, const FieldRange& range, Mark mark) {
  const bool steps = part.contains('/');
  const std::string_view values = cut(part, '/');
  const auto step = steps ? digits_in(part) : std::optional<int64_t>(1);
  if (!step || *step == 0) return false;
  int64_t first = range.first;
  int64_t last = range.last;
  if (values != "*") {
    std::string_view rest = values;
    const bool spans = rest.contains('-');
    const auto from = range.value(cut(rest, '-'));
    const auto to = spans ? range.value(rest) : from;
    if (!from || !to || *to < *from) return false;
    first = *from;
    last = spans || !steps ? *to : range.last;
  }
  for (int64_t value = first; value <= last; value += *step) mark(value);
  return true;
}

template <size_t kBits>
bool mark_field(std::string_view text, const FieldRange& range, std::bitset<kBits>& marked, int64_t offset = 0) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const bool more = text.contains(',');
    const auto mark = [&](int64_t value) { marked.set(static_cast<size_t>(value - offset)); };
    if (!mark_part(cut(text, ','), range, mark) || (more && text.empty())) return false;
  }
  return true;
}

int weekday_of(chrono::sys_days day) { return static_cast<int>(chrono::weekday(day).c_encoding()) + 1; }

// The day of the month that is the weekday nearest to `wanted`, in the same month.
int nearest_weekday(chrono::year_month month, int wanted) {
  const auto last = static_cast<int>(unsigned{chrono::year_month_day_last(month / chrono::last).day()});
  if (wanted > last) return 0;
  const int weekday = weekday_of(chrono::sys_days(month / chrono::day(static_cast<unsigned>(wanted))));
  constexpr int kSunday = 1;
  constexpr int kSaturday = 7;
  if (weekday == kSaturday) return wanted == 1 ? 3 : wanted - 1;
  if (weekday == kSunday) return wanted == last ? wanted - 2 : wanted + 1;
  return wanted;
}

}  // namespace

std::optional<Schedule::At> Schedule::parse_at(std::string_view text) {
  std::string_view date = cut(text, 'T');
  const auto year = digits_in(cut(date, '-'));
  const auto month = digits_in(cut(date, '-'));
  const auto day = digits_in(date);
  const auto hour = digits_in(cut(text, ':'));
  const auto minute = digits_in(cut(text, ':'));
  const auto second = digits_in(text);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const chrono::year_month_day calendar{chrono::year(static_cast<int>(*year)),
                                        chrono::month(static_cast<unsigned>(*month)),
                                        chrono::day(static_cast<unsigned>(*day))};
  const bool sound = *year <= Cron::kLastYear && calendar.ok() && *hour < 24 && *minute < 60 && *second < 60;
  if (!sound) return std::nullopt;
  const int64_t days = chrono::sys_days(calendar).time_since_epoch().count();
  return At{days * kDayOfMs + (*hour * 60 + *minute) * kMinuteOfMs + *second * 1000};
}

std::optional<Schedule::Rate> Schedule::parse_rate(std::string_view text) {
  const auto count = digits_in(cut(text, ' '));
  if (!count || *count == 0) return std::nullopt;
  // "rate(1 hour)", but "rate(5 hours)": either word is taken for any number.
  if (text.ends_with('s')) text.remove_suffix(1);
  if (text == "minute") return Rate{*count * kMinuteOfMs};
  if (text == "hour") return Rate{*count * 60 * kMinuteOfMs};
  if (text == "day") return Rate{*count * kDayOfMs};
  return std::nullopt;
}

bool Schedule::parse_days(std::string_view text, Cron& cron) {
  constexpr FieldRange kDays{1, 31};
  if (text == "L") return cron.last_day = true;
  if (text == "LW") return cron.near_last = true;
  if (text.ends_with('W')) {
    const auto day = kDays.value(text.substr(0, text.size() - 1));
    cron.near_day = static_cast<int>(day.value_or(0));
    return day.has_value();
  }
  return mark_field(text, kDays, cron.days);
}

bool Schedule::parse_weekdays(std::string_view text, Cron& cron) {
  const FieldRange weekdays{1, 7, kDayNames};
  if (text == "L") {
    cron.weekdays.set(7);
    return true;
  }
  if (text.ends_with('L')) {
    const auto day = weekdays.value(text.substr(0, text.size() - 1));
    cron.last_weekday = static_cast<int>(day.value_or(0));
    return day.has_value();
  }
  if (text.contains('#')) {
    const auto day = weekdays.value(cut(text, '#'));
    const auto nth = FieldRange{1, 5}.value(text);
    cron.nth_weekday = static_cast<int>(day.value_or(0));
    cron.nth = static_cast<int>(nth.value_or(0));
    return day && nth;
  }
  return mark_field(text, weekdays, cron.weekdays);
}

std::optional<Schedule::Cron> Schedule::parse_cron(std::string_view text) {
  std::array<std::string_view, 6> fields;
  for (std::string_view& field : fields) field = cut(text, ' ');
  if (!text.empty()) return std::nullopt;
  Cron cron;
  cron.by_weekday = fields[2] == "?";
  if (cron.by_weekday == (fields[4] == "?")) return std::nullopt;
  const bool sound = mark_field(fields[0], {0, 59}, cron.minutes) && mark_field(fields[1], {0, 23}, cron.hours) &&
                     (cron.by_weekday ? parse_weekdays(fields[4], cron) : parse_days(fields[2], cron)) &&
                     mark_field(fields[3], {1, 12, kMonthNames}, cron.months) &&
                     mark_field(fields[5], {Cron::kFirstYear, Cron::kLastYear}, cron.years, Cron::kFirstYear);
  return sound ? std::optional(cron) : std::nullopt;
}

Result<Schedule> Schedule::parse(std::string_view text) {
  std::optional<When> parsed;
  if (const auto at = inside_of(text, "at")) {
    if (const auto moment = parse_at(*at)) parsed = *moment;
  } else if (const auto rate = inside_of(text, "rate")) {
    if (const auto period = parse_rate(*rate)) parsed = *period;
  } else if (const auto cron = inside_of(text, "cron")) {
    if (const auto fields = parse_cron(*cron)) parsed = *fields;
  }
  if (!parsed) return model::refuse(model::Fault::kScalingSchedule, {std::string(text)});
  return Schedule(*parsed);
}

bool Schedule::Cron::has_day(int64_t days_since_1970) const {
  const chrono::sys_days day{chrono::days(days_since_1970)};
  const chrono::year_month_day calendar(day);
  const int year = static_cast<int>(calendar.year());
  const auto of_month = static_cast<int>(unsigned{calendar.day()});
  if (year < kFirstYear || year > kLastYear || !years[static_cast<size_t>(year - kFirstYear)]) return false;
  if (!months[unsigned{calendar.month()}]) return false;
  const chrono::year_month month = calendar.year() / calendar.month();
  const auto last = static_cast<int>(unsigned{chrono::year_month_day_last(month / chrono::last).day()});
  if (!by_weekday) {
    if (last_day) return of_month == last;
    if (near_last) return of_month == nearest_weekday(month, last);
    if (near_day != 0) return of_month == nearest_weekday(month, near_day);
    return days[static_cast<size_t>(of_month)];
  }
  const int weekday = weekday_of(day);
  if (last_weekday != 0) return weekday == last_weekday && of_month > last - 7;
  if (nth != 0) return weekday == nth_weekday && (of_month - 1) / 7 + 1 == nth;
  return weekdays[static_cast<size_t>(weekday)];
}

std::optional<int64_t> Schedule::latest_of(const Cron& cron, int64_t after_ms, int64_t until_ms) {
  for (int64_t day = until_ms / kDayOfMs; day >= std::max<int64_t>(after_ms, 0) / kDayOfMs; --day) {
    if (!cron.has_day(day)) continue;
    for (int64_t minute = 24 * 60 - 1; minute >= 0; --minute) {
      const int64_t ms = day * kDayOfMs + minute * kMinuteOfMs;
      const bool fits = cron.hours[static_cast<size_t>(minute / 60)] && cron.minutes[static_cast<size_t>(minute % 60)];
      if (fits && ms > after_ms && ms <= until_ms) return ms;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> Schedule::latest(int64_t after_ms, int64_t until_ms, int64_t anchor_ms) const {
  if (const auto* const cron = std::get_if<Cron>(&when_)) return latest_of(*cron, after_ms, until_ms);
  std::optional<int64_t> time;
  if (const auto* const at = std::get_if<At>(&when_)) {
    time = at->ms;
  } else if (const auto& rate = std::get<Rate>(when_); until_ms >= anchor_ms) {
    time = anchor_ms + (until_ms - anchor_ms) / rate.period_ms * rate.period_ms;
  }
  return time && *time > after_ms && *time <= until_ms ? time : std::nullopt;
}

}  // namespace partita::table
