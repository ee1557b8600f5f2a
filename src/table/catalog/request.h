// Common parts of requests on items. SDK calls, their legacy forms and PartiQL statements become the same structs.
//
// A request struct is the decoded request, without anything from the table. bind() makes a plan from it and a table's
// description, with every check that needs the schema. It does not change the request, which can be bound again when
// the description changes. admit() passes each access of a plan to an AccessChecker before anything runs.
#pragma once

#include <cstdint>

namespace partita::table {

enum class ReturnValues : uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

// ReturnConsumedCapacity.
enum class CapacityDetail : uint8_t { kNone, kTotal, kIndexes };

// What a read returns; kDefault: not specified.
enum class Select : uint8_t { kDefault, kAllAttributes, kAllProjected, kSpecific, kCount };

}  // namespace partita::table
