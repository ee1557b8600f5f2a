// What the replies about Contributor Insights share.
#pragma once

#include "api/settings.h"
#include "wire/json_writer.h"

namespace partita::ops {

// The members of one ContributorInsightsSummary, without braces.
void write_insights_summary(wire::JsonWriter& json, const api::InsightsState& state);

}  // namespace partita::ops
