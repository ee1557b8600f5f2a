#include "cli/seed.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/quantity.h"
#include "base/random.h"
#include "cli/local_calls.h"
#include "engines/stores.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "ops/execution.h"
#include "ops/json_codec.h"
#include "ops/operation.h"
#include "table/maintenance/clone.h"
#include "table/maintenance/seed_mark.h"
#include "table/open/database.h"
#include "wire/fault_table.h"
#include "wire/item_reader.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/shape_check.h"

namespace partita::cli {

namespace {

using wire::Exception;
using wire::JsonDocument;

constexpr size_t kItemsAtOnce = 100;              // TransactWriteItems takes no more
constexpr size_t kBytesAtOnce = size_t{1} << 20;  // nor four times this
// The most that one transaction seeds: bytes of files, and of their items.
constexpr uintmax_t kFilesAtOnce = uintmax_t{1} << 20;
constexpr size_t kRowsAtOnce = size_t{4} << 20;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(10);
// The server that seeds updates its mark this often. Without an update during the lease, it counts as gone.
constexpr auto kTouched = std::chrono::seconds(1);
constexpr auto kLease = std::chrono::seconds(5);

Error wrong(const std::filesystem::path& file, std::string_view what) {
  return Error(ErrorKind::kInvalid, file.string() + ": " + std::string(what));
}

// Error: kInvalid.
Result<std::ifstream> open_file(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream text;
  if (std::filesystem::is_regular_file(file, ignored)) text.open(file, std::ios::binary);
  if (!text.is_open()) return wrong(file, "this cannot be read, or is no file.");
  return text;
}

// These signals are blocked while a server starts; other verbs end by them.
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

bool is(const ops::Reply& reply, Exception exception) {
  const auto body = JsonDocument::parse(reply.body);
  return body.ok() && text_of(body->root().get("__type")).ends_with(wire::name_of(exception).name);
}

std::string body_about(std::string_view table) {
  wire::JsonWriter json;
  json.begin_object();
  json.member("TableName", table);
  json.end_object();
  return std::move(json).take();
}

struct Line {
  size_t number;  // in the file, from 1
  std::string text;

  // "Item": {...}
  std::string_view member() const {
    const size_t begin = text.find('{') + 1;
    return std::string_view(text).substr(begin, text.rfind('}') - begin);
  }
};

// The keys of a table, from CreateTable or DescribeTable.
struct KeyNames {
  std::string hash;
  std::vector<std::string> schema;                // in its order
  std::map<std::string, std::string> attributes;  // those of indexes too: names and types
  bool operator==(const KeyNames&) const = default;
};

KeyNames keys_in(const wire::JsonValue& definition) {
  KeyNames keys;
  for (const wire::JsonValue element : definition.get("KeySchema").elements()) {
    const std::string name = text_of(element.get("AttributeName"));
    const std::string type = text_of(element.get("KeyType"));
    if (type == "HASH") keys.hash = name;
    keys.schema.push_back(name + " " + type);
  }
  for (const wire::JsonValue element : definition.get("AttributeDefinitions").elements()) {
    keys.attributes[text_of(element.get("AttributeName"))] = text_of(element.get("AttributeType"));
  }
  return keys;
}

class Seeding {
 public:
  Seeding(ops::Service& service, bool alone)
      : calls_(service), engine_(service.database()->engine()), alone_(alone), claim_(system_random().next() | 1) {}

  // Continues an interrupted seeding; waits while another server seeds.
  Result<void> begin() {
    std::optional<table::SeenSeedMark> last;
    Clock::time_point since;
    bool told = false;
    while (!is_told_to_stop()) {
      PARTITA_TRY(auto seen, wait_for(table::find_seed_mark(engine_)));
      if (!last || !seen || last->version != seen->version) since = Clock::now();
      last = seen;
      const bool free = !seen || alone_ || seen->mark.claim == 0 || Clock::now() - since >= kLease;
      if (free) {
        tables_ = seen ? seen->mark.tables : table::SeededTables();
        PARTITA_TRY(const bool ours, wait_for(table::claim_seed_mark(engine_, std::move(seen), claim_)));
        touched_ = Clock::now();
        if (ours) return {};
        continue;
      }
      if (!std::exchange(told, true)) {
        log(LogLevel::kInfo, {"Another server is seeding the store; waiting until it is done, or is gone."});
      }
      std::this_thread::sleep_for(10 * kPause);
    }
    return Error(ErrorKind::kUnavailable, "stopped by a signal, while another server seeds the store.");
  }

