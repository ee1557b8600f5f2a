#include "app/operate.h"

#include <cstdio>
#include <string>
#include <string_view>

#include "app/admin_client.h"
#include "app/local_calls.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::app {

namespace {

using wire::JsonDocument;
using wire::JsonValue;

std::string body_of(const CommandLine& line, std::string_view after) {
  wire::JsonWriter json;
  const auto say = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    json.key(name);
    json.string(text);
  };
  json.begin_object();
  say("Name", line.subject);
  say("Namespace", line.space);
  say("ExclusiveStartName", after);
  json.end_object();
  return std::move(json).take();
}

std::string number_of(const JsonValue& value) {
  return value.is(JsonValue::Kind::kInteger) ? std::to_string(value.as_integer()) : "?";
}

void print(const std::string& operation, const JsonValue& answer) {
  for (const JsonValue name : answer.get("Namespaces").elements()) std::printf("%s\n", text_of(name).c_str());
  for (const JsonValue one : answer.get("Snapshots").elements()) {
    std::printf("%s: %s rows, %s bytes\n", text_of(one.get("Name")).c_str(), number_of(one.get("Rows")).c_str(),
                number_of(one.get("SizeBytes")).c_str());
  }
  if (operation == "CreateSnapshot") std::printf("%s rows\n", number_of(answer.get("Snapshot").get("Rows")).c_str());
  if (operation == "RollbackToSnapshot") {
    std::printf("%s rows were written\n", number_of(answer.get("RowsWritten")).c_str());
  }
}

}  // namespace

Result<void> operate(const CommandLine& line) {
  PARTITA_TRY(AdminClient client, AdminClient::connect(line.data));
  std::string after;
  do {
    PARTITA_TRY(const AdminClient::Answer answer, client.ask(line.operation, body_of(line, after)));
    const auto said = JsonDocument::parse(answer.body);
    if (!said.ok()) {
      return Error(ErrorKind::kUnavailable, "What answers at " + line.data + " is no server of Partita.");
    }
    const JsonValue root = said->root();
    if (answer.status != 200) {
      const std::string message = text_of(root.get("message"));
      return Error(ErrorKind::kUnavailable, message.empty() ? text_of(root.get("Message")) : message);
    }
    print(line.operation, root);
    after = text_of(root.get("LastEvaluatedName"));
  } while (!after.empty());
  return {};
}

}  // namespace partita::app
