// Faults of features that DynamoDB does not have, namespaces and snapshots. Each carries its own sentence; `wire` maps
// it to one of AWS's errors.
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
