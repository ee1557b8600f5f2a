// Contributor Insights of tables and of their global indexes: whether they are asked for, and how. ops counts the keys
// (ops/insight_counters.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/settings.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

// What is so already stays as it is. If there would be more than kMostInsightRules rules (insight_rules.h), the state
// becomes kFailed; several servers that enable at once may exceed that by what each of them adds. Faults:
// kTableNotFound, kInsightsIndexNotFound, kIndexNameLength, kInsightsIndexBusy.
Task<Result<api::InsightsState>> update_insights(TableContext& context, const api::UpdateInsightsRequest& request);

// Faults: kTableNotFound, kInsightsIndexNotFound, kIndexNameLength.
Task<Result<api::InsightsState>> describe_insights(TableContext& context, const api::DescribeInsightsRequest& question);

// Those that are not kDisabled, by table; of each the table's own, then those of its indexes by name. Fault:
// kTableNotFound.
Task<Result<api::ListInsightsReply>> list_insights(TableContext& context, const api::ListInsightsRequest& listing);

}  // namespace partita::table
