// A store that is used by nobody else, for whoever moves it.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::storage {

struct ExclusiveEngine {
  // Whether nobody else could use the store up to now. Error: kUnavailable. Blocks. Precondition: the engine lives.
  std::function<Result<void>()> check = [] { return Result<void>(); };
  std::unique_ptr<Engine> engine;
};

// What is said to who wants a store for itself that is used, and to who wants to use one that somebody has so.
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
