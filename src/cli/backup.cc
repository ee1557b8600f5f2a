#include "cli/backup.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/canonical_path.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"
#include "cli/admin_client.h"
#include "cli/progress_line.h"
#include "engines/stores.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(100);

std::string moment(int64_t seconds) {
  constexpr size_t kToSeconds = 19;
  std::string text(utc_text(seconds * 1'000).data(), kToSeconds);
  text[text.find('T')] = ' ';
  return text + " UTC";
}

struct BackupOutcome {
  uint64_t id;
  uint64_t bytes;
  uint64_t new_bytes;
  uint64_t mended;
  uint64_t damaged;
  std::vector<uint64_t> lost;
};

void say(const std::string& directory, const BackupOutcome& made) {
  for (const uint64_t id : made.lost) {
    std::printf("Backup %" PRIu64 " is lost: its list, %s/meta/%" PRIu64 ", is missing.\n", id, directory.c_str(), id);
  }
  if (made.mended > 0) {
    std::printf("Files of earlier backups that were damaged and are copied again: %" PRIu64 ".\n", made.mended);
  }
  if (made.damaged > 0) {
    std::printf("Files of earlier backups that are damaged, and are no longer in the store: %" PRIu64
                ". Backups that need them cannot be restored.\n",
                made.damaged);
  }
  std::printf("Backup %" PRIu64 " is in %s: %s, %s of it new.\n", made.id, directory.c_str(),
              mebibytes(made.bytes).c_str(), mebibytes(made.new_bytes).c_str());
}

Result<void> back_up_locally(const BackupOptions& options) {
  PARTITA_TRY(const storage::ExclusiveEngine store, hold_store(options.store, true));
  // An upper bound: files of earlier backups are not copied again.
  const uint64_t total = bytes_about(*store.engine);
  ProgressLine shown;
  const storage::OnBytes progress = [&](uint64_t bytes) {
    const auto told = [&] { return "backing up: copied " + shown.so_far(bytes, total); };
    shown.update(told);
    return true;
  };
  const storage::BackupRequest request{options.directory, options.keep, progress, options.mends};
  PARTITA_TRY(const storage::BackupResult made, store.engine->maintenance()->back_up(request));
  say(options.directory, {made.backup.id, made.backup.bytes, made.new_bytes, made.mended, made.damaged,
                          std::vector<uint64_t>(made.lost.begin(), made.lost.end())});
  return {};
}

Result<void> back_up_remotely(const BackupOptions& options, AdminClient& server) {
  wire::JsonWriter json;
  json.begin_object();
  json.member("Directory", canonical_path(options.directory));  // a server's working directory may be another
  json.member("Keep", static_cast<int64_t>(options.keep));
  json.member("Mend", options.mends);
  json.end_object();
  server.wait(AdminClient::Wait::kLong);
  PARTITA_TRY_VOID(server.ask("StartBackup", std::move(json).take()));
  for (ProgressLine shown;;) {
    PARTITA_TRY(const wire::JsonDocument said, server.ask("DescribeBackup", "{}"));
    const auto number = [&](std::string_view name) { return static_cast<uint64_t>(integer_of(said.root().get(name))); };
    if (text_of(said.root().get("State")) == "DONE") {
      std::vector<uint64_t> lost;
      for (const wire::JsonValue id : said.root().get("LostBackups").elements()) {
        lost.push_back(static_cast<uint64_t>(integer_of(id)));
      }
      say(options.directory, {number("Id"), number("Bytes"), number("NewBytes"), number("MendedFiles"),
                              number("DamagedFiles"), std::move(lost)});
      return {};
    }
    const auto told = [&] { return "backing up: copied " + shown.so_far(number("CopiedBytes"), number("StoreBytes")); };
    if (number("CopiedBytes") > 0) shown.update(told);
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace

Result<void> back_up(const BackupOptions& options) {
  set_log_level(LogLevel::kWarn);
  const EngineRow& row = engine_of(options.store);
  if (!row.backed_up_by.empty()) return Error(ErrorKind::kInvalid, std::string(row.backed_up_by));
  auto server = AdminClient::connect(place_of_store(options.store));
  return server.ok() ? back_up_remotely(options, *server) : back_up_locally(options);
}

Result<void> list_backups(const BackupOptions& options) {
  const storage::BackupFunctions& functions = *directory_engine().backups;
  PARTITA_TRY(const std::vector<storage::Backup> backups, functions.list(options.directory));
  std::set<std::string> stores;
  for (const storage::Backup& backup : backups) stores.insert(backup.store_id);
  for (const storage::Backup& backup : backups) {
    if (backup.damaged) {
      std::printf("%" PRIu32 "  damaged: %s\n", backup.id, backup.damage.c_str());
      continue;
    }
    const std::string which = stores.size() > 1 && !backup.store_id.empty() ? "  (store " + backup.store_id + ")" : "";
    const std::string unchecked = backup.unchecked ? "  (not checked: its command was ended; verify it)" : "";
    std::printf("%" PRIu32 "  %s  %s  of %s%s%s\n", backup.id, moment(backup.made_s).c_str(),
                mebibytes(backup.bytes).c_str(), backup.store.c_str(), which.c_str(), unchecked.c_str());
  }
  for (const uint32_t id : functions.unfinished(options.directory)) {
    std::printf("%" PRIu32 "  no backup: it is being made, or its command was ended; the next one clears it up\n", id);
  }
  if (backups.empty()) std::printf("There is no backup in %s yet.\n", options.directory.c_str());
  return {};
}

Result<void> prune_backups(const BackupOptions& options) {
  PARTITA_TRY(const size_t deleted, directory_engine().backups->prune(options.directory, options.keep, nullptr));
  std::printf("%zu %s deleted.\n", deleted, deleted == 1 ? "backup was" : "backups were");
  return {};
}

Result<void> restore(const BackupOptions& options) {
  uint64_t total = 0;
  const storage::BackupFunctions& functions = *directory_engine().backups;
  const auto backups = functions.list(options.directory);
  for (const storage::Backup& backup : backups.ok() ? *backups : std::vector<storage::Backup>()) {
    if (!backup.damaged && (options.id == 0 || backup.id == options.id)) total = backup.bytes;
  }
  ProgressLine shown;
  storage::RestoreRequest request{options.directory, options.id, options.to, [&](uint64_t bytes) {
                                    const auto told = [&] { return "restoring: copied " + shown.so_far(bytes, total); };
                                    shown.update(told);
                                    return true;
                                  }};
  PARTITA_TRY(const storage::Backup backup, functions.restore(request));
  std::printf("Backup %" PRIu32 " of %s is restored to %s; the checksum of each file is right.\n", backup.id,
              moment(backup.made_s).c_str(), options.to.c_str());
  if (backup.unchecked) {
    std::printf("It was never checked: run `partita verify %s`.\n", options.to.c_str());
  }
  std::printf("Serve it with `partita serve --data %s`.\n", options.to.c_str());
  return {};
}

}  // namespace partita::cli