  // Tables that another directory created remain in the mark.
  Result<void> end() {
    for (const std::string& table : named_) tables_.erase(table);
    PARTITA_TRY(const bool ours, wait_for(table::end_seeding(engine_, claim_, tables_)));
    return ours ? Result<void>() : taken_over();
  }

  Result<void> make_table(const std::filesystem::path& file) {
    PARTITA_TRY(const std::ifstream opened, open_file(file));
    std::ostringstream text;
    text << opened.rdbuf();
    const std::string body = std::move(text).str();
    const auto parsed = JsonDocument::parse(body);
    if (!parsed.ok()) return wrong(file, "this is not JSON.");
    const std::string table = text_of(parsed->root().get("TableName"));
    if (table.empty()) return wrong(file, "this is not what CreateTable takes: there is no TableName.");
    if (!named_.insert(table).second) return wrong(file, "another file makes the table " + table + " already.");
    PARTITA_TRY(const std::optional<ops::Reply> described, describe(file, table));
    bool made = false;
    bool begun = false;
    if (described) {
      PARTITA_TRY(begun, is_begun(table, *described));
    } else {
      PARTITA_TRY(made, create(file, table, *parsed, body));
    }
    if (begun) {
      const auto known = JsonDocument::parse(described->body);
      if (keys_in(known->root().get("Table")) != keys_in(parsed->root())) {
        return wrong(file, "an earlier start has begun the table " + table +
                               " with other keys. Delete it, or begin with an empty store.");
      }
      PARTITA_TRY_VOID(note(table, id_in(*described, "Table")));
    }
    if (!made && !begun) {
      log(LogLevel::kInfo, {"The table ", table, " is there already, and is not seeded."});
      return {};
    }
    PARTITA_TRY(const bool active, wait_until_active(table));
    if (!active) return wrong(file, "the table did not become active in a minute.");
    made_[table] = keys_in(parsed->root()).hash;
    log(LogLevel::kInfo,
        {"The table ", table, made ? " was made" : " was begun earlier", ", as ", file.string(), " says."});
    return {};
  }

  Result<void> put_items(const std::filesystem::path& file) {
    const std::string table = file.stem().string();
    if (!made_.contains(table)) {
      PARTITA_TRY(const auto described, describe(file, table));
      return described ? Result<void>() : wrong(file, "there is no table " + table + ".");
    }
    PARTITA_TRY(std::ifstream lines, open_file(file));
    std::vector<Line> batch;
    size_t bytes = 0;  // of the batch
    size_t number = 0;
    items_ = there_ = 0;
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
      PARTITA_TRY_VOID(put(file, table, std::exchange(batch, {})));
      bytes = 0;
    }
    if (lines.bad()) return wrong(file, "behind line " + std::to_string(number) + " it cannot be read.");
    PARTITA_TRY_VOID(put(file, table, std::move(batch)));
    const std::string there = there_ == 0 ? "" : "; " + std::to_string(there_) + " were there already";
    log(LogLevel::kInfo, {counted(items_, "item was put from ", "items were put from "), file.string(), there, "."});
    return {};
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::string id_in(const ops::Reply& reply, std::string_view where) {
    const auto body = JsonDocument::parse(reply.body);
    return body.ok() ? text_of(body->root().get(where).get("TableId")) : std::string();
  }

  static Error taken_over() {
    return Error(ErrorKind::kUnavailable, "another server has taken over the seeding; start this one again.");
  }

  // Nothing: the table does not exist.
  Result<std::optional<ops::Reply>> describe(const std::filesystem::path& file, const std::string& table) {
    ops::Reply reply = calls_.ask("DescribeTable", body_about(table));
    if (reply.status == 200) return std::optional(std::move(reply));
    if (is(reply, Exception::kResourceNotFound)) return std::optional<ops::Reply>();
    return wrong(file, message_of(reply));
  }

  // False: another client has created it.
  Result<bool> create(const std::filesystem::path& file, const std::string& table, const JsonDocument& parsed,
                      const std::string& body) {
    PARTITA_TRY_VOID(note(table, ""));
    const ops::Reply reply = calls_.ask("CreateTable", body);
    if (reply.status == 200) {
      PARTITA_TRY_VOID(note(table, id_in(reply, "TableDescription")));
      return true;
    }
    tables_.erase(table);
    if (is(reply, Exception::kResourceInUse)) {
      PARTITA_TRY_VOID(note());
      return false;
    }
    const std::string where = wire::misfit(parsed.root(), *ops::find_operation("CreateTable")->json.shape);
    return wrong(file, where + (where.empty() ? "" : ": ") + message_of(reply));
  }

