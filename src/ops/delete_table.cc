#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/table_reply.h"
#include "table/tables.h"

namespace partita::ops {

namespace {

struct DeleteTable {
  using Request = table::NamedTable;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Task<Result<Described>> run(const Context& context, const Request& request) {
    const int64_t at_ms = context.database.clock().now_ms();
    PARTITA_CO_TRY(table::Table deleted, co_await table::delete_table(context.database, request.name));
    co_return Described{std::move(deleted), at_ms};
  }

  static std::string encode(const Context& context, const Described& deleted) {
    return table_reply(context, "TableDescription", deleted);
  }
};

}  // namespace

Task<Result<std::string>> delete_table(const Context& context, wire::JsonDocument document) {
  return serve_control<DeleteTable>(context, std::move(document));
}

}  // namespace partita::ops
