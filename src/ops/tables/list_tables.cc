#include "ops/json_codec.h"
#include "table/control/tables.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using wire::Field;

struct ListTables {
  using Execution = ControlExecutionOf<ListTables>;
  using Reply = api::ListTablesReply;
  using Request = api::ListTablesRequest;

  static Result<Request> decode(const wire::Members& in) {
    constexpr int64_t kMostNames = 100;  // ListTables in DynamoDB's API reference
    Request request;
    request.after = in.text(Field::kExclusiveStartTableName);
    request.limit = static_cast<size_t>(in.integer(Field::kLimit).value_or(kMostNames));
    return request;
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<api::ListTablesReply>> run(const Context& context, const Request& request) {
    return table::list_tables(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const api::ListTablesReply& page) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("TableNames");
    for (const auto& name : page.names) json.string(name);
    json.end_array();
    if (!page.last.empty()) {
      json.member("LastEvaluatedTableName", page.last);
    }
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec list_tables = json_codec<ListTables>(wire::shapes::kListTables);

}  // namespace partita::ops
