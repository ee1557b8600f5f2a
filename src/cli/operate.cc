#include "cli/operate.h"

#include <cstdio>
#include <string>
#include <string_view>

#include "admin/operator_calls.h"
#include "base/clock.h"
#include "base/quantity.h"
#include "cli/admin_client.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

using wire::JsonValue;

std::string body_of(const OperateOptions& options, std::string_view after) {
  wire::JsonWriter json;
  const auto say = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    json.member(name, text);
  };
  json.begin_object();
  if (options.operation == "MoveClock") {
    json.member(options.subject.empty() ? "OffsetSeconds" : "Seconds", options.offset_s);
  } else {
    say(options.operation == admin::kDescribeHeat ? "TableName" : "Name", options.subject);
  }
  say("Namespace", options.space);
  say("ExclusiveStartName", after);
  json.end_object();
  return std::move(json).take();
}

std::string count_of(const JsonValue& value, std::string_view one, std::string_view many) {
  return counted(static_cast<uint64_t>(integer_of(value)), one, many);
}

void print_answer(const std::string& operation, const JsonValue& answer) {
  for (const JsonValue name : answer.get("Namespaces").elements()) std::printf("%s\n", text_of(name).c_str());
  for (const JsonValue one : answer.get("Snapshots").elements()) {
    std::printf("%s: %s, %s\n", text_of(one.get("Name")).c_str(), count_of(one.get("Rows"), "row", "rows").c_str(),
                count_of(one.get("SizeBytes"), "byte", "bytes").c_str());
  }
  if (const JsonValue ahead = answer.get("OffsetSeconds"); ahead.present()) {
    const auto time_ms = static_cast<int64_t>(answer.get("Time").as_double() * 1e3);
    const int64_t by = integer_of(ahead);
    const std::string how_far = counted(static_cast<uint64_t>(by < 0 ? -by : by), "second", "seconds") +
                                (by < 0 ? " behind" : " ahead of") + " the machine's clock";
    std::printf("%sZ, %s\n", utc_text(time_ms).data(), by == 0 ? "the machine's time" : how_far.c_str());
  }
  std::printf("%s", text_of(answer.get("Text")).c_str());
  if (operation == "CreateSnapshot") {
    std::printf("%s\n", count_of(answer.get("Snapshot").get("Rows"), "row", "rows").c_str());
  }
  if (operation == "RollbackToSnapshot") {
    std::printf("%s written\n", count_of(answer.get("RowsWritten"), "row was", "rows were").c_str());
  }
}

}  // namespace

Result<void> operate(const OperateOptions& options) {
  PARTITA_TRY(AdminClient client, AdminClient::connect(options.server));
  // All else takes as long as there is much to do.
  if (!options.operation.starts_with("List")) client.wait(AdminClient::Wait::kLong);
  std::string after;
  do {
    PARTITA_TRY(const wire::JsonDocument said, client.ask(options.operation, body_of(options, after)));
    print_answer(options.operation, said.root());
    after = text_of(said.root().get("LastEvaluatedName"));
  } while (!after.empty());
  return {};
}

}  // namespace partita::cli
