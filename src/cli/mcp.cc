#include "cli/mcp.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "admin/admin.h"
#include "auth/identities.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/random.h"
#include "cli/local_calls.h"
#include "cli/mcp_calls.h"
#include "cli/mcp_undo.h"
#include "cli/seed.h"
#include "engines/stores.h"
#include "namespaces/database_host.h"
#include "namespaces/namespaces.h"
#include "ops/json_codec.h"
#include "ops/operation.h"
#include "ops/service.h"
#include "table/maintenance/snapshots.h"
#include "table/open/database.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/legible.h"
#include "wire/shape.h"

namespace partita::cli {

namespace {

using wire::JsonDocument;
using wire::JsonValue;
using wire::JsonWriter;
using wire::Shape;
using wire::ShapeKind;

// Those of JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoMethod = -32601;
constexpr int kInvalidParams = -32602;

// Newest first; see modelcontextprotocol.io.
constexpr std::array<std::string_view, 3> kProtocols = {"2025-06-18", "2025-03-26", "2024-11-05"};

// As much as a document of JSON has, and requests of DynamoDB. Of what is longer no more is kept.
constexpr size_t kMostLine = size_t{16} << 20;

struct Tool {
  std::string_view operation;
  bool writes;
  std::string_view description;
};

constexpr std::array kTools = {
    Tool{"ListTables", false, "The names of all tables."},
    Tool{"DescribeTable", false, "A table's keys, indexes, size and state. Look here before you ask for items."},
    Tool{"GetItem", false, "One item, by its whole primary key."},
    Tool{"BatchGetItem", false, "Up to 100 items of one or more tables, by their primary keys."},
    Tool{"Query", false,
         "The items of one partition key, in the order of the sort key, of a table or of an index. Use "
         "KeyConditionExpression, and Limit to see a few."},
    Tool{"Scan", false, "All items of a table, a page at a time. Use Limit, since tables may be large."},
    Tool{"TransactGetItems", false, "Several items as they were at one moment."},
    Tool{"ExecuteStatement", false, "A statement of PartiQL, such as SELECT * FROM \"Music\" WHERE \"Artist\" = ?."},
    Tool{"SearchVectors", false,
         "The items whose vectors are nearest to a given one. Needs TableName, IndexName, SearchVector and TopK."},
    Tool{"DescribeTimeToLive", false, "Which attribute of a table's items says when they expire."},
    Tool{"PutItem", true, "Writes an item whole, in the place of one with the same key."},
    Tool{"UpdateItem", true, "Changes attributes of an item, or makes it, by an UpdateExpression."},
    Tool{"DeleteItem", true, "Deletes one item, by its whole primary key."},
    Tool{"BatchWriteItem", true, "Writes and deletes up to 25 items."},
    Tool{"TransactWriteItems", true, "Up to 100 writes, deletions and conditions, all or none."},
    Tool{"CreateTable", true, "Makes a table, and its indexes."},
    Tool{"UpdateTable", true, "Changes a table's settings, or adds or removes an index."},
    Tool{"DeleteTable", true, "Deletes a table with all of its items."},
    Tool{"UpdateTimeToLive", true, "Says which attribute of a table's items has the second at which they expire."},
};

// Calls of the operator, and one that is done here.
constexpr std::string_view kUndo = "Undo";
constexpr std::array kOwnTools = {
    Tool{"ListSnapshots", false, "The snapshots of the database, with their sizes."},
    Tool{"CreateSnapshot", true,
         "Remembers all tables and items as they are now, under a name. Do it before large changes."},
    Tool{"RollbackToSnapshot", true,
         "Sets all tables and items back to how a snapshot has them, also those that others changed since."},
    Tool{"DeleteSnapshot", true, "Forgets a snapshot."},
    Tool{kUndo, true,
         "Takes back the last call of this session that wrote or deleted items, unless they were changed by somebody "
         "else since. Again, it takes back the one before."},
};

// What is no reading is denied, not only not allowed: else the policy of a table might allow it.
constexpr std::string_view kReadOnly =
    R"({"Statement": [{"Effect": "Allow", "Resource": "*", "Action": "*"},
        {"Effect": "Deny", "Resource": "*", "NotAction": ["dynamodb:List*", "dynamodb:Describe*", "dynamodb:Get*",
         "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Scan", "dynamodb:SearchVectors",
         "dynamodb:PartiQLSelect", "partita:List*"]}]})";

