// The calls that the console makes beside DynamoDB's own: what the server is, and what it does. All block, and answer
// with JSON.
#pragma once

#include <string>

#include "admin/operator_request.h"
#include "base/result.h"

namespace partita::admin {

// What the console has to know before anybody has logged in. It tells nothing that a login protects.
Result<std::string> describe_console(const Subject& about, const Asked& asked);
// The requests of the last seconds. Fault: kConstraints.
Result<std::string> describe_metrics(const Subject& about, const Asked& asked);
// The keys that take most of a table's capacity. Faults: kConstraints, kTableNotFound.
Result<std::string> describe_hot_keys(const Subject& about, const Asked& asked);
// The load on the partitions of a table and of its global indexes, also as text. Faults: kConstraints, kTableNotFound.
Result<std::string> describe_heat(const Subject& about, const Asked& asked);
// The background jobs of the namespace.
Result<std::string> list_jobs(const Subject& about, const Asked& asked);

}  // namespace partita::admin
