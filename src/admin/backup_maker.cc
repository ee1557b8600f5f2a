#include "admin/backup_maker.h"

#include <utility>

#include "base/log.h"
#include "engines/stores.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::admin {

namespace {

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

BackupMaker::~BackupMaker() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void BackupMaker::add_to(Admin& admin) {
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
  if (engine_.maintenance() == nullptr) return error_body(backed_up_by_);
  const MutexLock lock(mutex_);
  if (running_) return error_body("The server is already making a backup; wait until it is done.");
  if (thread_.joinable()) thread_.join();
  const storage::OnBytes progress = [this](uint64_t bytes) {
    const MutexLock held(mutex_);
    bytes_ = bytes;
    return !stopping_ && !abandoned_;
  };
  storage::BackupRequest request{directory, keep.present() ? static_cast<size_t>(keep.as_integer()) : 0, progress,
                                 mend.present() && mend.as_boolean()};
  running_ = true;
  abandoned_ = false;
  bytes_ = 0;
  total_ = 0;
  made_.reset();
  const uint64_t number = ++number_;
  call.source->when_gone([this, number] {
    const MutexLock held(mutex_);
    abandoned_ |= number == number_;
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

void BackupMaker::run(const storage::BackupRequest& request) {
  log(LogLevel::kInfo, {"A backup into ", request.directory, " begins."});
  const uint64_t total = bytes_about(engine_);
  {
    const MutexLock lock(mutex_);
    total_ = total;
  }
  auto made = engine_.maintenance()->back_up(request);
  if (made.ok()) log(LogLevel::kInfo, {"Backup ", std::to_string(made->backup.id), " is in ", request.directory, "."});
  const MutexLock lock(mutex_);
  const std::string_view why = abandoned_ ? " The client that asked for it has gone." : "";
  if (!made.ok()) log(LogLevel::kError, {made.error().sentence(), why});
  made_.emplace(std::move(made));
  running_ = false;
}

std::string BackupMaker::describe() {
  const MutexLock lock(mutex_);
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

}  // namespace partita::admin
