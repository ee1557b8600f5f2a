#include <algorithm>
#include <array>

#include "ops/handlers.h"
#include "ops/operation.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

namespace shapes = wire::shapes;

// clang-format off
const std::array kOperations = {
    Operation{"BatchGetItem", Kind::kRead, "dynamodb:BatchGetItem", shapes::kBatchGetItem, batch_get_item},
    Operation{"BatchWriteItem", Kind::kWrite, "dynamodb:BatchWriteItem", shapes::kBatchWriteItem, batch_write_item},
    Operation{"CreateTable", Kind::kControl, "dynamodb:CreateTable", shapes::kCreateTable, create_table},
    Operation{"DeleteItem", Kind::kWrite, "dynamodb:DeleteItem", shapes::kDeleteItem, delete_item},
    Operation{"DeleteTable", Kind::kControl, "dynamodb:DeleteTable", shapes::kDeleteTable, delete_table},
    Operation{"DescribeTable", Kind::kControl, "dynamodb:DescribeTable", shapes::kDescribeTable, describe_table},
    Operation{"GetItem", Kind::kRead, "dynamodb:GetItem", shapes::kGetItem, get_item},
    Operation{"ListTables", Kind::kControl, "dynamodb:ListTables", shapes::kListTables, list_tables},
    Operation{"PutItem", Kind::kWrite, "dynamodb:PutItem", shapes::kPutItem, put_item},
    Operation{"Query", Kind::kRead, "dynamodb:Query", shapes::kQuery, query},
    Operation{"Scan", Kind::kRead, "dynamodb:Scan", shapes::kScan, scan},
    Operation{"TransactGetItems", Kind::kRead, "", shapes::kTransactGetItems, transact_get_items},
    Operation{"TransactWriteItems", Kind::kWrite, "", shapes::kTransactWriteItems, transact_write_items},
    Operation{"UpdateItem", Kind::kWrite, "dynamodb:UpdateItem", shapes::kUpdateItem, update_item},
    Operation{"UpdateTable", Kind::kControl, "dynamodb:UpdateTable", shapes::kUpdateTable, update_table},
};
// clang-format on

}  // namespace

std::span<const Operation> operations() { return kOperations; }

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::lower_bound(kOperations, name, {}, &Operation::name);
  return found == kOperations.end() || found->name != name ? nullptr : &*found;
}

}  // namespace partita::ops