  // Whether an interrupted seeding created the table. A table without a noted id counts if it is empty.
  Result<bool> is_begun(const std::string& table, const ops::Reply& described) {
    const auto begun = tables_.find(table);
    if (begun == tables_.end()) return false;
    bool same = begun->second == id_in(described, "Table");
    if (begun->second.empty()) {
      PARTITA_TRY_VOID(wait_until_active(table));
      api::RangeRequest all;
      all.table = table;
      ops::RangeExecution scan(std::move(all));
      same = calls_.run("Scan", scan).ok() && scan.reply().scanned == 0;
    }
    if (!same) tables_.erase(begun);
    return same;
  }

  // Notes the table for the next seeding, in case this one is interrupted.
  Result<void> note(const std::string& table, std::string id) {
    tables_[table] = std::move(id);
    return note();
  }
  Result<void> note() {
    PARTITA_TRY(const bool ours, wait_for(table::note_seeding(engine_, {tables_, claim_})));
    touched_ = Clock::now();
    return ours ? Result<void>() : taken_over();
  }

  // Renews the claim, and fails if another server has taken it over.
  Result<void> touch() { return alone_ || Clock::now() - touched_ < kTouched ? Result<void>() : note(); }

  Result<bool> wait_until_active(const std::string& table) {
    const auto deadline = Clock::now() + kPatience;
    while (Clock::now() < deadline) {
      const ops::Reply reply = calls_.ask("DescribeTable", body_about(table));
      const auto body = JsonDocument::parse(reply.body);
      if (body.ok() && text_of(body->root().get("Table").get("TableStatus")) == "ACTIVE") return true;
      PARTITA_TRY_VOID(touch());
      std::this_thread::sleep_for(kPause);
    }
    return false;
  }

  // A Put of the line's item that replaces no existing item.
  Result<api::WriteAction> put_of(const std::string& table, const Line& line) const {
    PARTITA_TRY(const JsonDocument parsed, JsonDocument::parse(line.text));
    api::WriteAction action;
    PARTITA_TRY(action.item, wire::decode_encoded_item(parsed.root().get("Item")));
    PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(action)));
    expr::ConditionNode absent;
    absent.op = expr::ConditionOp::kAttributeNotExists;
    absent.operands.emplace_back().path.attribute = made_.at(table);
    action.condition = expr::Condition(std::move(absent));
    return action;
  }

  // The same as the JSON of PutItem, whose error describes the fault of the line.
  std::string put_body(const std::string& table, const Line& line) const {
    wire::JsonWriter json;
    json.begin_object();
    json.member("TableName", table);
    json.raw(line.member());
    json.member("ConditionExpression", "attribute_not_exists(#hash)");
    json.begin_object("ExpressionAttributeNames");
    json.member("#hash", made_.at(table));
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }

  // Stops at the first line with an error, which names its number, perhaps the member, and the reason.
  Result<void> put_one_by_one(const std::filesystem::path& file, const std::string& table,
                              const std::vector<Line>& batch) {
    for (const Line& line : batch) {
      const ops::Reply reply = calls_.ask("PutItem", put_body(table, line));
      const bool there = is(reply, Exception::kConditionalCheckFailed);
      if (reply.status == 200 || there) {
        ++(there ? there_ : items_);
        continue;
      }
      const auto parsed = JsonDocument::parse(line.text);
      std::string where = wire::misfit(parsed->root(), *ops::find_operation("PutItem")->json.shape);
      for (const auto [name, value] : parsed->root().get("Item").members()) {
        if (where.empty() && !wire::decode_value(value).ok()) where = "Item." + std::string(name);
      }
      const std::string separator = where.empty() ? "" : ", ";
      return wrong(file, "line " + std::to_string(line.number) + separator + where + ": " + message_of(reply));
    }
    return {};
  }

