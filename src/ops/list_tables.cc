#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "table/tables.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using wire::Field;

struct ListTables {
  using Request = table::ListRequest;

  static Result<Request> decode(const wire::Members& in) {
    constexpr int64_t kMostNames = 100;  // ListTables in DynamoDB's API reference
    Request request;
    request.after = in.text(Field::kExclusiveStartTableName);
    request.limit = static_cast<size_t>(in.integer(Field::kLimit).value_or(kMostNames));
    return request;
  }

  static Task<Result<table::NamePage>> run(const Context& context, const Request& request) {
    return table::list_tables(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const table::NamePage& page) {
    wire::JsonWriter json;
    json.begin_object();
    json.key("TableNames");
    json.begin_array();
    for (const auto& name : page.names) json.string(name);
    json.end_array();
    if (!page.last.empty()) {
      json.key("LastEvaluatedTableName");
      json.string(page.last);
    }
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> list_tables(const Context& context, wire::JsonDocument document) {
  return serve_control<ListTables>(context, std::move(document));
}

}  // namespace partita::ops
