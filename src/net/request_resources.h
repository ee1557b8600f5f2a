// What the requests of all protocols of a server share: the memory that they may use, and threads for large ones.
#pragma once

#include <cstddef>
#include <memory>

#include "base/budget.h"
#include "base/workers.h"

namespace partita::net {

// Requests of more bytes run on the background threads, as parsing them takes milliseconds, and are read in pieces.
inline constexpr size_t kSmallRequest = size_t{64} << 10;
// Requests and replies of up to this size are not counted: the number of connections bounds them.
inline constexpr size_t kUncountedBytes = 4096;

// Callable from any thread. Lives as long as any connection that uses it.
struct RequestResources {
  // `threads`: of the server.
  RequestResources(size_t memory, unsigned threads) : budget(memory), background((threads + 1) / 2, kNiceness) {}

  // Takes memory for bytes of a request or a reply. A quarter of the budget is reserved for small ones. False: there is
  // not enough.
  static bool take(BudgetShare& share, size_t bytes) {
    if (bytes <= kUncountedBytes) return share.resize(0);
    const size_t limit = share.budget().limit();
    return share.resize_within(bytes, bytes > kSmallRequest ? limit / 4 * 3 : limit);
  }

  static constexpr int kNiceness = 10;  // small requests have priority
  Budget budget;
  Workers background;
};

}  // namespace partita::net
