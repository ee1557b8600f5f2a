#include "ops/settings/insights_reply.h"

#include "base/check.h"

namespace partita::ops {

namespace {

std::string_view status_name(api::InsightsStatus status) {
  switch (status) {
    case api::InsightsStatus::kEnabling:
      return "ENABLING";
    case api::InsightsStatus::kEnabled:
      return "ENABLED";
    case api::InsightsStatus::kDisabling:
      return "DISABLING";
    case api::InsightsStatus::kDisabled:
      return "DISABLED";
    case api::InsightsStatus::kFailed:
      return "FAILED";
  }
  PARTITA_CHECK(false);
}

}  // namespace

void write_insights_summary(wire::JsonWriter& json, const api::InsightsState& state) {
  json.member("TableName", state.table);
  if (!state.index.empty()) {
    json.member("IndexName", state.index);
  }
  json.member("ContributorInsightsStatus", status_name(state.status));
  if (!state.configured) return;
  json.member("ContributorInsightsMode", state.throttled_only ? "THROTTLED_KEYS" : "ACCESSED_AND_THROTTLED_KEYS");
}

}  // namespace partita::ops
