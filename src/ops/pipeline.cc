#include "ops/pipeline.h"

#include "model/fault.h"
#include "ops/resource_arn.h"

namespace partita::ops {

using model::Fault;
using model::refuse;

Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context) {
  if (!name_or_arn.starts_with("arn:")) return std::string(name_or_arn);
  constexpr std::string_view kTable = "table/";
  const std::optional<ArnParts> parts = arn_parts(name_or_arn);
  if (!parts || parts->service != "dynamodb" || !parts->relative_id.starts_with(kTable)) {
    return refuse(Fault::kArnInvalid, {std::string(name_or_arn)});
  }
  if (parts->account != context.caller.account_id) {
    return refuse(Fault::kArnOfAnotherAccount, {context.caller.access_key_id, std::string(name_or_arn)});
  }
  return std::string(parts->relative_id.substr(kTable.size()));
}

Task<Result<bool>> tries_again(const Context& context, const Error& error, int tries) {
  if (!table::Database::binds_again(error) || tries == kMostTries) co_return false;
  PARTITA_CO_TRY_VOID(co_await context.database.before_binding_again(error));
  co_return true;
}

Result<table::Table> find_table(std::string_view name_or_arn, const Context& context) {
  if (!name_or_arn.starts_with("arn:")) return context.database.ready_table(name_or_arn);
  PARTITA_TRY(const std::string name, table_name_of(name_or_arn, context));
  return context.database.ready_table(name);
}

}  // namespace partita::ops
