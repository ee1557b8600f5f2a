// TableDescription in the replies of CreateTable, DescribeTable, UpdateTable and DeleteTable.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "ops/operation.h"
#include "table/rows/schema.h"
#include "wire/json_writer.h"

namespace partita::ops {

// A table at a moment. A change of settings is described as of its own moment, so that the reply shows it in progress.
struct Described {
  table::Table table;
  int64_t at_ms = 0;
};

// The member "KeySchema".
void write_keys(wire::JsonWriter& json, const model::KeySchema& keys);

// The whole reply: {"TableDescription": {...}}, or {"Table": {...}} for DescribeTable.
std::string table_reply(const Context& context, std::string_view member, const Described& found);

// Base of the operations that change a table. `kChange(database, request)` makes the change.
template <class RequestOfTable, auto kChange>
struct TableChange {
  using Request = RequestOfTable;
  using Reply = Described;

  static Task<Result<Described>> run(const Context& context, const Request& request) {
    const int64_t at_ms = context.database.clock().now_ms();
    PARTITA_CO_TRY(table::Table changed, co_await kChange(context.database, request));
    co_return Described{std::move(changed), at_ms};
  }

  static std::string encode(const Context& context, const Described& changed) {
    return table_reply(context, "TableDescription", changed);
  }
};

}  // namespace partita::ops
