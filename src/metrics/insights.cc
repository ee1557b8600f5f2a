#include "metrics/insights.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/log.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;
using table::SystemRow;

constexpr uint8_t kInsightFormat = 1;
constexpr size_t kInsightRowsAtOnce = 100;
constexpr size_t kPageOfInsights = 1'000;
constexpr size_t kPageOfInsightsBytes = size_t{4} << 20;
constexpr size_t kMostInsightsWaiting = 1'000;
// Beyond this, a report forgets the lesser half.
constexpr size_t kMostContributors = 20'000;

// The key of a rule's rows, up to the minute.
std::string subject_bytes(const InsightSubject& of) {
  std::string bytes;
  append_u32(bytes, of.table_id);
  append_u16(bytes, of.index_id);
  bytes.push_back(static_cast<char>(of.kind));
  return bytes;
}
constexpr size_t kSubjectBytes = 7;

std::string from_minute(const InsightSubject& of, int64_t minute) {
  std::string rest = subject_bytes(of);
  append_u32(rest, static_cast<uint32_t>(std::clamp<int64_t>(minute, 0, UINT32_MAX)));
  return table::system_key(SystemRow::kInsights, rest).bytes;
}

Key insight_key(const InsightSubject& of, int64_t minute, uint64_t server) {
  std::string rest = subject_bytes(of);
  append_u32(rest, static_cast<uint32_t>(minute));
  append_u64(rest, server);
  return table::system_key(SystemRow::kInsights, rest);
}

// Nullopt: the key is none of these.
std::optional<int64_t> minute_of_key(std::string_view key) {
  const size_t before = table::system_key(SystemRow::kInsights).bytes.size() + kSubjectBytes;
  if (key.size() != before + sizeof(uint32_t) + sizeof(uint64_t)) return std::nullopt;
  key.remove_prefix(before);
  return take_u32(key);
}

void complain_of_insights(const InsightSubject& of) {
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (!throttle.pass(unsaid)) return;
  log(LogLevel::kError, {"A row of Contributor Insights of the table with the id ", std::to_string(of.table_id),
                         " is damaged. Reports leave it out."});
}

// Sums up rows, which come by minute.
class Reporting {
 public:
  Reporting(InsightSubject of, int64_t from, int64_t period_minutes)
      : scale_(is_of_throttles(of.kind) ? 1 : 0.5), from_(from), period_(period_minutes) {}

  void add(int64_t minute, InsightMinute row) {
    if (minute != minute_) end_minute();
    minute_ = minute;
    InsightPeriod& period = periods_[begin_of(minute)];
    period.events += static_cast<double>(row.events);
    period.sum += static_cast<double>(row.total) * scale_;
    for (InsightKey& key : row.keys) of_minute_[std::move(key.key)] += key.value;
  }

  InsightReport finish() {
    end_minute();
    InsightReport report;
    for (auto& [key, contributor] : contributors_) {
      for (const auto& [begin, sum] : contributor.periods) {
        InsightPeriod& period = periods_[begin];
        period.greatest = std::max(period.greatest, sum);
        period.kept_sum += sum;
        period.contributors += 1;
      }
      contributor.key = key;
      report.contributors.push_back(std::move(contributor));
    }
    for (const auto& [begin, period] : periods_) report.sum += period.sum;
    report.periods = std::move(periods_);
    return report;
  }

 private:
  int64_t begin_of(int64_t minute) const { return minute - (minute - from_) % period_; }

  // Servers add up within a minute, before its least and its greatest value are known.
  void end_minute() {
    for (const auto& [key, value] : of_minute_) {
      const double amount = static_cast<double>(value) * scale_;
      Contributor& contributor = contributors_[key];
      contributor.sum += amount;
      contributor.most = std::max(contributor.most, amount);
      contributor.periods[begin_of(minute_)] += amount;
      InsightPeriod& period = periods_[begin_of(minute_)];
      period.least = period.most == 0 ? amount : std::min(period.least, amount);
      period.most = std::max(period.most, amount);
    }
    of_minute_.clear();
    if (contributors_.size() > kMostContributors) forget_half();
  }

  void forget_half() {
    std::vector<double> sums;
    for (const auto& [key, contributor] : contributors_) sums.push_back(contributor.sum);
    const auto middle = sums.begin() + static_cast<ptrdiff_t>(sums.size() / 2);
    std::ranges::nth_element(sums, middle);
    const double least = *middle;
    std::erase_if(contributors_, [&](const auto& one) { return one.second.sum < least; });
    // Many may have the same.
    std::erase_if(contributors_, [&, surplus = contributors_.size()](const auto& one) mutable {
      return one.second.sum == least && surplus-- > kMostContributors / 2;
    });
  }

