// TableDescription, as CreateTable, DescribeTable, UpdateTable and DeleteTable all answer it.
#pragma once

#include <string>
#include <string_view>

#include "ops/operation.h"
#include "table/schema.h"

namespace partita::ops {

// A table as of a moment: what began after it has not happened yet. What was changed is as of the change, so that the
// answer shows it going on.
struct Described {
  table::Table table;
  int64_t at_ms = 0;
};

// The whole reply: {"TableDescription": {...}}, or {"Table": {...}} for DescribeTable.
std::string table_reply(const Context& context, std::string_view member, const Described& found);

}  // namespace partita::ops
