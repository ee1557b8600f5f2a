#include "model/fault.h"
#include "ops/handlers.h"
#include "ops/request.h"
#include "ops/table_reply.h"

namespace partita::ops {

Task<Result<std::string>> describe_table(const Context& context, wire::JsonValue body) {
  PARTITA_CO_TRY(const std::string name, table_name(body, context));
  PARTITA_CO_TRY(const table::Table table, co_await context.database.settled_table(name));
  if (table == nullptr) {
    std::vector<std::string> args{name};
    co_return model::refuse(model::Fault::kTableNotFound, std::move(args));
  }
  co_return table_reply(context, "Table", *table, context.database.clock().now_ms());
}

}  // namespace partita::ops
