#include "cli/status.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/admin_client.h"
#include "cli/local_calls.h"
#include "cli/teller.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

// "2026-11-24T03:15:00Z"
std::string moment(int64_t ms) {
  constexpr size_t kToSeconds = 19;
  return std::string(utc_text(ms).data(), kToSeconds) + "Z";
}

std::string told_of(const ScrubState& scrub) {
  std::string said = scrub.reads || scrub.ended_ms != 0 ? "" : "beginning";
  if (scrub.reads) said = "reading, " + mebibytes(scrub.done_bytes) + " of " + mebibytes(scrub.all_bytes) + " so far";
  if (scrub.ended_ms != 0) said += (said.empty() ? "" : "; ") + ("the last round ended at " + moment(scrub.ended_ms));
  if (scrub.damaged.empty()) return said + "; no damage was found";
  said += "; " + counted(scrub.damaged.size(), "file is damaged", "files are damaged");
  for (const std::string& file : scrub.damaged) said += "; " + file;
  return said;
}

Task<ops::Reply> describe(observe::Pages& pages, const ServerFacts& facts) {
  const std::optional<std::string> trouble = co_await pages.trouble_now();
  wire::JsonWriter json;
  const auto say = [&](std::string_view name, std::string_view text) {
    json.key(name);
    json.string(text);
  };
  json.begin_object();
  say("Version", facts.version);
  say("Revision", facts.revision);
  say("Store", facts.store);
  json.key("Urls");
  json.begin_array();
  for (const std::string& url : facts.urls) json.string(url);
  json.end_array();
  json.key("ProcessId");
  json.number(static_cast<int64_t>(::getpid()));
  json.key("UptimeSeconds");
  json.number((system_clock().now_ms() - facts.started_ms) / 1000);
  if (facts.scrub != nullptr) say(admin::kScrub, told_of(facts.scrub->state()));
  if (const std::vector<std::string> jobs = pages.jobs_now(); !jobs.empty()) {
    json.key(admin::kJobs);
    json.begin_array();
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

void answer_status(admin::Admin& admin, observe::Pages& pages, ServerFacts facts) {
  admin.add(admin::kDescribeServer,
            [&pages, facts = std::move(facts)](const ops::Call&) { return describe(pages, facts); });
}

Result<void> status(const CommandLine& line) {
  PARTITA_TRY(AdminClient client, AdminClient::connect(line.data));
  client.wait(AdminClient::Wait::kMoment);
  PARTITA_TRY(const std::string reply, client.ask_text(admin::kDescribeServer, "{}"));
  PARTITA_TRY(const wire::JsonDocument document, wire::JsonDocument::parse(reply));
  const wire::JsonValue said = document.root();
  if (text_of(said.get("Version")).empty()) {
    return Error(ErrorKind::kUnavailable, "The program at " + line.data + " is not a Partita server.");
  }
  const auto text = [&](std::string_view name) { return text_of(said.get(name)); };
  const auto number = [&](std::string_view name) { return std::to_string(integer_of(said.get(name))); };
  const std::string trouble = text(admin::kTrouble);
  if (line.json) {
    std::printf("%s\n", reply.c_str());
    return trouble.empty() ? Result<void>() : Error(ErrorKind::kUnavailable, trouble);
  }
  std::printf("partita %s, revision %s, process %s\n", text("Version").c_str(), text("Revision").c_str(),
              number("ProcessId").c_str());
  for (const wire::JsonValue url : said.get("Urls").elements()) std::printf("serving %s\n", text_of(url).c_str());
  std::printf("data in %s\nfor %s\n", text("Store").c_str(),
              counted(static_cast<uint64_t>(integer_of(said.get("UptimeSeconds"))), "second", "seconds").c_str());
  if (const std::string scrub = text(admin::kScrub); !scrub.empty()) std::printf("scrub: %s\n", scrub.c_str());
  for (const wire::JsonValue job : said.get(admin::kJobs).elements()) std::printf("job: %s\n", text_of(job).c_str());
  if (const std::string under_way = text(admin::kUnderWay); !under_way.empty()) std::printf("%s\n", under_way.c_str());
  if (!trouble.empty()) return Error(ErrorKind::kUnavailable, trouble);
  return {};
}

}  // namespace partita::cli
