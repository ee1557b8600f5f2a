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
