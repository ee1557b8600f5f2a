#include "ops/json_codec.h"
#include "ops/tables/table_reply.h"
#include "table/control/tables.h"

namespace partita::ops {

namespace {

struct DescribeTable {
  using Execution = ControlExecutionOf<DescribeTable>;
  using Reply = Described;
  using Request = api::NamedTable;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<Described>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(table::Table found, co_await table::describe_table(context.database, request.name));
    co_return Described{std::move(found), context.database.clock().now_ms()};
  }

  static std::string encode(const Context& context, const Described& found) {
    return table_reply(context, "Table", found);
  }
};

}  // namespace

constinit const JsonCodec describe_table = json_codec<DescribeTable>(wire::shapes::kDescribeTable);

}  // namespace partita::ops
