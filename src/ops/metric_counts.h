// What CloudWatch's metrics are made of, from the counters of a server.
#pragma once

#include <string_view>

#include "base/error.h"
#include "metrics/counts.h"
#include "table/rows/meters_kept.h"
#include "wire/fault_table.h"

namespace partita::table {
class Database;
}
namespace partita::throttle {
class CapacityLimits;
}

namespace partita::ops {

class Execution;
class RequestCounts;
class TableMeters;
struct Context;

// Tables that share their lines with others (table_meters.h) have no counts of requests. `space`: the namespace of the
// database, or empty. For one thread at a time.
metrics::ServerCounts count_all(table::Database& database, RequestCounts& requests, TableMeters& meters,
                                throttle::CapacityLimits& capacity, std::string_view space);

// kCount stands for no exception.
table::Failure failure_of(wire::Exception exception);
// Failed conditions and conflicts of a cancelled transaction count for the tables of the parts.
void count_reasons(const Error& error, Execution& execution, const Context& context);

}  // namespace partita::ops
