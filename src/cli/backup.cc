#include "cli/backup.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/canonical_path.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/admin_client.h"
#include "cli/local_calls.h"
#include "cli/teller.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

constexpr auto kAskEvery = std::chrono::milliseconds(100);

std::string moment(int64_t seconds) {
  constexpr size_t kToSeconds = 19;
  std::string text(utc_text(seconds * 1'000).data(), kToSeconds);
  text[text.find('T')] = ' ';
  return text + " UTC";
}

struct Said {
  uint64_t id;
  uint64_t bytes;
  uint64_t new_bytes;
  uint64_t mended;
  uint64_t damaged;
  std::vector<uint64_t> lost;
};

void say(const std::string& directory, const Said& made) {
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

Result<void> back_up_here(const CommandLine& line) {
  PARTITA_TRY(const storage::ExclusiveEngine store, hold_store(line.from, true));
  // What an earlier backup has is not copied again.
  const uint64_t total = bytes_about(*store.engine);
  Teller teller;
  const OnBytes progress = [&](uint64_t bytes) {
    const auto told = [&] { return "backing up: copied " + teller.so_far(bytes, total); };
    teller.tell(told);
    return true;
  };
  const BackupRequest request{line.backups, line.keep, progress, line.mends};
  PARTITA_TRY(const BackupResult made, engine_of(line.from).back_up(*store.engine, request));
  say(line.backups, {made.backup.id, made.backup.bytes, made.new_bytes, made.mended, made.damaged,
                     std::vector<uint64_t>(made.lost.begin(), made.lost.end())});
  return {};
}

Result<void> back_up_there(const CommandLine& line, AdminClient& server) {
  wire::JsonWriter json;
  json.begin_object();
  json.key("Directory");
  json.string(canonical_path(line.backups));  // a server's working directory may be another
  json.key("Keep");
  json.number(static_cast<int64_t>(line.keep));
  json.key("Mend");
  json.boolean(line.mends);
  json.end_object();
  server.wait(AdminClient::Wait::kLong);
  PARTITA_TRY_VOID(server.ask("StartBackup", std::move(json).take()));
  for (Teller teller;;) {
    PARTITA_TRY(const wire::JsonDocument said, server.ask("DescribeBackup", "{}"));
    const auto number = [&](std::string_view name) { return static_cast<uint64_t>(integer_of(said.root().get(name))); };
    if (text_of(said.root().get("State")) == "DONE") {
      std::vector<uint64_t> lost;
      for (const wire::JsonValue id : said.root().get("LostBackups").elements()) {
        lost.push_back(static_cast<uint64_t>(integer_of(id)));
      }
      say(line.backups, {number("Id"), number("Bytes"), number("NewBytes"), number("MendedFiles"),
                         number("DamagedFiles"), std::move(lost)});
      return {};
    }
    const auto told = [&] {
      return "backing up: copied " + teller.so_far(number("CopiedBytes"), number("StoreBytes"));
    };
    if (number("CopiedBytes") > 0) teller.tell(told);
    std::this_thread::sleep_for(kAskEvery);
  }
}

Task<ops::Reply> answer_with(std::string body) {
  ops::Reply reply;
  reply.body = std::move(body);
  co_return reply;
}

std::string error_body(std::string_view sentence) {
  wire::JsonWriter json;
  json.begin_object();
  json.key("Error");
  json.string(sentence);
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Result<void> back_up(const CommandLine& line) {
  set_log_level(LogLevel::kWarn);
  const EngineRow& row = engine_of(line.from);
  if (row.back_up == nullptr) return Error(ErrorKind::kInvalid, std::string(row.backed_up_by));
  auto server = AdminClient::connect(place_of_store(line.from));
  return server.ok() ? back_up_there(line, *server) : back_up_here(line);
}

Result<void> list_backups(const CommandLine& line) {
  PARTITA_TRY(const std::vector<Backup> backups, partita::list_backups(line.backups));
  std::set<std::string> stores;
  for (const Backup& backup : backups) stores.insert(backup.store_id);
  for (const Backup& backup : backups) {
    if (backup.damaged) {
      std::printf("%" PRIu32 "  damaged: %s\n", backup.id, backup.damage.c_str());
      continue;
    }
    const std::string which = stores.size() > 1 && !backup.store_id.empty() ? "  (store " + backup.store_id + ")" : "";
    const std::string unchecked = backup.unchecked ? "  (not checked: its command was ended; verify it)" : "";
    std::printf("%" PRIu32 "  %s  %s  of %s%s%s\n", backup.id, moment(backup.made_s).c_str(),
                mebibytes(backup.bytes).c_str(), backup.store.c_str(), which.c_str(), unchecked.c_str());
  }
  for (const uint32_t id : unfinished_backups(line.backups)) {
    std::printf("%" PRIu32 "  no backup: it is being made, or its command was ended; the next one clears it up\n", id);
  }
  if (backups.empty()) std::printf("There is no backup in %s yet.\n", line.backups.c_str());
  return {};
}

Result<void> prune_backups(const CommandLine& line) {
  PARTITA_TRY(const size_t deleted, delete_old_backups(line.backups, line.keep));
  std::printf("%zu %s deleted.\n", deleted, deleted == 1 ? "backup was" : "backups were");
  return {};
}

Result<void> restore(const CommandLine& line) {
  uint64_t total = 0;
  const auto backups = partita::list_backups(line.backups);
  for (const Backup& backup : backups.ok() ? *backups : std::vector<Backup>()) {
    if (!backup.damaged && (line.backup_id == 0 || backup.id == line.backup_id)) total = backup.bytes;
  }
  Teller teller;
  RestoreRequest request{line.backups, line.backup_id, line.data, [&](uint64_t bytes) {
                           const auto told = [&] { return "restoring: copied " + teller.so_far(bytes, total); };
                           teller.tell(told);
                           return true;
                         }};
  PARTITA_TRY(const Backup backup, restore_backup(request));
  std::printf("Backup %" PRIu32 " of %s is restored to %s; the checksum of each file is right.\n", backup.id,
              moment(backup.made_s).c_str(), line.data.c_str());
  if (backup.unchecked) {
    std::printf("It was never checked: run `partita verify %s`.\n", line.data.c_str());
  }
  std::printf("Serve it with `partita serve --data %s`.\n", line.data.c_str());
  return {};
}

BackupMaker::~BackupMaker() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void BackupMaker::answer(admin::Admin& admin) {
  admin.add("StartBackup", [this](const ops::Call& call) { return answer_with(start(call)); });
  admin.add("DescribeBackup", [this](const ops::Call&) { return answer_with(describe()); });
}

std::string BackupMaker::start(const ops::Call& call) {
  const auto asked = wire::JsonDocument::parse(call.body);
  const std::string directory = asked.ok() ? text_of(asked->root().get("Directory")) : std::string();
  if (directory.empty()) return error_body("StartBackup needs a Directory.");
  const wire::JsonValue keep = asked->root().get("Keep");
  const bool counted = !keep.present() || (keep.is(wire::JsonValue::Kind::kInteger) && keep.as_integer() >= 0);
  if (!counted) return error_body("Keep takes a number of backups.");
  const wire::JsonValue mend = asked->root().get("Mend");
  if (mend.present() && !mend.is(wire::JsonValue::Kind::kBoolean)) return error_body("Mend takes true or false.");
  if (row_.back_up == nullptr) return error_body(row_.backed_up_by);
  std::lock_guard lock(mutex_);
  if (running_) return error_body("The server is already making a backup; wait until it is done.");
  if (thread_.joinable()) thread_.join();
  const OnBytes progress = [this](uint64_t bytes) {
    std::lock_guard held(mutex_);
    bytes_ = bytes;
    return !stopping_ && !left_alone_;
  };
  BackupRequest request{directory, keep.present() ? static_cast<size_t>(keep.as_integer()) : 0, progress,
                        mend.present() && mend.as_boolean()};
  running_ = true;
  left_alone_ = false;
  bytes_ = 0;
  total_ = 0;
  made_.reset();
  const uint64_t number = ++number_;
  call.source->when_gone([this, number] {
    const std::lock_guard held(mutex_);
    left_alone_ |= number == number_;
  });
  auto started =
      Thread::start("backup", [this, request = std::move(request)](const std::stop_token&) { run(request); });
  if (!started.ok()) {
    running_ = false;
    return error_body(started.error().sentence());
  }
  thread_ = std::move(started).value();
  return "{}";
}

void BackupMaker::run(const BackupRequest& request) {
  log(LogLevel::kInfo, {"A backup into ", request.directory, " begins."});
  const uint64_t total = bytes_about(engine_);
  {
    const std::lock_guard lock(mutex_);
    total_ = total;
  }
  auto made = row_.back_up(engine_, request);
  if (made.ok()) log(LogLevel::kInfo, {"Backup ", std::to_string(made->backup.id), " is in ", request.directory, "."});
  std::lock_guard lock(mutex_);
  const std::string_view why = left_alone_ ? " The client that asked for it has gone." : "";
  if (!made.ok()) log(LogLevel::kError, {made.error().sentence(), why});
  made_.emplace(std::move(made));
  running_ = false;
}

std::string BackupMaker::describe() {
  std::lock_guard lock(mutex_);
  if (!running_ && !made_) return error_body("This server has made no backup yet.");
  if (!running_ && !made_->ok()) return error_body(made_->error().sentence());
  wire::JsonWriter json;
  const auto number = [&](std::string_view name, uint64_t value) {
    json.key(name);
    json.number(static_cast<int64_t>(value));
  };
  json.begin_object();
  json.key("State");
  json.string(running_ ? "RUNNING" : "DONE");
  number("CopiedBytes", bytes_);
  number("StoreBytes", total_);
  if (!running_) {
    number("Id", (*made_)->backup.id);
    number("Bytes", (*made_)->backup.bytes);
    number("NewBytes", (*made_)->new_bytes);
    number("MendedFiles", (*made_)->mended);
    number("DamagedFiles", (*made_)->damaged);
    json.key("LostBackups");
    json.begin_array();
    for (const uint32_t id : (*made_)->lost) json.number(static_cast<int64_t>(id));
    json.end_array();
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::cli
