// Calls of CloudWatch, at the same address as DynamoDB's, in three protocols (cloudwatch/protocol.h).
#pragma once

#include <span>

#include "base/task.h"
#include "cloudwatch/protocol.h"
#include "metrics/evaluation.h"
#include "ops/call.h"
#include "ops/operation.h"

namespace partita::ops {

// A row for each call, in the order of cloudwatch::calls(), for metrics and the audit log. Static storage.
std::span<const Operation> monitoring_operations();

// Null: the call is none of CloudWatch.
inline const cloudwatch::Protocol* monitoring_protocol(const Call& call) {
  // Nearly all calls are of DynamoDB.
  if (call.target.starts_with('D')) [[likely]]
    return nullptr;
  return cloudwatch::protocol_of({call.target, call.path, call.content_type, call.body});
}

struct MonitoringSettings {
  bool in_namespace = false;  // the database is a namespace, which has no metrics, and the call is refused
  metrics::AlarmActions actions = metrics::AlarmActions::kIgnored;
};

// Never fails, like Service::call(). `database`, `admission`, `protocol` and `call` outlive the task. Callable from any
// thread.
Task<Reply> answer_monitoring(table::Database& database, Admission& admission, MonitoringSettings settings,
                              const cloudwatch::Protocol& protocol, const Call& call);

}  // namespace partita::ops
