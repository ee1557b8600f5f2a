// The calls of CloudWatch that Partita serves, free of protocol: parameters and replies are documents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cloudwatch/call.h"

namespace partita::cloudwatch {

// Sorted by name.
std::span<const CallRow> calls();
// Null: there is no such call.
const CallRow* find_call(std::string_view name);

// The ARNs that policies are asked about, or "*". Fault: kMonitorInvalid.
Result<std::vector<std::string>> resources_of(const CallRow& call, const CallContext& context,
                                              const wire::Document& parameters);

// statistics.cc
Task<Result<wire::Document>> get_metric_statistics(const CallContext& context, Parameters in);
Task<Result<wire::Document>> list_metrics(const CallContext& context, Parameters in);

// metric_data.cc
Task<Result<wire::Document>> get_metric_data(const CallContext& context, Parameters in);

// put_alarm.cc
Task<Result<wire::Document>> put_metric_alarm(const CallContext& context, Parameters in);

// alarms.cc
Task<Result<wire::Document>> delete_alarms(const CallContext& context, Parameters in);
Task<Result<wire::Document>> describe_alarm_history(const CallContext& context, Parameters in);
Task<Result<wire::Document>> describe_alarms(const CallContext& context, Parameters in);
Task<Result<wire::Document>> describe_alarms_for_metric(const CallContext& context, Parameters in);
Task<Result<wire::Document>> disable_alarm_actions(const CallContext& context, Parameters in);
Task<Result<wire::Document>> enable_alarm_actions(const CallContext& context, Parameters in);
Task<Result<wire::Document>> set_alarm_state(const CallContext& context, Parameters in);

// insight_rules.cc
Task<Result<wire::Document>> describe_insight_rules(const CallContext& context, Parameters in);
Task<Result<wire::Document>> get_insight_rule_report(const CallContext& context, Parameters in);

// tags.cc
Task<Result<wire::Document>> list_tags_for_resource(const CallContext& context, Parameters in);
Task<Result<wire::Document>> tag_resource(const CallContext& context, Parameters in);
Task<Result<wire::Document>> untag_resource(const CallContext& context, Parameters in);

}  // namespace partita::cloudwatch
