#include "model/fault.h"
#include "table/control/tables.h"

namespace partita::table {

namespace {

// Waits for a table that is about to be gone, as describe_table() does, so that a list right after DeleteTable does not
// contain it. A table that takes longer is listed, and no other is waited for.
Task<Result<void>> drop_vanishing(TableContext& context, std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end();) {
    const Table table = context.catalog().find(*name);
    if (table == nullptr || table->status != Status::kDeleting) {
      ++name;
      continue;
    }
    PARTITA_CO_TRY(const Table left, co_await context.settled_table(*name));
    if (left != nullptr) break;
    name = names.erase(name);
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<Table>> describe_table(TableContext& context, std::string name) {
  PARTITA_CO_TRY(Table table, co_await context.settled_table(name));
  if (table == nullptr) {
    std::vector<std::string> args{name};
    co_return model::refuse(model::Fault::kTableNotFound, std::move(args));
  }
  co_return table;
}

Task<Result<api::ListTablesReply>> list_tables(TableContext& context, const api::ListTablesRequest& request) {
  api::ListTablesReply page;
  // One more than wanted tells whether there are more.
  PARTITA_CO_TRY(page.names, co_await context.catalog().names(request.after, request.limit + 1));
  if (page.names.size() > request.limit) {
    page.names.resize(request.limit);
    page.last = page.names.back();
  }
  PARTITA_CO_TRY_VOID(co_await drop_vanishing(context, page.names));
  co_return page;
}

}  // namespace partita::table
