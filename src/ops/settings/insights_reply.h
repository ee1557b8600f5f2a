// What the replies on Contributor Insights share.
#pragma once

#include "table/control/insights.h"
#include "wire/json_writer.h"

namespace partita::ops {

// The members of one ContributorInsightsSummary, without braces.
void write_insights_summary(wire::JsonWriter& json, const table::InsightsState& state);

}  // namespace partita::ops
