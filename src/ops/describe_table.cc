#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/table_reply.h"
#include "table/tables.h"

namespace partita::ops {

namespace {

struct DescribeTable {
  using Request = table::NamedTable;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Task<Result<Described>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(table::Table found, co_await table::describe_table(context.database, request.name));
    co_return Described{std::move(found), context.database.clock().now_ms()};
  }

  static std::string encode(const Context& context, const Described& found) {
    return table_reply(context, "Table", found);
  }
};

}  // namespace

Task<Result<std::string>> describe_table(const Context& context, wire::JsonDocument document) {
  return serve_control<DescribeTable>(context, std::move(document));
}

}  // namespace partita::ops
