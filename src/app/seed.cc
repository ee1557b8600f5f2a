#include "app/seed.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/local_calls.h"
#include "base/log.h"
#include "ops/operation.h"
#include "table/database.h"
#include "table/seed_mark.h"
#include "wire/item_reader.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/shape.h"

namespace partita::app {

namespace {

using wire::JsonDocument;

constexpr size_t kItemsAtOnce = 25;               // BatchWriteItem takes no more
constexpr size_t kBytesAtOnce = size_t{8} << 20;  // nor twice this
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(10);

Error wrong(const std::filesystem::path& file, std::string_view what) {
  return Error(ErrorKind::kInvalid, file.string() + ": " + std::string(what));
}

// Error: kInvalid.
Result<std::ifstream> open_file(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream text;
  if (std::filesystem::is_regular_file(file, ignored)) text.open(file, std::ios::binary);
  if (!text.is_open()) return wrong(file, "this can not be read, or is no file.");
  return text;
}

// Those signals wait while a server begins, and not in other verbs, which they end.
bool is_told_to_stop() {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}

std::string message_of(const ops::Reply& reply) {
  const auto body = JsonDocument::parse(reply.body);
  if (!body.ok()) return "status " + std::to_string(reply.status);
  const std::string type = text_of(body->root().get("__type"));
  const std::string message = text_of(body->root().get("message"));
  const std::string name = type.substr(type.find('#') + 1);
  return name + ": " + (message.empty() ? text_of(body->root().get("Message")) : message);
}

std::string body_about(std::string_view table) {
  wire::JsonWriter json;
  json.begin_object();
  json.key("TableName");
  json.string(table);
  json.end_object();
  return std::move(json).take();
}

struct Line {
  size_t number;  // in the file, from 1
  std::string text;
};

class Seeding {
 public:
  explicit Seeding(ops::Service& service) : calls_(service), engine_(service.database()->engine()) {}

  // What an earlier one has begun.
  Result<void> begin() {
    PARTITA_TRY(auto begun, wait_for(table::begun_seeding(engine_)));
    noted_ = begun.has_value();
    if (begun) tables_ = std::move(*begun);
    return {};
  }
  Result<void> end() { return noted_ ? wait_for(table::end_seeding(engine_)) : Result<void>(); }

  Result<void> make_table(const std::filesystem::path& file) {
    PARTITA_TRY(const std::ifstream opened, open_file(file));
    std::ostringstream text;
    text << opened.rdbuf();
    const std::string body = std::move(text).str();
    const auto parsed = JsonDocument::parse(body);
    if (!parsed.ok()) return wrong(file, "this is not JSON.");
    const std::string table = text_of(parsed->root().get("TableName"));
    if (table.empty()) return wrong(file, "this is not what CreateTable takes: there is no TableName.");
    const ops::Reply described = calls_.ask("DescribeTable", body_about(table));
    if (described.status == 200) {
      if (!is_begun(table, described)) {
        log(LogLevel::kInfo, {"The table ", table, " is there already, and is not seeded."});
        return {};
      }
    } else {
      PARTITA_TRY_VOID(note(table, ""));
      const ops::Reply reply = calls_.ask("CreateTable", body);
      if (reply.status != 200) {
        const std::string where = wire::misfit(parsed->root(), ops::find_operation("CreateTable")->shape);
        return wrong(file, where + (where.empty() ? "" : ": ") + message_of(reply));
      }
      PARTITA_TRY_VOID(note(table, id_in(reply, "TableDescription")));
    }
    if (!wait_until_active(table)) return wrong(file, "the table did not become active in a minute.");
    made_.insert(table);
    log(LogLevel::kInfo, {"The table ", table, described.status == 200 ? " was begun earlier" : " was made", ", as ",
                          file.string(), " says."});
    return {};
  }

  Result<void> put_items(const std::filesystem::path& file) {
    const std::string table = file.stem().string();
    if (!made_.contains(table)) {
      const ops::Reply described = calls_.ask("DescribeTable", body_about(table));
      return described.status == 200 ? Result<void>() : wrong(file, message_of(described));
    }
    PARTITA_TRY(std::ifstream lines, open_file(file));
    std::vector<Line> batch;
    size_t bytes = 0;  // of the batch
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const auto parsed = JsonDocument::parse(line);
      if (!parsed.ok() || !parsed->root().get("Item").present() || parsed->root().size() != 1) {
        return wrong(file, "line " + std::to_string(number) + " is not {\"Item\": {...}}.");
      }
      bytes += line.size();
      batch.push_back({number, std::move(line)});
      if (batch.size() < kItemsAtOnce && bytes < kBytesAtOnce) continue;
      PARTITA_TRY_VOID(put(file, table, batch));
      bytes = 0;
    }
    if (lines.bad()) return wrong(file, "behind line " + std::to_string(number) + " it can not be read.");
    if (!batch.empty()) PARTITA_TRY_VOID(put(file, table, batch));
    log(LogLevel::kInfo, {std::to_string(items_), " items were put, of ", file.string(), "."});
    items_ = 0;
    return {};
  }

