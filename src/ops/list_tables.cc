#include "ops/handlers.h"
#include "ops/request.h"

namespace partita::ops {

Task<Result<std::string>> list_tables(const Context& context, wire::JsonValue body) {
  constexpr int64_t kMostNames = 100;  // ListTables in DynamoDB's API reference
  const auto limit = static_cast<size_t>(integer(body, "Limit").value_or(kMostNames));
  const std::string after = text(body, "ExclusiveStartTableName");
  // One more than wanted tells whether there are more.
  PARTITA_CO_TRY(std::vector<std::string> names, co_await context.database.catalog().names(after, limit + 1));
  const bool more = names.size() > limit;
  if (more) names.resize(limit);
  wire::JsonWriter json;
  json.begin_object();
  json.key("TableNames");
  json.begin_array();
  for (const auto& name : names) json.string(name);
  json.end_array();
  if (more) {
    json.key("LastEvaluatedTableName");
    json.string(names.back());
  }
  json.end_object();
  co_return std::move(json).take();
}

}  // namespace partita::ops
