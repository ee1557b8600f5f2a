// BatchWriteItem as DAX's clients need it: Python's and Node's lose the key of an unprocessed item, so the server tries
// again itself, and a reply never has any.
#pragma once

#include <cstdint>
#include <utility>

#include "api/writes.h"
#include "base/result.h"
#include "base/task.h"
#include "dax/cached_writes.h"
#include "ops/execution.h"

namespace partita::dax {

class BatchWrite final : public ops::Execution {
 public:
  static constexpr int kMaxTries = 8;
  static constexpr int64_t kFirstPauseMs = 25;  // then twice as long each time: 3.2 seconds in all

  // `caches`: null: none. They outlive it.
  BatchWrite(Caches* caches, api::BatchWriteRequest request) : caches_(caches), first_(caches, std::move(request)) {}

  // Fault: kThroughputExceeded if something is left after all tries; what was written stays so.
  Task<Result<void>> run(const ops::Context& context) override;
  void visit_names(ops::VisitName visit) override { first_.visit_names(visit); }

  const api::BatchWriteRequest& request() const { return first_.request(); }
  // Precondition: run() succeeded. Of all tries together; nothing is unprocessed.
  const api::WritesReply& reply() const { return reply_; }

 private:
  void add(const api::WritesReply& reply);

  Caches* const caches_;
  CachedBatchWrite first_;  // of the whole request
  api::WritesReply reply_;
};

}  // namespace partita::dax