// --- what a tool takes, as JSON Schema

void write_schema(JsonWriter& json, const Shape& shape);

void write_structure(JsonWriter& json, const Shape& shape) {
  json.member("type", "object");
  json.begin_object("properties");
  for (const wire::Member& member : shape.members) {
    json.key(member.name);
    write_schema(json, *member.shape);
  }
  json.end_object();
  json.begin_array("required");
  for (const wire::Member& member : shape.members) {
    if (member.absence != wire::Absence::kAllowed) json.string(member.name);
  }
  json.end_array();
}

void write_contents(JsonWriter& json, const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return write_structure(json, shape);
    case ShapeKind::kList:
      json.member("type", "array");
      json.key("items");
      return write_schema(json, *shape.element);
    case ShapeKind::kMap:
      json.member("type", "object");
      json.key("additionalProperties");
      return write_schema(json, *shape.element);
    case ShapeKind::kString:
      json.member("type", "string");
      if (shape.values.empty()) return;
      json.begin_array("enum");
      for (const std::string_view value : shape.values) json.string(value);
      return json.end_array();
    case ShapeKind::kInteger:
    case ShapeKind::kLong:
      return json.member("type", "integer");
    case ShapeKind::kDouble:
      return json.member("type", "number");
    case ShapeKind::kBoolean:
      return json.member("type", "boolean");
    case ShapeKind::kBlob:
      json.member("type", "string");
      return json.member("contentEncoding", "base64");
    case ShapeKind::kAttributeValue:
      json.member("type", "object");
      return json.member("description", R"(A typed value: {"S": "text"}, {"N": "1"}, {"BOOL": true}, {"L": []}.)");
  }
}

void write_schema(JsonWriter& json, const Shape& shape) {
  json.begin_object();
  write_contents(json, shape);
  json.end_object();
}

// --- messages

// Whether it can be repeated in the answer as it is.
bool is_id(const JsonValue& id) {
  if (id.is(JsonValue::Kind::kInteger)) return id.as_integer() < std::numeric_limits<int64_t>::max();
  return id.is(JsonValue::Kind::kString) || id.is(JsonValue::Kind::kDecimal);
}

std::string message(const std::optional<JsonValue>& id, std::string_view member, std::string_view contents) {
  JsonWriter json;
  json.begin_object();
  json.member("jsonrpc", "2.0");
  json.key("id");
  if (id) write_json(json, *id);
  if (!id) json.null();
  json.key(member);
  json.raw(contents);
  json.end_object();
  return std::move(json).take();
}

std::string failure(const std::optional<JsonValue>& id, int code, std::string_view why) {
  JsonWriter json;
  json.begin_object();
  json.member("code", int64_t{code});
  json.member("message", why);
  json.end_object();
  return message(id, "error", std::move(json).take());
}

class McpSession {
 public:
  McpSession(McpCalls& calls, bool writes, std::string_view version)
      : calls_(calls), undo_(calls), writes_(writes), version_(version) {}

  // The answer to a line; empty when none is due.
  std::string answer(const std::string& line) {
    const auto document = JsonDocument::parse(line);
    if (!document.ok()) return failure(std::nullopt, kParseError, "This is not JSON.");
    const JsonValue root = document->root();
    return root.is(JsonValue::Kind::kArray) && root.size() > 0 ? answer_batch(root) : answer_one(root);
  }

 private:
  // Of 2025-03-26, whose clients may send several at once.
  std::string answer_batch(const JsonValue& requests) {
    std::string answers;
    for (const JsonValue request : requests.elements()) {
      const std::string answer = answer_one(request);
      if (!answer.empty()) answers.append(answers.empty() ? "[" : ",").append(answer);
    }
    return answers.empty() ? answers : answers + "]";
  }

  std::string answer_one(const JsonValue& request) {
    const JsonValue said_id = request.get("id");
    const auto id = is_id(said_id) ? std::optional(said_id) : std::nullopt;
    const std::string method = text_of(request.get("method"));
    if (method.empty() || (said_id.present() && !id)) {
      return failure(id, kInvalidRequest, "This is no request of JSON-RPC 2.0.");
    }
    if (!id) return {};
    if (method == "initialize") return message(id, "result", begin(request.get("params")));
    if (method == "ping") return message(id, "result", "{}");
    if (method == "tools/list") return message(id, "result", list());
    if (method == "tools/call") return call(id, request.get("params"));
    return failure(id, kNoMethod, "There is no method " + method + ".");
  }

