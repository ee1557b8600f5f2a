#include "table/jobs/job_status.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "table/jobs/trim_lateness.h"

namespace partita::table {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

template <class View>
std::string said(const View& view, int64_t now_ns) {
  Exposition out;
  view.report(out, now_ns);
  return std::move(out).take();
}

Job filling(uint16_t index_id, uint64_t done) {
  Job job;
  job.kind = JobKind::kFillIndex;
  job.table_id = 1;
  job.index_id = index_id;
  job.table = "ttt";
  job.done = done;
  return job;
}

size_t lines_with(const std::string& text, const std::string& words) {
  size_t count = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

// Prometheus takes nothing at all of a page that says the same sample twice.
TEST(JobStatus, SaysEachSampleOnce) {
  const std::vector<JobRow> types = all_job_types();
  JobStatus view(types);
  storage::Page page;
  for (const Job& job : {filling(2, 30), filling(3, 12)}) {
    page.append(job_key(job).bytes, job_row(job), storage::Version{job.index_id});
  }
  view.saw_jobs(page, {}, kSecondNs);
  storage::Page later;
  later.append(job_key(filling(2, 30)).bytes, job_row(filling(2, 30)), storage::Version{2});
  later.append(job_key(filling(3, 14)).bytes, job_row(filling(3, 14)), storage::Version{9});
  view.saw_jobs(later, {}, 3 * kSecondNs);
  const std::string text = said(view, 5 * kSecondNs);
  EXPECT_EQ(lines_with(text, "partita_job_rows{"), 1U) << text;
  EXPECT_NE(text.find("partita_job_rows{kind=\"fill_index\",table=\"ttt\"} 44\n"), std::string::npos) << text;
  EXPECT_NE(text.find("{kind=\"fill_index\",table=\"ttt\",here=\"no\"} 4\n"), std::string::npos) << text;
  EXPECT_EQ(lines_with(text, "partita_job_untouched_seconds{"), 1U) << text;
}

storage::Page seen(const Job& job, uint64_t version) {
  storage::Page page;
  page.append(job_key(job).bytes, job_row(job), storage::Version{version});
  return page;
}

TEST(JobStatus, MeasuresTheRateOfTheLastSeconds) {
  const std::vector<JobRow> types = all_job_types();
  JobStatus view(types);
  const auto only = [&](int64_t now_ns) {
    const std::vector<JobProgress> all = view.progress(now_ns);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? JobProgress{} : all.front();
  };
  view.saw_jobs(seen(filling(2, 100), 1), {}, kSecondNs);
  EXPECT_EQ(only(kSecondNs).kind, "fill_index");
  EXPECT_EQ(only(kSecondNs).description, "filling index 2 of table ttt");
  EXPECT_EQ(only(kSecondNs).job.done, 100U);
  EXPECT_FALSE(only(kSecondNs).mine);
  EXPECT_FALSE(only(kSecondNs).rows_per_second);
  const std::string key = job_key(filling(2, 0)).bytes;
  view.saw_jobs(seen(filling(2, 150), 2), {key}, kSecondNs * 3 / 2);
  EXPECT_TRUE(only(2 * kSecondNs).mine);
  EXPECT_DOUBLE_EQ(only(2 * kSecondNs).rows_per_second.value_or(0), 100);
  EXPECT_EQ(only(2 * kSecondNs).untouched_ns, kSecondNs / 2);
  view.saw_jobs(seen(filling(2, 1'150), 3), {key}, 3 * kSecondNs);  // too soon to tell
  EXPECT_DOUBLE_EQ(only(3 * kSecondNs).rows_per_second.value_or(0), 100);
  view.saw_jobs(seen(filling(2, 1'150), 3), {key}, kSecondNs * 7 / 2);
  EXPECT_DOUBLE_EQ(only(4 * kSecondNs).rows_per_second.value_or(0), 500);
  EXPECT_EQ(only(4 * kSecondNs).untouched_ns, kSecondNs);
  view.saw_jobs(seen(filling(2, 1'150), 3), {key}, kSecondNs * 11 / 2);
  EXPECT_DOUBLE_EQ(only(6 * kSecondNs).rows_per_second.value_or(-1), 0);
  view.saw_jobs({}, {}, 6 * kSecondNs);
  EXPECT_TRUE(view.progress(6 * kSecondNs).empty());
}

// The next look at the streams may be another server's.
TEST(TrimLateness, ForgetsWhatItSawOfStreamsLongAgo) {
  TrimLateness view;
  EXPECT_EQ(lines_with(said(view, kSecondNs), "partita_stream_trim_late_seconds"), 0U);
  view.saw_old_record(7'000);
  view.saw_streams(kSecondNs);
  EXPECT_NE(said(view, 2 * kSecondNs).find("partita_stream_trim_late_seconds 7\n"), std::string::npos);
  EXPECT_EQ(lines_with(said(view, 200 * kSecondNs), "partita_stream_trim_late_seconds"), 0U);
  view.saw_streams(300 * kSecondNs);
  EXPECT_NE(said(view, 301 * kSecondNs).find("partita_stream_trim_late_seconds 0\n"), std::string::npos);
}

}  // namespace
}  // namespace partita::table