  // Removes the lines whose keys exist from the batch. False: the transaction failed for another reason.
  bool pass_over_those_there(const Error& refusal, std::vector<Line>& batch) {
    const auto* detail = dynamic_cast<const model::TransactionCancelledDetail*>(refusal.detail().get());
    if (detail == nullptr || detail->reasons.size() != batch.size()) return false;
    std::vector<Line> left;
    for (size_t i = 0; i < batch.size(); ++i) {
      const std::optional<Error>& error = detail->reasons[i].error;
      if (!error || model::fault_of(*error) != model::Fault::kConditionFailed) left.push_back(std::move(batch[i]));
    }
    const size_t passed_over = batch.size() - left.size();
    there_ += passed_over;
    batch = std::move(left);
    return passed_over > 0;
  }

  // All lines in one transaction. Error: also that of a line.
  Result<void> put_together(const std::string& table, const std::vector<Line>& batch) {
    api::TransactWriteRequest request;
    for (const Line& line : batch) {
      PARTITA_TRY(api::WriteAction action, put_of(table, line));
      request.parts.push_back({table, std::move(action)});
    }
    PARTITA_TRY_VOID(api::check_total_size(request));
    ops::TransactWriteExecution execution(std::move(request));
    return calls_.run("TransactWriteItems", execution);
  }

  Result<void> put(const std::filesystem::path& file, const std::string& table, std::vector<Line> batch) {
    while (!batch.empty()) {
      if (is_told_to_stop()) {
        return Error(ErrorKind::kUnavailable, file.string() + ": stopped by a signal; the table has " +
                                                  std::to_string(items_) +
                                                  " of the items. The next start with --seed puts the others.");
      }
      PARTITA_TRY_VOID(touch());
      const auto together = put_together(table, batch);
      if (together.ok()) {
        items_ += batch.size();
        return {};
      }
      if (!pass_over_those_there(together.error(), batch)) return put_one_by_one(file, table, batch);
    }
    return {};
  }

  LocalCalls calls_;
  storage::Engine& engine_;
  const bool alone_;
  const uint64_t claim_;
  Clock::time_point touched_;
  table::SeededTables tables_;               // by this one or an earlier one, as the store knows
  std::set<std::string> named_;              // by files of this directory
  std::map<std::string, std::string> made_;  // those to be filled: their hash keys
  size_t items_ = 0;                         // that were put, of this file
  size_t there_ = 0;                         // that were there, of this file
};

Result<void> seed_with(const std::vector<std::filesystem::path>& files, ops::Service& service, bool alone) {
  Seeding seeding(service, alone);
  PARTITA_TRY_VOID(seeding.begin());
  for (const auto& file : files) {
    if (file.extension() == ".json") PARTITA_TRY_VOID(seeding.make_table(file));
  }
  for (const auto& file : files) {
    if (file.extension() == ".jsonl") PARTITA_TRY_VOID(seeding.put_items(file));
  }
  return seeding.end();
}

// Seeds a database in memory and stores its rows in one transaction. False: nothing was done, because the database has
// or had a table, or the data is too large.
Result<bool> seed_at_once(const std::vector<std::filesystem::path>& files, table::Database& into) {
  uintmax_t bytes = 0;
  for (const auto& file : files) {
    std::error_code unknown;
    const uintmax_t size =
        std::filesystem::is_regular_file(file, unknown) ? std::filesystem::file_size(file, unknown) : 0;
    if (!unknown) bytes += size;
  }
  if (bytes > kFilesAtOnce || !into.catalog().all().empty()) return false;
  PARTITA_TRY(const std::unique_ptr<storage::Engine> memory, open_store("memory:"));
  {
    PARTITA_TRY(const auto made,
                table::Database::open(*memory, into.clock(), into.random(), {.updating_ms = 0, .deleting_ms = 0}));
    ops::Service service(*made);
    PARTITA_TRY_VOID(seed_with(files, service, true));
  }
  return wait_for(table::clone_into(*memory, into, kRowsAtOnce));
}

// In order.
Result<std::vector<std::filesystem::path>> files_in(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) files.push_back(entry.path());
  if (error) return wrong(directory, "the directory cannot be read: " + error.message() + ".");
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<void> check_seed(const std::string& directory) {
  PARTITA_TRY_VOID(files_in(directory));
  return {};
}

Result<void> seed(const std::string& directory, ops::Service& service, bool alone) {
  PARTITA_TRY(const auto files, files_in(directory));
  PARTITA_TRY(const bool done, seed_at_once(files, *service.database()));
  return done ? Result<void>() : seed_with(files, service, alone);
}

}  // namespace partita::cli
