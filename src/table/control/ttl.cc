#include "table/control/ttl.h"

#include "model/fault.h"
#include "table/rows/expiry_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

Result<void> change_ttl(TableInfo& table, const api::UpdateTimeToLiveRequest& request, int64_t now_ms) {
  if (request.enable && table.ttl && table.ttl->attribute == request.attribute) return refuse(Fault::kTtlOnAlready);
  if (!request.enable && !table.ttl) return refuse(Fault::kTtlOffAlready);
  if (table.ttl && table.ttl->attribute != request.attribute) {
    return refuse(Fault::kTtlOfAnotherAttribute, {table.ttl->attribute});
  }
  // A clock that was set back begins no pause.
  const int64_t since_ms = now_ms - table.ttl_changed_ms;
  if (table.ttl_changed_ms != 0 && since_ms >= 0 && since_ms < kTtlPauseMs) return refuse(Fault::kTtlChangedJustNow);
  table.ttl_changed_ms = now_ms;
  std::erase(table.features, kTtlFeature);
  table.ttl.reset();
  if (request.enable) {
    table.ttl = TimeToLive{request.attribute, table.revision + 1};
    table.features.emplace_back(kTtlFeature);
  }
  return {};
}

}  // namespace

Task<Result<void>> update_ttl(TableContext& context, const api::UpdateTimeToLiveRequest& request) {
  PARTITA_CO_TRY_VOID(co_await context.idle_table(request.name));
  const int64_t now_ms = context.clock().now_ms();
  const Catalog::Change change = [&](TableInfo& table) { return change_ttl(table, request, now_ms); };
  PARTITA_CO_TRY_VOID(co_await context.catalog().change(request.name, change));
  context.wake_jobs();
  co_return Result<void>();
}

}  // namespace partita::table
