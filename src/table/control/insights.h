// Contributor Insights of tables and of their global indexes: whether they are asked for, and how. There is no
// CloudWatch here to carry them out.
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

enum class InsightsStatus : uint8_t { kEnabling, kEnabled, kDisabling, kDisabled };

// As of a moment.
struct InsightsState {
  std::string table;
  std::string index;  // empty: the table itself
  InsightsStatus status = InsightsStatus::kDisabled;
  std::optional<Insights> asked;   // nothing: never
  std::vector<std::string> rules;  // of CloudWatch, as DynamoDB names them; while it is kEnabled
};

// What is so already stays as it is. Faults: kTableNotFound, kInsightsIndexNotFound, kIndexNameLength,
// kInsightsIndexBusy.
Task<Result<InsightsState>> update_insights(TableContext& context, const api::UpdateInsightsRequest& request);

// Faults: kTableNotFound, kInsightsIndexNotFound, kIndexNameLength.
Task<Result<InsightsState>> describe_insights(TableContext& context, const api::DescribeInsightsRequest& question);

struct InsightsPage {
  std::vector<InsightsState> states;
  std::string last;  // where the next page goes on; empty: there is none
};
// Those that are not kDisabled, by table; of each the table's own, then those of its indexes by name. Fault:
// kTableNotFound.
Task<Result<InsightsPage>> list_insights(TableContext& context, const api::ListInsightsRequest& listing);

}  // namespace partita::table