  std::string begin(const JsonValue& params) const {
    const std::string asked = text_of(params.get("protocolVersion"));
    const auto known = std::ranges::find(kProtocols, asked);
    JsonWriter json;
    json.begin_object();
    json.member("protocolVersion", known == kProtocols.end() ? kProtocols.front() : *known);
    json.key("capabilities");
    json.raw(R"({"tools":{}})");
    json.begin_object("serverInfo");
    json.member("name", "partita");
    json.member("version", version_);
    json.end_object();
    json.member(
        "instructions",
        writes_ ? "A DynamoDB. Values are typed, as in {\"S\": \"text\"} and {\"N\": \"1\"}."
                : "A DynamoDB that can only be read. Values are typed, as in {\"S\": \"text\"} and {\"N\": \"1\"}.");
    json.end_object();
    return std::move(json).take();
  }

  bool offers(const Tool& tool) const { return writes_ || !tool.writes; }

  std::string list() const {
    JsonWriter json;
    json.begin_object();
    json.begin_array("tools");
    for (const Tool& tool : kTools) {
      if (!offers(tool)) continue;
      begin_tool(json, tool);
      write_schema(json, *ops::find_operation(tool.operation)->json.shape);
      end_tool(json, !tool.writes && !(writes_ && tool.operation == "ExecuteStatement"));
    }
    for (const Tool& tool : kOwnTools) {
      if (!offers(tool)) continue;
      begin_tool(json, tool);
      const bool named = tool.writes && tool.operation != kUndo;
      json.raw(named ? R"({"type":"object","properties":{"Name":{"type":"string"}},"required":["Name"]})"
                     : R"({"type":"object","properties":{},"required":[]})");
      end_tool(json, !tool.writes);
    }
    json.end_array();
    json.end_object();
    return std::move(json).take();
  }

  static void begin_tool(JsonWriter& json, const Tool& tool) {
    json.begin_object();
    json.member("name", tool.operation);
    json.member("description", tool.description);
    json.key("inputSchema");
  }

  static void end_tool(JsonWriter& json, bool only_reads) {
    json.begin_object("annotations");
    json.member("readOnlyHint", only_reads);
    json.end_object();
    json.end_object();
  }

  static const Tool* find_any_tool(std::string_view name) {
    for (const std::span<const Tool> tools : {std::span<const Tool>(kTools), std::span<const Tool>(kOwnTools)}) {
      const auto found = std::ranges::find(tools, name, &Tool::operation);
      if (found != tools.end()) return &*found;
    }
    return nullptr;
  }

  const Tool* find_tool(std::string_view name) const {
    const Tool* const found = find_any_tool(name);
    return found != nullptr && offers(*found) ? found : nullptr;
  }

  std::string refusal_of(const std::string& name) const {
    const Tool* const found = find_any_tool(name);
    if (found == nullptr || writes_) return "There is no tool " + name + ".";
    return "The tool " + name + " writes, and this server may only read: start it as `partita mcp --write`.";
  }

  McpCalls::Answer carry_out(const Tool& tool, const JsonValue& arguments, std::string_view body) {
    const std::string_view name = tool.operation;
    if (name == kUndo) return undo_.undo();
    if (std::ranges::find(kOwnTools, name, &Tool::operation) != kOwnTools.end()) {
      McpCalls::Answer answer = calls_.ask(std::string(admin::kAdminPrefix) + std::string(name), body);
      if (name == "RollbackToSnapshot" && answer.status == 200) undo_.forget();
      return answer;
    }
    const bool changes = tool.writes || (name == "ExecuteStatement" && !is_select(text_of(arguments.get("Statement"))));
    std::optional<McpUndo::Change> change;
    if (writes_ && changes) change = undo_.before(name, arguments);
    McpCalls::Answer answer = calls_.ask(dynamodb_target(name), body);
    if (change && answer.status == 200) undo_.done(std::move(*change), answer.body);
    return answer;
  }

