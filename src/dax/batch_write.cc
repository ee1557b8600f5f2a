#include "dax/batch_write.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "model/fault.h"
#include "table/catalog/access.h"
#include "table/open/database.h"

namespace partita::dax {

namespace {

using model::Fault;
using model::refuse;

// The actions at these positions among those of all parts.
api::BatchWriteRequest rest_of(const api::BatchWriteRequest& request, std::span<const size_t> positions) {
  api::BatchWriteRequest rest;
  rest.capacity = request.capacity;
  rest.wants_collection_bytes = request.wants_collection_bytes;
  size_t begin = 0;
  for (const auto& part : request.parts) {
    api::BatchWriteRequest::Part left{part.table, {}};
    for (; !positions.empty() && positions.front() < begin + part.actions.size(); positions = positions.subspan(1)) {
      left.actions.push_back(part.actions[positions.front() - begin]);
    }
    if (!left.actions.empty()) rest.parts.push_back(std::move(left));
    begin += part.actions.size();
  }
  return rest;
}

}  // namespace

void BatchWrite::add(const api::WritesReply& reply) {
  reply_.written.insert(reply_.written.end(), reply.written.begin(), reply.written.end());
  for (const api::ItemCollection& collection : reply.collections) {
    const auto is_same = [&](const api::ItemCollection& one) {
      return one.table == collection.table && one.key == collection.key;
    };
    const auto known = std::ranges::find_if(reply_.collections, is_same);
    if (known == reply_.collections.end()) {
      reply_.collections.push_back(collection);
    } else {
      known->bytes = collection.bytes;
    }
  }
}

Task<Result<void>> BatchWrite::run(const ops::Context& context) {
  PARTITA_CO_TRY_VOID(co_await first_.run(context));
  add(first_.reply());
  std::vector<size_t> left = first_.reply().unprocessed;
  std::unique_ptr<CachedBatchWrite> last;
  // The last one that is known.
  Result<void> shortage = refuse(Fault::kThroughputExceeded);
  int64_t pause_ms = kFirstPauseMs;
  for (int tries = 1; !left.empty(); ++tries) {
    if (tries == kMaxTries) co_return shortage;
    co_await context.database.background().sleep(pause_ms);
    pause_ms *= 2;
    auto next =
        std::make_unique<CachedBatchWrite>(caches_, rest_of(last == nullptr ? request() : last->request(), left));
    // Its capacity is that of now.
    ops::Context later = context;
    later.began_ns = context.database.clock().monotonic_ns();
    auto done = co_await next->run(later);
    // Nothing at all was written this time, so all of it is still left.
    if (!done.ok() && table::is_throttled(done.error())) {
      shortage = std::move(done);
      continue;
    }
    if (!done.ok()) co_return done;
    last = std::move(next);
    add(last->reply());
    left = last->reply().unprocessed;
  }
  co_return Result<void>();
}

}  // namespace partita::dax
