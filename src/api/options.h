// Parameters that several operations have in common.
#pragma once

#include <cstdint>

namespace partita::api {

// ReturnValues. The last three are for UpdateItem alone.
enum class ReturnValues : uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

// ReturnConsumedCapacity.
enum class CapacityDetail : uint8_t { kNone, kTotal, kIndexes };

// What a read returns; kDefault: not specified.
enum class Select : uint8_t { kDefault, kAllAttributes, kAllProjected, kSpecific, kCount };

// A request or a reply without members.
struct Empty {};

}  // namespace partita::api
