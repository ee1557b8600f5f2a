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

#define PARTITA_ON_BODY(name)                                                           \
  Task<Result<std::string>> name(const Context& context, wire::JsonDocument document) { \
    PARTITA_CO_TRY_VOID(wire::check_shape(document.root(), context.operation.shape));   \
    PARTITA_CO_TRY_VOID(admit_table(document.root(), context));                         \
    co_return co_await name(context, document.root());                                  \
  }
PARTITA_ON_BODY(create_table)
PARTITA_ON_BODY(delete_table)
PARTITA_ON_BODY(describe_table)
PARTITA_ON_BODY(list_tables)
PARTITA_ON_BODY(update_table)
#undef PARTITA_ON_BODY

std::span<const Operation> operations() { return kOperations; }

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::lower_bound(kOperations, name, {}, &Operation::name);
  return found == kOperations.end() || found->name != name ? nullptr : &*found;
}

}  // namespace partita::ops
