#include "ops/handlers.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

// A table that is gone in a moment is waited for, as DescribeTable does, so that whoever looks right after its deletion
// does not see it. One that stays longer is listed, and then the others are not waited for either.
Task<Result<void>> drop_vanishing(const Context& context, std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end();) {
    const table::Table table = context.database.catalog().find(*name);
    if (table == nullptr || table->status != table::Status::kDeleting) {
      ++name;
      continue;
    }
    auto settled = co_await context.database.settled_table(*name);
    PARTITA_CO_TRY(const table::Table left, std::move(settled));
    if (left != nullptr) break;
    name = names.erase(name);
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<std::string>> list_tables(const Context& context, wire::JsonValue body) {
  constexpr int64_t kMostNames = 100;  // ListTables in DynamoDB's API reference
  const auto limit = static_cast<size_t>(integer(body, "Limit").value_or(kMostNames));
  const std::string after = text(body, "ExclusiveStartTableName");
  // One more than wanted tells whether there are more.
  PARTITA_CO_TRY(std::vector<std::string> names, co_await context.database.catalog().names(after, limit + 1));
  const bool more = names.size() > limit;
  if (more) names.resize(limit);
  const std::string last = more ? names.back() : std::string();
  PARTITA_CO_TRY_VOID(co_await drop_vanishing(context, names));
  wire::JsonWriter json;
  json.begin_object();
  json.key("TableNames");
  json.begin_array();
  for (const auto& name : names) json.string(name);
  json.end_array();
  if (more) {
    json.key("LastEvaluatedTableName");
    json.string(last);
  }
  json.end_object();
  co_return std::move(json).take();
}

}  // namespace partita::ops
