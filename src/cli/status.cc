#include "cli/status.h"

#include <cstdio>

#include "admin/admin.h"
#include "base/quantity.h"
#include "cli/admin_client.h"
#include "wire/json_reader.h"

namespace partita::cli {

Result<void> status(const StatusOptions& options) {
  PARTITA_TRY(AdminClient client, AdminClient::connect(options.server));
  client.wait(AdminClient::Wait::kMoment);
  PARTITA_TRY(const std::string reply, client.ask_text(admin::kDescribeServer, "{}"));
  PARTITA_TRY(const wire::JsonDocument document, wire::JsonDocument::parse(reply));
  const wire::JsonValue said = document.root();
  if (text_of(said.get("Version")).empty()) {
    return Error(ErrorKind::kUnavailable, "The program at " + options.server + " is not a Partita server.");
  }
  const auto text = [&](std::string_view name) { return text_of(said.get(name)); };
  const auto number = [&](std::string_view name) { return std::to_string(integer_of(said.get(name))); };
  const std::string trouble = text(admin::kTrouble);
  if (options.json) {
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
