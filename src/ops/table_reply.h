// TableDescription, as CreateTable, DescribeTable, UpdateTable and DeleteTable all answer it.
#pragma once

#include <string>
#include <string_view>

#include "ops/operation.h"
#include "table/schema.h"

namespace partita::ops {

// The whole reply: {"TableDescription": {...}}, or {"Table": {...}} for DescribeTable; the table as it is at that time.
std::string table_reply(const Context& context, std::string_view member, const table::TableInfo& table, int64_t at_ms);

std::string table_arn(const Context& context, std::string_view name);

}  // namespace partita::ops