 private:
  static std::string id_in(const ops::Reply& reply, std::string_view where) {
    const auto body = JsonDocument::parse(reply.body);
    return body.ok() ? text_of(body->root().get(where).get("TableId")) : std::string();
  }

  // Whether an earlier seeding has made the table, and not filled it for sure. One whose id it could not note any more
  // is told by its holding nothing.
  bool is_begun(const std::string& table, const ops::Reply& described) {
    const auto begun = tables_.find(table);
    if (begun == tables_.end()) return false;
    if (!begun->second.empty()) return begun->second == id_in(described, "Table");
    if (!wait_until_active(table)) return false;
    const ops::Reply scanned = calls_.ask("Scan", body_about(table));
    const auto body = JsonDocument::parse(scanned.body);
    return scanned.status == 200 && body.ok() && integer_of(body->root().get("ScannedCount")) == 0;
  }

  // For the next one, if this does not come to its end.
  Result<void> note(const std::string& table, std::string id) {
    tables_[table] = std::move(id);
    noted_ = true;
    return wait_for(table::note_seeding(engine_, tables_));
  }

  bool wait_until_active(const std::string& table) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      const ops::Reply reply = calls_.ask("DescribeTable", body_about(table));
      const auto body = JsonDocument::parse(reply.body);
      if (body.ok() && text_of(body->root().get("Table").get("TableStatus")) == "ACTIVE") return true;
      std::this_thread::sleep_for(kPause);
    }
    return false;
  }

  // What is wrong with the first line that can not be put: its number, perhaps the member, and the reason.
  std::string find_wrong(const std::string& table, const std::vector<Line>& batch, const ops::Reply& refused) {
    for (const Line& line : batch) {
      const auto parsed = JsonDocument::parse(line.text);
      const wire::JsonValue item = parsed->root().get("Item");
      wire::JsonWriter json;
      json.begin_object();
      json.key("TableName");
      json.string(table);
      json.key("Item");
      write_json(json, item);
      json.end_object();
      const ops::Reply reply = calls_.ask("PutItem", std::move(json).take());
      if (reply.status == 200) continue;
      std::string where = wire::misfit(parsed->root(), ops::find_operation("PutItem")->shape);
      for (const auto [name, value] : item.members()) {
        if (where.empty() && !wire::decode_value(value).ok()) where = "Item." + std::string(name);
      }
      return "line " + std::to_string(line.number) + (where.empty() ? "" : ", " + where) + ": " + message_of(reply);
    }
    return "up to line " + std::to_string(batch.back().number) + ": " + message_of(refused);
  }

  // Empties the batch.
  Result<void> put(const std::filesystem::path& file, const std::string& table, std::vector<Line>& batch) {
    if (is_told_to_stop()) {
      return Error(ErrorKind::kUnavailable, file.string() + ": stopped by a signal; the table has " +
                                                std::to_string(items_) +
                                                " of the items. The next start with --seed puts all of them.");
    }
    wire::JsonWriter json;
    json.begin_object();
    json.key("RequestItems");
    json.begin_object();
    json.key(table);
    json.begin_array();
    for (const Line& line : batch) {
      json.begin_object();
      json.key("PutRequest");
      json.raw(line.text);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    json.end_object();
    const ops::Reply reply = calls_.ask("BatchWriteItem", std::move(json).take());
    if (reply.status != 200) return wrong(file, find_wrong(table, batch, reply));
    const auto body = JsonDocument::parse(reply.body);
    if (!body.ok() || body->root().get("UnprocessedItems").size() != 0) {
      return Error(ErrorKind::kUnavailable, file.string() + ": the store did not take all items.");
    }
    items_ += batch.size();
    batch.clear();
    return {};
  }

  LocalCalls calls_;
  storage::Engine& engine_;
  table::SeededTables tables_;  // by this one or an earlier one, as the store knows
  bool noted_ = false;          // whether it knows of any seeding
  std::set<std::string> made_;  // those to be filled
  size_t items_ = 0;            // of this file
};

}  // namespace

Result<void> seed(const std::string& directory, ops::Service& service) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) files.push_back(entry.path());
  if (error) return wrong(directory, "the directory can not be read: " + error.message() + ".");
  std::ranges::sort(files);
  Seeding seeding(service);
  PARTITA_TRY_VOID(seeding.begin());
  for (const auto& file : files) {
    if (file.extension() == ".json") PARTITA_TRY_VOID(seeding.make_table(file));
  }
  for (const auto& file : files) {
    if (file.extension() == ".jsonl") PARTITA_TRY_VOID(seeding.put_items(file));
  }
  return seeding.end();
}

}  // namespace partita::app
