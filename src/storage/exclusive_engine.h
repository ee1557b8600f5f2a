// A store opened for exclusive use, for copying and verification.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::storage {

struct ExclusiveEngine {
  // Error: kUnavailable if somebody else may have used the store since it was opened. Blocks. Precondition: `engine`
  // exists.
  std::function<Result<void>()> check = [] { return Result<void>(); };
  std::unique_ptr<Engine> engine;
};

// The errors of opening a store exclusively while it is in use, and of using a store that is opened exclusively.
inline Error store_in_use() {
  return Error(ErrorKind::kUnavailable,
               "Servers, or another copy or verification, use this store: stop them first, and give the same command "
               "again. What they write meanwhile would be missing.");
}
inline Error store_held_exclusively() {
  return Error(ErrorKind::kUnavailable,
               "The store is being copied or verified, and used by nobody else meanwhile: wait until that is done.");
}

}  // namespace partita::storage
