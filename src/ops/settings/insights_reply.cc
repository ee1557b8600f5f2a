#include "ops/settings/insights_reply.h"

#include "base/check.h"

namespace partita::ops {

namespace {

std::string_view status_name(table::InsightsStatus status) {
  switch (status) {
    case table::InsightsStatus::kEnabling:
      return "ENABLING";
    case table::InsightsStatus::kEnabled:
      return "ENABLED";
    case table::InsightsStatus::kDisabling:
      return "DISABLING";
    case table::InsightsStatus::kDisabled:
      return "DISABLED";
  }
  PARTITA_CHECK(false);
}

}  // namespace

void write_insights_summary(wire::JsonWriter& json, const table::InsightsState& state) {
  json.key("TableName");
  json.string(state.table);
  if (!state.index.empty()) {
    json.key("IndexName");
    json.string(state.index);
  }
  json.key("ContributorInsightsStatus");
  json.string(status_name(state.status));
  if (!state.asked) return;
  json.key("ContributorInsightsMode");
  json.string(state.asked->throttled_only ? "THROTTLED_KEYS" : "ACCESSED_AND_THROTTLED_KEYS");
}

}  // namespace partita::ops
