// What readers and writers of encoded items share: docs/formats/items.md.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace partita::model {

inline constexpr uint8_t kItemVersion = 1;

inline Error corrupt_item() { return {ErrorKind::kCorrupt, "A stored item is damaged or of a newer format."}; }

}  // namespace partita::model
