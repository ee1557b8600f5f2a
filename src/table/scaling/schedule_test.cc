#include "table/scaling/schedule.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "model/fault.h"

namespace partita::table {
namespace {

namespace chrono = std::chrono;

int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  const chrono::sys_days date{chrono::year(year) / chrono::month(month) / chrono::day(day)};
  return (date.time_since_epoch().count() * 24 * 60 + hour * 60 + minute) * 60'000LL;
}

// The latest time of the first half of 2026.
std::optional<int64_t> latest_of(std::string_view text, int64_t until_ms = utc(2026, 7, 1) - 1) {
  return Schedule::parse(text).value().latest(utc(2026, 1, 1) - 1, until_ms, utc(2026, 1, 1));
}

TEST(Schedule, At) {
  EXPECT_EQ(latest_of("at(2026-02-03T04:05:00)"), utc(2026, 2, 3, 4, 5));
  EXPECT_EQ(latest_of("at(2026-02-03T9:05:07)"), utc(2026, 2, 3, 9, 5) + 7'000);
  EXPECT_EQ(latest_of("at(2025-02-03T04:05:00)"), std::nullopt);
  EXPECT_EQ(latest_of("at(2027-02-03T04:05:00)"), std::nullopt);
}

TEST(Schedule, RateCountsFromItsAnchor) {
  const Schedule schedule = Schedule::parse("rate(5 minutes)").value();
  const int64_t anchor = utc(2026, 1, 1, 0, 2);
  EXPECT_EQ(schedule.latest(anchor - 1, anchor + 1, anchor), anchor);
  EXPECT_EQ(schedule.latest(anchor, anchor + 299'999, anchor), std::nullopt);
  EXPECT_EQ(schedule.latest(anchor, anchor + 300'000, anchor), anchor + 300'000);
  EXPECT_EQ(schedule.latest(anchor, anchor + 1'000'000, anchor), anchor + 900'000);
  EXPECT_EQ(schedule.latest(0, anchor - 1, anchor), std::nullopt);
  EXPECT_EQ(latest_of("rate(1 day)"), utc(2026, 6, 30));
  EXPECT_EQ(latest_of("rate(12 hours)"), utc(2026, 6, 30, 12));
}

TEST(Schedule, Cron) {
  EXPECT_EQ(latest_of("cron(15 10 * * ? *)"), utc(2026, 6, 30, 10, 15));
  EXPECT_EQ(latest_of("cron(0/20 8-9 * * ? *)"), utc(2026, 6, 30, 9, 40));
  EXPECT_EQ(latest_of("cron(0 9 ? * MON *)"), utc(2026, 6, 29, 9));
  EXPECT_EQ(latest_of("cron(0 9 ? * 2 *)"), utc(2026, 6, 29, 9));
  EXPECT_EQ(latest_of("cron(0 9 ? * SAT,SUN *)"), utc(2026, 6, 28, 9));
  EXPECT_EQ(latest_of("cron(0 0 1 FEB-APR ? 2026)"), utc(2026, 4, 1));
  EXPECT_EQ(latest_of("cron(0 0 31 * ? *)"), utc(2026, 5, 31));
  EXPECT_EQ(latest_of("cron(0 0 30 2 ? *)"), std::nullopt);
  EXPECT_EQ(latest_of("cron(0 0 1 1 ? 2025)"), std::nullopt);
}

TEST(Schedule, SpecialDaysOfCron) {
  EXPECT_EQ(latest_of("cron(0 0 L 2 ? *)"), utc(2026, 2, 28));
  EXPECT_EQ(latest_of("cron(0 0 LW 5 ? *)"), utc(2026, 5, 29));                  // the 31st is a Sunday
  EXPECT_EQ(latest_of("cron(0 0 1W 2 ? *)"), utc(2026, 2, 2));                   // the 1st is a Sunday
  EXPECT_EQ(latest_of("cron(0 0 9W 5 ? *)"), utc(2026, 5, 8));                   // the 9th is a Saturday
  EXPECT_EQ(latest_of("cron(0 0 1W 8 ? *)", utc(2026, 9, 1)), utc(2026, 8, 3));  // the 1st is a Saturday
  EXPECT_EQ(latest_of("cron(0 0 ? 3 6L *)"), utc(2026, 3, 27));                  // the last Friday
  EXPECT_EQ(latest_of("cron(0 0 ? 4 3#2 *)"), utc(2026, 4, 14));                 // the second Tuesday
  EXPECT_EQ(latest_of("cron(0 0 ? 6 L *)"), utc(2026, 6, 27));                   // the last day of a week
}

TEST(Schedule, OfADayOnlyWhatHasCome) {
  EXPECT_EQ(latest_of("cron(0 8,20 * * ? *)", utc(2026, 6, 1, 19, 59)), utc(2026, 6, 1, 8));
  EXPECT_EQ(latest_of("cron(0 8,20 * * ? *)", utc(2026, 6, 1, 20)), utc(2026, 6, 1, 20));
  const Schedule schedule = Schedule::parse("cron(0 8,20 * * ? *)").value();
  EXPECT_EQ(schedule.latest(utc(2026, 6, 1, 8), utc(2026, 6, 1, 19, 59), 0), std::nullopt);
}

TEST(Schedule, RefusesWhatItCannotRead) {
  for (const std::string text : {"",
                                 "at()",
                                 "at(2026-02-30T00:00:00)",
                                 "at(2026-02-03)",
                                 "at(2026-02-03T24:00:00)",
                                 "at(2026-02-03T00:00:00",
                                 "rate()",
                                 "rate(0 minutes)",
                                 "rate(5 weeks)",
                                 "rate(minutes)",
                                 "cron()",
                                 "cron(0 0 * * * *)",
                                 "cron(0 0 ? * ? *)",
                                 "cron(60 0 * * ? *)",
                                 "cron(0 24 * * ? *)",
                                 "cron(0 0 32 * ? *)",
                                 "cron(0 0 * 13 ? *)",
                                 "cron(0 0 * * ?)",
                                 "cron(0 0 * * ? * *)",
                                 "cron(0 0 ? * 8 *)",
                                 "cron(5-1 0 * * ? *)",
                                 "cron(0/0 0 * * ? *)",
                                 "cron(1, 0 * * ? *)",
                                 "cron(0 0 * * ? 1969)",
                                 "daily"}) {
    const auto parsed = Schedule::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(model::fault_of(parsed.error()), model::Fault::kScalingSchedule) << text;
  }
}

}  // namespace
}  // namespace partita::table