  const double scale_;
  const int64_t from_;
  const int64_t period_;
  int64_t minute_ = -1;
  std::map<std::string, uint64_t> of_minute_;
  std::map<std::string, Contributor> contributors_;
  std::map<int64_t, InsightPeriod> periods_;
};

}  // namespace

std::string insight_row(const InsightMinute& minute) {
  std::string keys;
  uint64_t count = 0;
  for (const InsightKey& key : minute.keys) {
    const size_t before = keys.size();
    append_sized(keys, key.key);
    append_varint(keys, key.value);
    if (count > 0 && keys.size() > kMostInsightBytes) {
      keys.resize(before);
      break;
    }
    ++count;
  }
  std::string row(1, char{kInsightFormat});
  append_varint(row, minute.total);
  append_varint(row, minute.events);
  append_varint(row, count);
  return row + keys;
}

Result<InsightMinute> read_insight_row(std::string_view row) {
  const auto format = take_u8(row);
  if (format && *format > kInsightFormat) {
    return Error(ErrorKind::kInvalid, "a row of Contributor Insights is of a newer version of Partita.");
  }
  InsightMinute minute;
  const auto total = take_varint(row);
  const auto events = take_varint(row);
  const auto count = take_varint(row);
  bool sound = format && total && events && count;
  for (uint64_t left = count.value_or(0); left > 0 && sound; --left) {
    const auto key = take_sized(row);
    const auto value = take_varint(row);
    sound = key && value;
    if (sound) minute.keys.push_back({std::string(*key), *value});
  }
  if (!sound || !row.empty()) return Error(ErrorKind::kCorrupt, "a row of Contributor Insights is damaged.");
  minute.total = *total;
  minute.events = *events;
  return minute;
}

Task<Result<void>> InsightRecorder::record(storage::Engine& engine, std::vector<InsightMinute> counted,
                                           int64_t minute) {
  // Rows of that minute must not be replaced.
  if (minute <= last_minute_) ++server_;
  last_minute_ = minute;
  for (const InsightMinute& one : counted) {
    if (waiting_.size() < kMostInsightsWaiting) {
      waiting_.push_back({insight_key(one.of, minute, server_), insight_row(one)});
    }
  }
  for (size_t begin = 0; begin < waiting_.size(); begin += kInsightRowsAtOnce) {
    const size_t end = std::min(waiting_.size(), begin + kInsightRowsAtOnce);
    const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
      for (size_t i = begin; i < end; ++i) changes.put(waiting_[i].key, waiting_[i].value);
      return Decision::kCommit;
    };
    std::vector<Key> keys;
    std::vector<storage::Compare> compare;
    auto outcome = co_await engine.transact(std::move(keys), std::move(compare), decide);
    if (!outcome.ok()) co_return std::move(outcome).error();
  }
  waiting_.clear();
  co_return Result<void>();
}

Task<Result<void>> erase_old_insights(storage::Engine& engine, int64_t now_minute) {
  const size_t prefix = table::system_key(SystemRow::kInsights).bytes.size();
  storage::Range all = table::system_rows(SystemRow::kInsights);
  while (true) {
    auto scanned = co_await engine.scan(all, storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    if (page.empty()) co_return Result<void>();
    // The rows of one rule, but those of the minutes that are kept.
    const std::string of = std::string(page[0].key.substr(0, prefix + kSubjectBytes));
    storage::Range old{of, of};
    append_u32(old.end, static_cast<uint32_t>(std::max<int64_t>(now_minute - kKeptMinutes, 0)));
    storage::Range ahead{of, storage::range_of(of).end};
    append_u32(ahead.begin, static_cast<uint32_t>(std::min<int64_t>(now_minute + kKeptMinutes + 1, UINT32_MAX)));
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(engine, std::move(old)));
    all.begin = ahead.end;
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(engine, std::move(ahead)));
  }
}

Task<Result<InsightReport>> read_insights(storage::Engine& engine, InsightSubject of, InsightSpan span) {
  Reporting reporting(of, span.from, span.period_minutes);
  storage::Range range{from_minute(of, std::max(span.from, span.since)), from_minute(of, span.to)};
  for (bool more = !storage::is_empty(range); more;) {
    auto scanned = co_await engine.scan(range, storage::Direction::kAscending, kPageOfInsights, kPageOfInsightsBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      const auto minute = minute_of_key(page[i].key);
      auto row = read_insight_row(page[i].value);
      if (row.ok() && minute) reporting.add(*minute, std::move(*row));
      if (!row.ok() && row.error().kind() == ErrorKind::kCorrupt) complain_of_insights(of);
    }
    more = storage::advance(range, page);
  }
  co_return reporting.finish();
}

}  // namespace partita::metrics
