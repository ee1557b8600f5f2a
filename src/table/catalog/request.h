// What requests on items have in common, whoever speaks: an SDK's call, its legacy form, a PartiQL statement.
//
// A request struct is all that was asked, decoded, and nothing of any table. bind() holds it against a table's
// description and makes a plan, with every check that needs the schema; it leaves the request as it is, so that it can
// be bound again when the description has changed. admit() shows each access of a plan to an AccessChecker; nothing
// runs before.
#pragma once

#include <cstdint>

namespace partita::table {

enum class ReturnValues : uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

// ReturnConsumedCapacity.
enum class CapacityDetail : uint8_t { kNone, kTotal, kIndexes };

// What a read answers with; kDefault where the request does not say.
enum class Select : uint8_t { kDefault, kAllAttributes, kAllProjected, kSpecific, kCount };

}  // namespace partita::table
