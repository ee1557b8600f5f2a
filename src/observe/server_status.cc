#include "observe/server_status.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/quantity.h"
#include "wire/json_writer.h"

namespace partita::observe {

namespace {

// "2026-11-24T03:15:00Z"
std::string moment(int64_t ms) {
  constexpr size_t kToSeconds = 19;
  return std::string(utc_text(ms).data(), kToSeconds) + "Z";
}

std::string told_of(const storage::ScrubState& scrub) {
  std::string said = scrub.reads || scrub.ended_ms != 0 ? "" : "beginning";
  if (scrub.reads) said = "reading, " + mebibytes(scrub.done_bytes) + " of " + mebibytes(scrub.all_bytes) + " so far";
  if (scrub.ended_ms != 0) said += (said.empty() ? "" : "; ") + ("the last round ended at " + moment(scrub.ended_ms));
  if (scrub.damaged.empty()) return said + "; no damage was found";
  said += "; " + counted(scrub.damaged.size(), "file is damaged", "files are damaged");
  for (const std::string& file : scrub.damaged) said += "; " + file;
  return said;
}

Task<ops::Reply> describe(Pages& pages, const ServerFacts& facts) {
  const std::optional<std::string> trouble = co_await pages.trouble_now();
  wire::JsonWriter json;
  const auto say = [&](std::string_view name, std::string_view text) { json.member(name, text); };
  json.begin_object();
  say("Version", facts.version);
  say("Revision", facts.revision);
  say("Store", facts.store);
  json.begin_array("Urls");
  for (const std::string& url : facts.urls) json.string(url);
  json.end_array();
  json.member("ProcessId", static_cast<int64_t>(::getpid()));
  json.member("UptimeSeconds", (system_clock().now_ms() - facts.started_ms) / 1000);
  if (facts.scrub != nullptr) say(admin::kScrub, told_of(facts.scrub->state()));
  if (const std::vector<std::string> jobs = pages.jobs_now(); !jobs.empty()) {
    json.begin_array(admin::kJobs);
    for (const std::string& job : jobs) json.string(job);
    json.end_array();
  }
  if (!trouble) say(admin::kUnderWay, "A snapshot is being made or rolled back to; requests wait for its end.");
  if (trouble && !trouble->empty()) {
    say(admin::kTrouble,
        "The store at " + facts.store + (facts.shared ? " does not answer: " : " is not well: ") + *trouble);
  }
  json.end_object();
  ops::Reply reply;
  reply.body = std::move(json).take();
  co_return reply;
}

}  // namespace

void answer_status(admin::Admin& admin, Pages& pages, ServerFacts facts) {
  admin.add(admin::kDescribeServer,
            [&pages, facts = std::move(facts)](const ops::Call&) { return describe(pages, facts); });
}

}  // namespace partita::observe
