// A store that is used by nobody else, for whoever moves it.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::storage {

struct HeldEngine {
  // Whether nobody else could use the store up to now. Error: kUnavailable. Blocks. Precondition: the engine lives.
  std::function<Result<void>()> check = [] { return Result<void>(); };
  std::unique_ptr<Engine> engine;
};

}  // namespace partita::storage
