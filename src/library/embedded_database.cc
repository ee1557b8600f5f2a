#include "library/embedded_database.h"

#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "auth/account.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/task.h"
#include "engines/stores.h"
#include "model/item_codec.h"
#include "ops/call.h"
#include "ops/operation.h"
#include "wire/json_writer.h"

namespace partita::library {

namespace {

constexpr std::string_view kContentType = "application/x-amz-json-1.0";
constexpr std::string_view kNothing = "{}";

class OwnedText final : public Owned {
 public:
  explicit OwnedText(std::string text) : text_(std::move(text)) {}
  std::string_view text() const { return text_; }

 private:
  const std::string text_;
};

Answer answer_of(ops::Reply reply) {
  auto text = std::make_unique<OwnedText>(std::move(reply.body));
  Answer answer{.status = reply.status, .body = text->text(), .owned = nullptr};
  answer.owned = std::move(text);
  return answer;
}

const ops::Operation& row_of(std::string_view name) {
  const ops::Operation* const row = ops::find_operation(name);
  PARTITA_CHECK(row != nullptr);
  return *row;
}

// The X-Amz-Target of each row of ops::operations().
std::vector<std::string> all_targets() {
  std::vector<std::string> targets;
  for (const ops::Operation& row : ops::operations()) targets.push_back(ops::target_of(row));
  return targets;
}

// `made` has it if it is not one of these.
std::string_view target_named(std::string_view operation, std::string& made) {
  static const std::vector<std::string> targets = all_targets();
  if (operation.contains('.')) return operation;
  const ops::Operation* const row = ops::find_operation(operation);
  if (row != nullptr) return targets[static_cast<size_t>(row - ops::operations().data())];
  made = ops::json_service(ops::Api::kDynamoDb).target;
  return made.append(operation);
}

// Absent: there was no memory.
template <class T>
std::optional<T> await(Task<T> task) {
  try {
    return wait_for(std::move(task));
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

}  // namespace

Result<std::unique_ptr<EmbeddedDatabase>> EmbeddedDatabase::open(const Options& options) {
  std::unique_ptr<EmbeddedDatabase> made(new EmbeddedDatabase);
  const std::string url = options.path.empty() ? "memory:" : store_in(options.path);
  PARTITA_TRY(made->engine_, open_store(url));
  made->caller_ = std::make_shared<auth::Caller>(
      auth::Caller{.access_key_id = "local", .region = options.region, .account_id = std::string(auth::kAccountId)});
  table::DatabaseOptions database;
  database.no_kinesis = "Kinesis streaming needs a server: `partita serve --kinesis-endpoint URL`.";
  const namespaces::DatabaseHost::Environment environment{.store = *made->engine_,
                                                          .clock = system_clock(),
                                                          .random = system_random(),
                                                          .options = std::move(database),
                                                          .exclusive = true,
                                                          .clock_ms = options.clock_ms};
  const auto make_service = [](table::Database& of) { return std::make_unique<ops::Service>(of); };
  PARTITA_TRY(made->host_, namespaces::DatabaseHost::open(environment, {}, make_service));
  return made;
}

Answer EmbeddedDatabase::call(std::string_view operation, std::string_view body) {
  std::string made;
  const ops::Call call{
      .target = target_named(operation, made), .content_type = kContentType, .body = body, .caller = caller_};
  std::optional<ops::Reply> reply = await(host_->service().call(call));
  return answer_of(reply ? *std::move(reply) : ops::out_of_memory());
}

// `refused`: the request cannot succeed as it is, and nothing was changed.
Answer EmbeddedDatabase::run(const ops::Operation& operation, ops::Execution& execution, bool& refused) {
  const std::optional<Result<void>> done = await(host_->service().run(operation, *caller_, execution));
  if (!done) return answer_of(ops::out_of_memory());
  if (done->ok()) return {.body = kNothing, .owned = nullptr};
  refused = done->error().kind() == ErrorKind::kInvalid;
  return answer_of(ops::refusal(done->error()));
}

// DynamoDB's words for a refusal depend on the request as a whole, so they all come from one place: the decoder of its
// JSON.
Answer EmbeddedDatabase::ask(std::string_view operation, std::string_view table, std::string_view member,
                             Attributes attributes, bool consistent) {
  wire::JsonWriter json;
  json.begin_object();
  json.member("TableName", table);
  json.key(member);
  write_attributes(json, attributes.first, attributes.count);
  if (consistent) json.member("ConsistentRead", true);
  json.end_object();
  return call(operation, std::move(json).take());
}

Answer EmbeddedDatabase::get(std::string_view table, Attributes key, bool consistent) {
  static const ops::Operation& row = row_of("GetItem");
  auto item = read_attributes(key.first, key.count);
  if (!item) return ask(row.name, table, "Key", key, consistent);
  api::GetRequest request;
  request.table = table;
  request.key = *std::move(item);
  request.consistent = consistent;
  ops::GetItemExecution execution(std::move(request));
  bool refused = false;
  Answer answer = run(row, execution, refused);
  if (refused) return ask(row.name, table, "Key", key, consistent);
  if (answer.status != 200 || !execution.reply().read.item) return answer;
  const api::FoundItem& found = *execution.reply().read.item;
  const auto* const stored = std::get_if<std::string>(&found);
  auto attributes = ItemAttributes::make(stored != nullptr ? *stored : std::get<std::string_view>(found));
  if (!attributes.ok()) return answer_of(ops::refusal(attributes.error()));
  answer.item = (*attributes)->first();
  answer.item_count = (*attributes)->count();
  answer.owned = std::move(attributes).value();
  return answer;
}

Answer EmbeddedDatabase::put(std::string_view table, Attributes item) {
  static const ops::Operation& row = row_of("PutItem");
  const auto read = read_attributes(item.first, item.count);
  if (!read) return ask(row.name, table, "Item", item, false);
  api::WriteRequest request;
  request.table = table;
  request.action.kind = api::WriteAction::Kind::kPut;
  request.action.item = model::encode_item(*read);
  bool refused = !api::check_item_size(api::named_bytes(request.action)).ok();
  if (refused) return ask(row.name, table, "Item", item, false);
  ops::WriteItemExecution execution(std::move(request));
  Answer answer = run(row, execution, refused);
  return refused ? ask(row.name, table, "Item", item, false) : std::move(answer);
}

Answer EmbeddedDatabase::erase(std::string_view table, Attributes key) {
  static const ops::Operation& row = row_of("DeleteItem");
  auto item = read_attributes(key.first, key.count);
  if (!item) return ask(row.name, table, "Key", key, false);
  api::WriteRequest request;
  request.table = table;
  request.action.kind = api::WriteAction::Kind::kDelete;
  request.action.key = *std::move(item);
  ops::WriteItemExecution execution(std::move(request));
  bool refused = false;
  Answer answer = run(row, execution, refused);
  return refused ? ask(row.name, table, "Key", key, false) : std::move(answer);
}

}  // namespace partita::library
