#include "base/exposition.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace partita {
namespace {

TEST(Meter, AddsUpWhatThreadsCount) {
  Meter meter;
  Histogram<2, 4> sizes;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < kMeterShards + 4; ++i) {
      threads.emplace_back([&] {
        for (uint64_t n = 0; n < 1000; ++n) meter.add(), sizes.add(n % 20);
      });
    }
  }
  const uint64_t all = 1000 * (kMeterShards + 4);
  EXPECT_EQ(meter.total(), all);
  const HistogramTotals totals = sizes.totals();
  EXPECT_EQ(totals.count(), all);
  EXPECT_EQ(totals.sum, all / 20 * 190);
}

TEST(Meter, PutsEachValueWhereItBelongs) {
  Histogram<2, 4> sizes;
  for (const uint64_t value : {0, 1, 4, 5, 8, 9, 16, 17, 1'000'000}) sizes.add(value);
  sizes.add(UINT64_MAX);
  EXPECT_EQ(sizes.totals().counts, (std::vector<uint64_t>{3, 2, 2, 3}));
}

TEST(Meter, ACoarseHistogramHasEverySecondOfTheBuckets) {
  Histogram<2, 6, 2> sizes;
  for (const uint64_t value : {0, 4, 5, 16, 17, 64, 65, 128}) sizes.add(value);
  sizes.add(UINT64_MAX);
  EXPECT_EQ(sizes.totals().counts, (std::vector<uint64_t>{2, 2, 2, 3}));
  Exposition out;
  out.histogram("c", "Of c.", sizes.totals(), 1);
  const std::string text = std::move(out).take();
  EXPECT_NE(text.find("c_bucket{le=\"4\"} 2\nc_bucket{le=\"16\"} 4\nc_bucket{le=\"64\"} 6\n"), std::string::npos)
      << text;
}

TEST(Exposition, IsWhatPrometheusReads) {
  Exposition out;
  out.counter("a_total", "Of a.", 3, {{"operation", "Get\"It\\em\n"}, {"namespace", ""}});
  out.counter("a_total", "Of a.", 0.25);
  out.gauge("b", "Of b.", -12345678901);
  Histogram<0, 1> sizes;
  for (const uint64_t value : {1, 2, 2, 9}) sizes.add(value);
  out.histogram("c_seconds", "Of c.", sizes.totals(), 0.5, {{"engine", "e"}});
  EXPECT_EQ(
      std::move(out).take(),
      "# HELP a_total Of a.\n# TYPE a_total counter\n"
      "a_total{operation=\"Get\\\"It\\\\em\\n\"} 3\na_total 0.25\n"
      "# HELP b Of b.\n# TYPE b gauge\nb -12345678901\n"
      "# HELP c_seconds Of c.\n# TYPE c_seconds histogram\n"
      "c_seconds_bucket{engine=\"e\",le=\"0.5\"} 1\nc_seconds_bucket{engine=\"e\",le=\"1\"} 3\n"
      "c_seconds_bucket{engine=\"e\",le=\"+Inf\"} 4\nc_seconds_sum{engine=\"e\"} 7\nc_seconds_count{engine=\"e\"} 4\n");
}

}  // namespace
}  // namespace partita