  std::string call(const std::optional<JsonValue>& id, const JsonValue& params) {
    const std::string name = text_of(params.get("name"));
    const Tool* const tool = find_tool(name);
    if (tool == nullptr) return failure(id, kInvalidParams, refusal_of(name));
    std::string body = "{}";
    const JsonValue arguments = params.get("arguments");
    if (arguments.present()) {
      JsonWriter json;
      write_json(json, arguments);
      body = std::move(json).take();
    }
    const McpCalls::Answer reply = carry_out(*tool, arguments, body);
    JsonWriter json;
    json.begin_object();
    json.begin_array("content");
    json.begin_object();
    json.member("type", "text");
    json.member("text", wire::legible(reply.body));  // another server may send any bytes
    json.end_object();
    json.end_array();
    json.member("isError", reply.status != 200);
    json.end_object();
    return message(id, "result", std::move(json).take());
  }

  McpCalls& calls_;
  McpUndo undo_;
  const bool writes_;
  const std::string_view version_;
};

// False: there is no more. A line that is too long is cut off behind kMostLine characters.
bool read_line(std::istream& in, std::string& line) {
  using Traits = std::istream::traits_type;
  line.clear();
  for (auto next = in.rdbuf()->sbumpc(); next != Traits::eof(); next = in.rdbuf()->sbumpc()) {
    if (next == '\n') return true;
    if (line.size() <= kMostLine) line.push_back(Traits::to_char_type(next));
  }
  return !line.empty();
}

// Who may change nothing cannot end it, and half of it is no state that anybody should read.
Result<void> refuse_half_rollback(storage::Engine& engine) {
  PARTITA_TRY(const std::string begun, wait_for(table::Snapshots::begun_rollback(engine, {})));
  if (begun.empty()) return {};
  return Error(ErrorKind::kUnavailable, "A rollback to the snapshot " + begun +
                                            " was begun: serve the store once, or say --write here, so that it ends.");
}

void answer_all(McpSession& session) {
  for (std::string text; read_line(std::cin, text);) {
    if (text.size() > kMostLine) {
      std::cout << failure(std::nullopt, kInvalidRequest, "A line has at most 16 MiB.") << std::endl;
      continue;
    }
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string answer = session.answer(text);
    if (!answer.empty()) std::cout << answer << std::endl;
  }
}

}  // namespace

Result<void> mcp(const McpOptions& line, std::string_view version) {
  if (!line.endpoint.empty()) {
    PARTITA_TRY(const auto calls, RemoteMcpCalls::open(line.endpoint, line.space, line.writes,
                                                       RemoteMcpCalls::Signer::of_environment(), system_clock()));
    McpSession session(*calls, line.writes, version);
    answer_all(session);
    return {};
  }
  const bool changes = line.writes || !line.seed.empty();
  PARTITA_TRY(const std::unique_ptr<storage::Engine> engine, open_store(line.store, changes));
  const bool alone = engine_of(line.store).exclusive;
  if (alone && !changes) PARTITA_TRY_VOID(refuse_half_rollback(*engine));
  const namespaces::DatabaseHost::Environment environment{*engine, system_clock(), system_random(), {}, nullptr, alone};
  const namespaces::DatabaseHost::MakeService serve = [](table::Database& database) {
    return std::make_unique<ops::Service>(database);
  };
  PARTITA_TRY(const std::unique_ptr<namespaces::DatabaseHost> host,
              namespaces::DatabaseHost::open(environment, {}, serve));
  ops::Service& service = host->service();
  if (!line.seed.empty()) PARTITA_TRY_VOID(seed(line.seed, service, alone));
  PARTITA_TRY(const auth::Policy read_only, auth::Policy::parse(kReadOnly, auth::Policy::Use::kIdentity));
  const auth::Identity reader{.name = "mcp",
                              .arn = "arn:aws:iam::" + std::string(auth::kAccountId) + ":user/mcp",
                              .id = "AIDAMCP",
                              .tags = {},
                              .policies = {&read_only}};
  namespaces::Namespaces namespaces(environment, *host, nullptr, namespaces::NamespacesBy::kNothing, 1);
  LocalMcpCalls calls(namespaces, line.writes ? nullptr : &reader);
  McpSession session(calls, line.writes, version);
  answer_all(session);
  return {};
}

}  // namespace partita::cli
