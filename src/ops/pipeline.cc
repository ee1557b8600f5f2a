#include "ops/pipeline.h"

#include <algorithm>
#include <array>

#include "model/fault.h"

namespace partita::ops {

using model::Fault;
using model::refuse;

Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context) {
  constexpr std::string_view kPrefix = "arn:";
  if (!name_or_arn.starts_with(kPrefix)) return std::string(name_or_arn);
  // arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
  std::array<std::string_view, 6> parts;
  std::string_view rest = name_or_arn;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t colon = i + 1 < parts.size() ? rest.find(':') : rest.size();
    if (colon == std::string_view::npos) return refuse(Fault::kArnInvalid, {std::string(name_or_arn)});
    parts[i] = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  constexpr std::string_view kTable = "table/";
  if (parts[2] != "dynamodb" || !parts[5].starts_with(kTable)) {
    return refuse(Fault::kArnInvalid, {std::string(name_or_arn)});
  }
  if (parts[4] != context.caller.account_id) {
    return refuse(Fault::kArnOfAnotherAccount, {context.caller.access_key_id, std::string(name_or_arn)});
  }
  return std::string(parts[5].substr(kTable.size()));
}

Result<table::Table> find_table(std::string_view name_or_arn, const Context& context) {
  if (!name_or_arn.starts_with("arn:")) return context.database.ready_table(name_or_arn);
  PARTITA_TRY(const std::string name, table_name_of(name_or_arn, context));
  return context.database.ready_table(name);
}

}  // namespace partita::ops
