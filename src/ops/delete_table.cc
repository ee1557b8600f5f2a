#include "ops/handlers.h"
#include "ops/request.h"
#include "ops/table_reply.h"
#include "table/tables.h"

namespace partita::ops {

Task<Result<std::string>> delete_table(const Context& context, wire::JsonValue body) {
  PARTITA_CO_TRY(const std::string name, table_name(body, context));
  const int64_t at_ms = context.database.clock().now_ms();
  auto deleted = co_await table::delete_table(context.database, name);
  if (!deleted.ok()) co_return std::move(deleted).error();
  co_return table_reply(context, "TableDescription", **deleted, at_ms);
}

}  // namespace partita::ops
