// Faults of what DynamoDB does not have, namespaces and snapshots: each with a sentence of its own. Which of AWS's
// errors it is, is said in wire.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "model/fault.h"

namespace partita::model {

enum class AsideFault : uint8_t { kNotFound, kInUse, kLimit, kBusy };

struct AsideDetail final : ErrorDetail {
  explicit AsideDetail(AsideFault said) : fault(said) {}
  AsideFault fault;
};

inline Error refuse_aside(AsideFault fault, std::string sentence) {
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(Fault::kConstraints), {std::move(sentence)},
               std::make_shared<const AsideDetail>(fault));
}

}  // namespace partita::model
