// Schedule expressions of scheduled actions, as "Schedule recurring scaling actions using cron expressions" in the user
// guide of Application Auto Scaling has them: at(), rate() and cron(), in UTC.
//
//   PARTITA_TRY(const Schedule schedule, Schedule::parse("cron(0 9 ? * MON-FRI *)"));
//   if (schedule.latest(looked_at_ms, now_ms, created_ms)) act();
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace partita::table {

class Schedule {
 public:
  // Fault: kScalingSchedule.
  static Result<Schedule> parse(std::string_view text);

  // The latest of its times in (after_ms, until_ms], in milliseconds since 1970. Absent: there is none. Times of a rate
  // are `anchor_ms` and whole periods later; others do not depend on it.
  std::optional<int64_t> latest(int64_t after_ms, int64_t until_ms, int64_t anchor_ms) const;

 private:
  struct At {
    int64_t ms = 0;
  };
  struct Rate {
    int64_t period_ms = 0;
  };
  // One of the two fields of days is '?'.
  struct Cron {
    static constexpr int kFirstYear = 1970;
    static constexpr int kLastYear = 2199;

    std::bitset<60> minutes;
    std::bitset<24> hours;
    std::bitset<32> days;     // of the month, from 1
    std::bitset<13> months;   // from 1
    std::bitset<8> weekdays;  // from 1, Sunday
    std::bitset<kLastYear - kFirstYear + 1> years;
    bool by_weekday = false;  // the days of the month are '?'
    bool last_day = false;    // L among the days of the month
    int near_day = 0;         // n of nW: the weekday nearest to that day
    bool near_last = false;   // LW
    int last_weekday = 0;     // n of nL
    int nth_weekday = 0;      // n of n#k
    int nth = 0;              // k of that

    bool has_day(int64_t days_since_1970) const;
  };

  using When = std::variant<At, Rate, Cron>;
  explicit Schedule(const When& when) : when_(when) {}

  static std::optional<At> parse_at(std::string_view text);
  static std::optional<Rate> parse_rate(std::string_view text);
  static std::optional<Cron> parse_cron(std::string_view text);
  static bool parse_days(std::string_view text, Cron& cron);
  static bool parse_weekdays(std::string_view text, Cron& cron);
  static std::optional<int64_t> latest_of(const Cron& cron, int64_t after_ms, int64_t until_ms);

  When when_;
};

}  // namespace partita::table
